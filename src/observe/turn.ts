// What the kinds of memories are read from: a turn with its record, the turns before it, and what the user said next.
import type { Step, TurnRecord } from '../turns/record.ts';
import { isUntrustedAt } from '../turns/untrusted.ts';
import type { Statement } from './draft.ts';
import { countWords, isQuestion, isSpecific, plainText, sentencesOf } from './sentences.ts';
import { begins, uses } from './words.ts';

export type ObservedTurn = {
  prompt: string;
  record: TurnRecord;
};

export type TurnInPlace = {
  turn: ObservedTurn;
  /** The latest last. */
  before: ObservedTurn[];
  /** The prompt that came next; null while nobody knows. */
  next: string | null;
};

export type Edited = { file: string; isNew: boolean; diff: string; at: number };

/** Notes of the agent to itself and temporary files are not the user's work. */
const NOT_WORK =
  /(?:^|\/)\.claude\/(?:plans|projects|todos|tasks)\/|^\/(?:private\/)?tmp\/|^\/var\/folders\/|\/scratchpad\//;

/** Files that the turn has changed in the end: what was undone is not among them. */
export function netEdits({ steps }: TurnRecord): Edited[] {
  return steps.flatMap((step, at) =>
    step.kind === 'edited' && step.diff !== '' && !NOT_WORK.test(step.file)
      ? [{ file: step.file, isNew: step.isNew || isWholeNew(steps, step.file), diff: step.diff, at }]
      : [],
  );
}

/** Edits of files that are in the end as they were. */
export function undoneEdits({ steps }: TurnRecord): Edited[] {
  const edits = steps.flatMap((step, at) =>
    step.kind === 'edited' && step.added + step.removed > 0 && !NOT_WORK.test(step.file) ? [{ ...step, at }] : [],
  );
  const isUndone = (file: string) => edits.filter((one) => one.file === file).every(({ diff }) => diff === '');
  return edits.filter(({ file }) => isUndone(file));
}

const isWholeNew = (steps: readonly Step[], file: string) =>
  steps.some((step) => step.kind === 'edited' && step.file === file && step.isNew);

/**
 * What was said right before an edit that stayed, or after the last run that failed: there stand reasons and causes. Not what only announces a
 * look, and no words from outside.
 */
export function reasonsFor({ steps }: TurnRecord, edits: Edited[]): Statement[] {
  const wanted = new Set<number>();
  const kept = new Set(edits.map(({ file }) => file));
  for (const [at, step] of steps.entries()) {
    if (step.kind !== 'edited' || !kept.has(step.file)) continue;
    const said = lastSaidBefore(steps, at);
    if (said !== null) wanted.add(said);
  }
  return [...wanted].sort((one, other) => one - other).flatMap((at) => statementsAt(steps, at));
}

/** Up to the deed before it. */
function lastSaidBefore(steps: readonly Step[], at: number): number | null {
  for (let before = at - 1; before >= 0; before--) {
    const kind = steps[before]?.kind;
    if (kind === 'said') return before;
    if (kind === 'ran' || kind === 'web' || kind === 'mcp') return null;
  }
  return null;
}

export function statementsAt(steps: readonly Step[], at: number): Statement[] {
  const step = steps[at];
  if (step?.kind !== 'said' || isUntrustedAt(steps, at)) return [];
  return sentencesOf(step.text)
    .filter(isStatement)
    .map((text) => ({ text, at }));
}

/** It says how something is: no question, no offer, not what is looked at next. */
export const isStatement = (text: string): boolean =>
  !isQuestion(text) &&
  !uses(text, 'offer') &&
  !(begins(text, 'look') && countWords(text) < 14) &&
  (countWords(text) >= 5 || isSpecific(text));

/** The closing message as statements; what it leaves open and offers is not among them. */
export function closingStatements({ steps, closing }: TurnRecord): Statement[] {
  if (isUntrustedAt(steps, steps.length)) return [];
  return withoutOpenPart(closing)
    .filter(isStatement)
    .map((text) => ({ text, at: steps.length }));
}

/** It speaks of what is not done, or proposes it. */
export const isLeft = (text: string): boolean => uses(text, 'open') || uses(text, 'next');

/** Under a heading such as "Next steps" stands what is not done. */
function withoutOpenPart(closing: string): string[] {
  const lines = closing.split('\n');
  const open = lines.findIndex((line) => /^\s*(?:#{1,6}\s|\*\*)/.test(line) && isLeft(line));
  const kept = open < 0 ? closing : lines.slice(0, open).join('\n');
  return sentencesOf(kept).filter((sentence) => !begins(sentence, 'open') && !begins(sentence, 'next'));
}

type Section = { heading: string | null; text: string };

/** The parts under headings. */
export function sectionsOf(closing: string): Section[] {
  const parts = closing.split(/^(?=#{1,6}\s|\*\*[^*\n]{3,80}\*\*:?\s*$)/m);
  return parts.flatMap((part) => {
    const heading = /^(?:#{1,6}\s+|\*\*)(.{2,80}?)(?:\*\*)?:?\s*$/m.exec(part.split('\n', 1)[0] ?? '')?.[1] ?? null;
    return part.trim() === ''
      ? []
      : [{ heading, text: heading === null ? part : part.split('\n').slice(1).join('\n') }];
  });
}

type Red = { failed: Extract<Step, { kind: 'ran' }>; at: number };

/** Where a run failed, and the same run passed after an edit. */
export const mendedRuns = ({ steps }: TurnRecord): Red[] =>
  steps.flatMap((step, at) =>
    step.kind === 'ran' && step.isOk === false && hasGreenAfter(steps, at) ? [{ failed: step, at }] : [],
  );

/** The last of them. */
export const redThenGreen = (record: TurnRecord): Red | null => mendedRuns(record).at(-1) ?? null;

function hasGreenAfter(steps: readonly Step[], at: number): boolean {
  const failed = steps[at];
  if (failed?.kind !== 'ran') return false;
  const editAt = steps.findIndex((step, i) => i > at && step.kind === 'edited');
  return (
    editAt > 0 &&
    steps.some(
      (step, i) => i > editAt && step.kind === 'ran' && step.isOk === true && isSameRun(step.command, failed.command),
    )
  );
}

/** The program and what it does are the same; which files or flags it is given may differ. */
export function isSameRun(one: string, other: string): boolean {
  const heads = (command: string) =>
    new Set(
      command
        .split(/&&|\|\||[;|\n]/)
        .map((part) => part.trim().replace(/^(?:\w+=\S+\s+)+/, ''))
        .filter((part) => part !== '' && !/^(?:cd|export|source|echo|tail|head|grep|cat|sleep|ls)\b/.test(part))
        .map((part) =>
          part
            .split(/\s+/)
            .filter((word) => !word.startsWith('-'))
            .slice(0, 2)
            .join(' '),
        ),
    );
  const [first, second] = [heads(one), heads(other)];
  return [...first].some((head) => second.has(head));
}

/** What the user laid down: sentences that are no questions, without pasted logs and greetings. */
export function promptStatements(prompt: string): string[] {
  return sentencesOf(withoutPasted(prompt)).filter((sentence) => !isQuestion(sentence) && countWords(sentence) >= 2);
}

/** Lines of a log or a stack, quoted mail, code: pasted, not said. */
function withoutPasted(prompt: string): string {
  return prompt
    .split('\n')
    .filter((line) => !isLogLine(line))
    .filter(
      (line) =>
        !/^\s*(?:at |File "|Traceback|Caused by|E\s{2,}|\d{4}-\d\d-\d\d[ T]\d\d:|\$ |>|[A-Z][\w.]*(?:Error|Exception)\b|\w+\/\w+.*:\d+)/.test(
          line,
        ),
    )
    .join('\n');
}

/** A time, a level, a path with a line: no person writes so. */
const isLogLine = (line: string) =>
  /\b\d{1,2}:\d\d:\d\d\b/.test(line) ||
  (line.length > 60 && (line.match(/[^\p{L}\s]/gu)?.length ?? 0) > line.length * 0.3);

/** A headline from a text: its first sentence that says something. */
export const headline = (text: string): string | null =>
  sentencesOf(text)
    .map(plainText)
    .find((one) => isStatement(one)) ?? null;

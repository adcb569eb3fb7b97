// What the kinds of memories are read from: a turn with its record, as statements, edits and runs.
import { findLastClosings } from '../core/clean-prompt.ts';
import { markError } from '../core/error-mark.ts';
import { oncePer } from '../core/once.ts';
import { isUntrustedAt, type Step, type TurnRecord } from '../turns/record.ts';
import type { Statement } from './draft.ts';
import { countWords, isQuestion, isSpecific, JOINED, sentencesOf } from './sentences.ts';
import { subjectOfFile } from './title.ts';
import { begins, uses } from './words.ts';

export type ObservedTurn = {
  prompt: string;
  record: TurnRecord;
};

export type Edited = { file: string; isNew: boolean; diff: string; at: number };

/** Notes of the agent to itself and temporary files are not the user's work. */
const NOT_WORK = /(?:^|\/)\.claude\/(?:plans|projects|todos|tasks)\/|^\/(?:private\/)?tmp\/|^\/var\/folders\/|\/scratchpad\//;

/** Files that the turn has changed in the end: what was undone is not among them. */
export const netEdits = oncePer((record: TurnRecord): Edited[] => editsOf(record).filter(({ diff }) => diff !== ''));

/** Edits of files that are in the end as they were. */
export function undoneEdits(record: TurnRecord): Edited[] {
  const kept = new Set(netEdits(record).map(({ file }) => file));
  return editsOf(record).filter(({ file }) => !kept.has(file));
}

function editsOf({ steps }: TurnRecord): Edited[] {
  const edits = steps.flatMap((step, at) =>
    step.kind === 'edited' && (step.added + step.removed > 0 || step.diff !== '') && !NOT_WORK.test(step.file) ? [{ ...step, at }] : [],
  );
  const made = new Set(edits.flatMap(({ file, isNew }) => (isNew ? [file] : [])));
  return edits.map(({ file, diff, at }) => ({ file, isNew: made.has(file), diff, at }));
}

/** By which a title goes that does not say what it is about. */
export const subjectOf = ([first]: Edited[]): string | null => (first ? subjectOfFile(first.file) : null);

/**
 * What was said right before an edit that stayed, or after the last run that failed: there stand reasons and
 * causes. Not what only announces a look, and no words from outside.
 */
export function reasonsFor(record: TurnRecord, edits: Edited[]): Statement[] {
  const { steps } = record;
  const kept = new Set(edits.map(({ file }) => file));
  const said = steps.flatMap((step, at) => (step.kind === 'edited' && kept.has(step.file) ? (lastSaidBefore(steps, at) ?? []) : []));
  return [...new Set(said)].flatMap((at) => statementsOf(record)[at] ?? []).filter(isKnown);
}

/** Up to the deed before it. */
function lastSaidBefore(steps: readonly Step[], at: number): number | null {
  const last = steps.findLastIndex(({ kind }, before) => before < at && ['said', 'ran', 'web', 'mcp'].includes(kind));
  return steps[last]?.kind === 'said' ? last : null;
}

/** What was said on the way. */
export const spokenStatements = oncePer((record: TurnRecord): Statement[] => statementsOf(record).flat().filter(isKnown));

/** Nobody remembers a guess: it may have been wrong. */
const isKnown = ({ text }: Statement) => !uses(text, 'guess');

/** Of each step. */
const statementsOf = oncePer(({ steps }: TurnRecord): Statement[][] => steps.map((_, at) => statementsAt(steps, at)));

function statementsAt(steps: readonly Step[], at: number): Statement[] {
  const step = steps[at];
  if (step?.kind !== 'said' || isUntrustedAt(steps, at)) return [];
  return sentencesOf(step.text)
    .filter(isStatement)
    .map((text) => ({ text, at }));
}

/** It says how something is: no question, no offer, not what is looked at or done next. */
const isStatement = (text: string): boolean =>
  !isQuestion(text) &&
  !uses(text, 'offer') &&
  !begins(text, 'will') &&
  !begins(text, 'look') &&
  (countWords(text) >= 5 || isSpecific(text));

/** Nobody said that it is done: what was asked is not what came of it. */
export const wasInterrupted = ({ steps }: TurnRecord): boolean => steps.some(({ kind }) => kind === 'interrupted');

/** A question that is no request: "why does it …?", not "can you …?". */
export const asksToKnow = (prompt: string): boolean => sentencesOf(prompt).some((one) => isQuestion(one) && !uses(one, 'ask'));

/** Its last words ask or offer something. */
export function asksAtEnd(closing: string): boolean {
  const last = sentencesOf(closing).at(-1) ?? '';
  return isQuestion(last) || uses(last, 'offer');
}

/** The closing message as statements; what it leaves open and offers is not among them. */
export const closingStatements = oncePer(({ steps, closing }: TurnRecord): Statement[] => {
  if (isUntrustedAt(steps, steps.length)) return [];
  return withoutOpenPart(closing)
    .filter(isStatement)
    .map((text) => ({ text, at: steps.length }))
    .filter(isKnown);
});

/** It speaks of what is not done, or proposes it. */
export const isLeft = (text: string): boolean => uses(text, 'open') || uses(text, 'next');

/** Under a heading such as "Next steps" stands what is not done. */
function withoutOpenPart(closing: string): string[] {
  const lines = closing.split('\n');
  const open = lines.findIndex((line) => /^\s*(?:#{1,6}\s|\*\*)|^.{3,60}:\s*$/.test(line) && isLeft(line));
  const kept = open < 0 ? closing : lines.slice(0, open).join('\n');
  return sentencesOf(kept).filter((sentence) => !begins(sentence, 'open') && !begins(sentence, 'next'));
}

type Section = { heading: string | null; text: string };

/** The parts under headings. */
export function sectionsOf(closing: string): Section[] {
  const parts = closing.split(/^(?=#{1,6}\s|\*\*[^*\n]{3,80}\*\*:?\s*$)/m);
  return parts.flatMap((part) => {
    const heading = /^(?:#{1,6}\s+|\*\*)(.{2,80}?)(?:\*\*)?:?\s*$/m.exec(part.split('\n', 1)[0] ?? '')?.[1] ?? null;
    return part.trim() === '' ? [] : [{ heading, text: heading === null ? part : part.split('\n').slice(1).join('\n') }];
  });
}

export type Ran = Extract<Step, { kind: 'ran' }> & { at: number };

export const runsOf = ({ steps }: Pick<TurnRecord, 'steps'>): Ran[] =>
  steps.flatMap((step, at) => (step.kind === 'ran' ? [{ ...step, at }] : []));

/** Runs that failed, and the same passed after an edit. */
export const mendedRuns = oncePer((record: TurnRecord): Ran[] => {
  const runs = runsOf(record);
  return runs.filter(({ at, command, isOk }) => {
    const edit = record.steps.findIndex((step, later) => later > at && step.kind === 'edited');
    return isOk === false && edit > 0 && runs.some((run) => run.at > edit && run.isOk === true && isSameRun(run.command, command));
  });
});

/** What was said before an edit after which the same run failed in the same way: it did not help. */
export function triedInVain(record: TurnRecord): Statement[] {
  const { steps } = record;
  const runs = runsOf(record);
  return runs.flatMap((run) => {
    if (run.isOk !== false) return [];
    const red = runs.findLast((one) => one.at < run.at && isSameRun(one.command, run.command));
    if (red?.isOk !== false || !isSameError(red.output, run.output)) return [];
    const edit = steps.findIndex((one, at) => at > red.at && at < run.at && one.kind === 'edited');
    const said = edit < 0 ? null : lastSaidBefore(steps, edit);
    return said === null ? [] : (statementsOf(record)[said] ?? []);
  });
}

function isSameError(one: string, other: string): boolean {
  const marks = markError(one);
  return markError(other).some((mark) => marks.includes(mark));
}

/** The program and what it does are the same; which files or flags it is given may differ. */
export function isSameRun(one: string, other: string): boolean {
  const heads = new Set(headsOf(other));
  return headsOf(one).some((head) => heads.has(head));
}

const headsOf = (command: string): string[] =>
  command
    .split(/&&|\|\||[;|\n]/)
    .map((part) => part.trim().replace(/^(?:\w+=\S+\s+)+/, ''))
    .filter((part) => part !== '' && !/^(?:cd|export|source|echo|tail|head|grep|cat|sleep|ls)\b/.test(part))
    .map((part) => (part.match(/(?<!\S)[^-\s]\S*/g) ?? []).slice(0, 2).join(' '));

/** It was pasted, or is a plan: its sentences were not said to the agent one by one. */
export const isDocument = (prompt: string): boolean => prompt.length > LONGEST_PROMPT;
const LONGEST_PROMPT = 1200;

/** What the user laid down: sentences that are no questions, without pasted documents and logs, quoted mail and greetings. */
export function promptStatements(prompt: string): string[] {
  // What is moved in below a line belongs to it.
  const own = withoutElements(prompt)
    .split(/\n(?!\s+\S)/)
    .filter((part) => isTyped(part));
  return sentencesOf(own.join('\n')).filter((sentence) => !isQuestion(sentence) && countWords(sentence) >= 2);
}

/** `<document>…</document>`: what a person puts into an element is shown to the agent, and not said by them. */
function withoutElements(prompt: string): string {
  const closings = prompt.includes('</') ? findLastClosings(prompt) : new Map<string, number>();
  if (closings.size === 0) return prompt;
  let kept = '';
  let at = 0;
  for (const { index, 0: opening, 1: name = '' } of prompt.matchAll(/^[ \t]{0,40}<([A-Za-z][\w:.-]{0,60})(?:\s[^<>\n]{0,300})?>/gm)) {
    const end = closings.get(name) ?? -1;
    if (index < at || end < index + opening.length) continue;
    kept += prompt.slice(at, index);
    at = end + name.length + 3;
  }
  return kept + prompt.slice(at);
}

/** Most of what stands between blanks is a word or a number, no sign of a console is in front, and no time is told to the second. */
function isTyped(line: string): boolean {
  if (/^\s*[$>❯⏺⎿●➜│└├✓✗✔✘]|\d\d:\d\d:\d\d/.test(line)) return false;
  const parts = line.split(/\s+/).filter((part) => /[\p{L}\p{N}]/u.test(part));
  return parts.filter((part) => WORD.test(part)).length >= parts.length / 2;
}

/** A key in quotes with its colon is none. */
const WORD = new RegExp(`^[^\\p{L}\\p{N}{}<>|=]*(?:\\p{L}+(?:['’.-]\\p{L}+)*|\\d[\\d.,]*):?[^\\p{L}\\p{N}{}<>|=:]*$|${JOINED.source}`, 'u');

// The record of a turn in plain words, for whoever reads it: all of it, or what matters most of it in a few lines.
import { RECORD_SHOWN } from '../core/memory.ts';
import type { Step, TurnRecord } from '../turns/record.ts';
import { splitUnits } from '../turns/take-out.ts';
import { isUntrustedAt } from '../turns/untrusted.ts';

export type Told = {
  text: string;
  /** How many characters more the whole has, with output and diffs. */
  left: number;
};

const MOST_CLOSING = 1000;
const MOST_STEP = 450;
/** For the marks of what is left out. */
const MARKS = 120;

export function tellRecord(record: TurnRecord, { isFull = false } = {}): Told {
  const whole = listParts(record, { isFull: true }).map(({ text }) => text);
  const full = whole.join('\n');
  if (isFull) return { text: closeFence(full), left: 0 };
  const parts = listParts(record, { isFull: false });
  const plain = parts.map(({ text }) => text).join('\n');
  const text = closeFence(plain.length <= RECORD_SHOWN ? plain : choose(parts));
  return { text, left: Math.max(0, full.length - text.length) };
}

type Part = { kind: Step['kind'] | 'closing'; text: string };

function listParts({ steps, closing }: TurnRecord, { isFull }: { isFull: boolean }): Part[] {
  const told = steps.map((step, at) => ({
    kind: step.kind,
    text: tellStep(step, { isFull, mark: markAt(steps, at) }),
  }));
  const mark = markAt(steps, steps.length);
  return closing === '' ? told : [...told, { kind: 'closing', text: lead(`answered${mark}`, closing) }];
}

const markAt = (steps: Step[], at: number) => (isUntrustedAt(steps, at) ? ' [untrusted source]' : '');

function tellStep(step: Step, { isFull, mark }: { isFull: boolean; mark: string }): string {
  const details = (text: string) => (isFull && text !== '' ? `\n${indent(text)}` : '');
  switch (step.kind) {
    case 'said':
      return lead(`said${mark}`, step.text);
    case 'ran':
      return `$ ${step.command}${step.isOk === false ? '  (failed)' : ''}${details(step.output)}`;
    case 'edited':
      return `${step.isNew ? 'wrote' : 'edited'} ${step.file} +${step.added} -${step.removed}${details(step.diff)}`;
    case 'read':
      return `read ${step.file}`;
    case 'searched':
      return `searched for ${step.query}`;
    case 'asked':
      return [`asked: ${step.question}`, ...step.options.map((one) => `  - ${one}`), `  the user: ${step.answer}`].join(
        '\n',
      );
    case 'planned':
      return `${lead(`planned${step.isApproved ? '' : ' (refused)'}`, step.text)}${answered(step.feedback)}`;
    case 'refused':
      return `not allowed: ${step.tool} ${step.what}${answered(step.feedback)}`;
    case 'todo':
      return [
        'to do:',
        ...step.items.map(({ status, text }) => `  [${status === 'completed' ? 'x' : ' '}] ${text}`),
      ].join('\n');
    case 'committed':
      return `committed ${step.hash}: ${step.message}`;
    case 'web':
      return `read the page ${step.source}`;
    case 'mcp':
      return `used the tool ${step.source}`;
    case 'agent':
      return lead(`agent for "${step.task}"${mark}`, step.report);
  }
}

/** Code, lists and headings begin a line of their own. */
const lead = (label: string, text: string) =>
  `${label}:${/^\s*(?:`{3}|~{3}|[-*+#|>]|\d+[.)])/.test(text) ? '\n' : ' '}${text}`;

const answered = (feedback: string) => (feedback === '' ? '' : `\n  the user: ${feedback}`);

/** Of two parts that do not both fit, the one that tells more: then the later one. */
const RANK: Part['kind'][] = [
  'closing',
  'asked',
  'committed',
  'said',
  'planned',
  'agent',
  'refused',
  'edited',
  'ran',
  'todo',
];

function choose(parts: Part[]): string {
  const rankOf = ({ kind }: Part) => (RANK.indexOf(kind) + RANK.length + 1) % (RANK.length + 1);
  const order = parts
    .map((part, at) => ({ part, at }))
    .sort((one, other) => rankOf(one.part) - rankOf(other.part) || other.at - one.at);
  const shown = new Map<number, string>();
  let room = RECORD_SHOWN - MARKS;
  for (const { part, at } of order) {
    const text = cutUnits(part.text, Math.min(room, part.kind === 'closing' ? MOST_CLOSING : MOST_STEP));
    if (text === null) continue;
    shown.set(at, text);
    room -= text.length + 1;
  }
  return join(parts, shown);
}

function join(parts: Part[], shown: Map<number, string>): string {
  const lines: string[] = [];
  let left = 0;
  const marks = [...parts.keys()].filter((at) => !shown.has(at) && shown.has(at + 1)).length;
  for (const at of parts.keys()) {
    const text = shown.get(at);
    if (text === undefined) left++;
    // Many small gaps would be more marks than words.
    else
      lines.push(...(left > 0 && marks <= MOST_MARKS ? [`[… ${left} ${left === 1 ? 'step' : 'steps'} …]`] : []), text);
    if (text !== undefined) left = 0;
  }
  return lines.join('\n');
}

const MOST_MARKS = 5;

/** Whole paragraphs, items and blocks of code, as many as fit; of a first paragraph that is too long its beginning. Null: nothing fits. */
function cutUnits(text: string, most: number): string | null {
  if (text.length <= most) return text;
  let cut = '';
  for (const { before, text: unit } of splitUnits(text)) {
    const next = cut === '' ? unit : `${cut}${before}${unit}`;
    if (next.length + CUT.length > most) break;
    cut = next;
  }
  if (cut !== '') return `${cut}${CUT}`;
  const [first] = splitUnits(text);
  if (!first || most < SHORTEST || /^\s*(?:`{3,}|~{3,})/.test(first.text)) return null;
  const end = first.text.lastIndexOf(' ', most - 2);
  return `${first.text.slice(0, end > most * 0.6 ? end : most - 2).toWellFormed()}…`;
}

const CUT = '\n[…]';
const SHORTEST = 60;

const indent = (text: string) => text.replace(/^/gm, '    ');

/** A block of code that the agent never ended must not take what follows. */
function closeFence(text: string): string {
  let open: string | null = null;
  for (const line of text.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark && open === null) open = mark;
    else if (mark && open !== null && mark.startsWith(open)) open = null;
  }
  return open === null ? text : `${text}\n${open}`;
}

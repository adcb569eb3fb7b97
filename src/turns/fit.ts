// A record within its size: of the longest texts the middle goes, with a mark.
import type { Step, TurnRecord } from './record.ts';
import { writeRecord } from './record.ts';

const MOST_BYTES = 64 * 1024;
/** What is shorter is never cut. */
const SHORTEST = 400;
/** Room for what says that something was left out. */
const MARK_BYTES = 60;

export function fitRecord(record: TurnRecord): TurnRecord {
  const size = Buffer.byteLength(writeRecord(record));
  if (size <= MOST_BYTES) return record;
  const sizes = [record.closing, ...record.steps.flatMap(textsOf)]
    .filter(({ length }) => length > SHORTEST)
    .map((text) => ({ length: text.length, bytes: Buffer.byteLength(text) }));
  const most = findLimit(sizes, size - MOST_BYTES);
  const cut = (text: string) => cutMiddle(text, most);
  const steps = record.steps.map((step) => mapTexts(step, cut));
  const fitted = { steps, closing: cut(record.closing) };
  return Buffer.byteLength(writeRecord(fitted)) <= MOST_BYTES ? fitted : dropMiddle(fitted);
}

/** How many characters a text may have so that what is longer loses enough bytes together. */
function findLimit(sizes: { length: number; bytes: number }[], tooMuch: number): number {
  let limit = sizes.reduce((most, { length }) => Math.max(most, length), SHORTEST);
  const saved = () =>
    sizes.reduce((sum, { length, bytes }) => sum + Math.max(0, bytes * (1 - limit / length) - MARK_BYTES), 0);
  while (limit > SHORTEST && saved() < tooMuch) limit = Math.max(SHORTEST, Math.floor(limit * 0.9));
  return limit;
}

function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  const left = text.length - 2 * half;
  return `${text.slice(0, half)}\n[… ${left} characters left out …]\n${text.slice(-half)}`.toWellFormed();
}

export const textsOf = (step: Step): string[] => {
  const texts: string[] = [];
  mapTexts(step, (text) => {
    texts.push(text);
    return text;
  });
  return texts;
};

/** Every text of a step through a function. */
export function mapTexts(step: Step, change: (text: string) => string): Step {
  if (step.kind === 'todo') return { ...step, items: step.items.map((item) => ({ ...item, text: change(item.text) })) };
  const options = step.kind === 'asked' ? { options: step.options.map(change) } : {};
  const texts = TEXTS[step.kind].map((field) => [field, change(String(Reflect.get(step, field)))]);
  // The same fields with other texts: it is the same kind of step.
  return { ...step, ...options, ...Object.fromEntries(texts) } as Step;
}

const TEXTS: Record<Exclude<Step['kind'], 'todo'>, string[]> = {
  said: ['text'],
  ran: ['command', 'output'],
  edited: ['diff'],
  planned: ['text', 'feedback'],
  refused: ['what', 'feedback'],
  asked: ['question', 'answer'],
  committed: ['message'],
  agent: ['task', 'report'],
  read: ['file'],
  searched: ['query'],
  web: ['source'],
  mcp: ['source'],
};

/** Thousands of short steps: the first and the last of them stay. */
function dropMiddle({ steps, closing }: TurnRecord): TurnRecord {
  let kept = steps;
  while (kept.length > 0 && Buffer.byteLength(writeRecord({ steps: kept, closing })) > MOST_BYTES - MARK_BYTES) {
    const end = Math.floor(kept.length * 0.45);
    kept = [...kept.slice(0, end), ...kept.slice(kept.length - end)];
  }
  const left = steps.length - kept.length;
  if (left === 0) return { steps, closing };
  const half = Math.floor(kept.length / 2);
  return {
    steps: [...kept.slice(0, half), { kind: 'said', text: `[… ${left} steps left out …]` }, ...kept.slice(half)],
    closing,
  };
}

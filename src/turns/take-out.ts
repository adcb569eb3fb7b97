// A record without some of its parts: each leaves a plain mark, and nothing of its words.
import type { Database } from 'bun:sqlite';
import type { SessionEvent } from '../core/event.ts';
import { wordsIn } from '../memory/content-words.ts';
import { hashPart, isForgotten } from '../store/tombstones.ts';
import { mapTexts, type Step, type TurnRecord, textsOf, writeRecord } from './record.ts';

export const FORGOTTEN = '[forgotten]';

type TakingOut = {
  /** Of a paragraph, an item of a list, a block of code, a command with its output, a place of a diff. */
  isGone: (text: string) => boolean;
  /** Steps that go whatever they say. */
  isGoneStep?: (step: Step) => boolean;
  mark?: string;
};

type TakenOut = {
  record: TurnRecord;
  /** How many paragraphs and steps went. */
  count: number;
  /** Those of them that went for what they say. */
  texts: string[];
};

export function takeOut(record: TurnRecord, { isGone, isGoneStep = () => false, mark = FORGOTTEN }: TakingOut): TakenOut {
  const texts: string[] = [];
  let count = 0;
  const goes = (text: string) => {
    if (text.trim() === '' || text === mark || !isGone(text)) return false;
    texts.push(text);
    count++;
    return true;
  };
  const change = (text: string) => withoutUnits(text, goes, mark);
  const marked: Step = { kind: 'said', text: mark };
  const steps = record.steps.map((step): Step => {
    if (isGoneStep(step)) {
      count++;
      return marked;
    }
    return goes(labelOf(step)) ? marked : step.kind === 'edited' ? withoutPlaces(step, goes, mark) : mapTexts(step, change);
  });
  const left = { steps: foldMarks(steps, mark), closing: change(record.closing) };
  return { record: { ...left, ...keepUnshown(record, left) }, count, texts };
}

/** Of words that go nothing stays there either. */
function keepUnshown({ unshown }: TurnRecord, left: TurnRecord): Pick<TurnRecord, 'unshown'> {
  if (!unshown) return {};
  const words = wordsIn([writeRecord(left)]);
  return { unshown: unshown.filter((word) => words.has(word)) };
}

/** Nothing is left but marks. */
export const isNothing = ({ steps, closing }: TurnRecord) =>
  (closing === '' || closing === FORGOTTEN) && steps.every((step) => step.kind === 'said' && step.text === FORGOTTEN);

/** What a step is judged by as a whole; its longer texts are judged paragraph by paragraph. */
function labelOf(step: Step): string {
  if (step.kind === 'said' || step.kind === 'planned') return '';
  if (step.kind === 'edited') return step.file;
  return step.kind === 'agent' ? step.task : textsOf(step).join('\n');
}

type Edited = Extract<Step, { kind: 'edited' }>;

/** A diff place by place. */
function withoutPlaces(step: Edited, goes: (text: string) => boolean, mark: string): Edited {
  const places = step.diff.split(/^(?=@@ )/m).map((place) => place.replace(/\n$/, ''));
  return { ...step, diff: places.map((place) => (goes(place) ? mark : place)).join('\n') };
}

function foldMarks(steps: Step[], mark: string): Step[] {
  const isMark = (step: Step | undefined) => step?.kind === 'said' && step.text === mark;
  return steps.filter((step, at) => !isMark(step) || !isMark(steps[at - 1]));
}

function withoutUnits(text: string, goes: (unit: string) => boolean, mark: string): string {
  const all = splitUnits(text);
  const units = all.map((unit) => (goes(unit.text) ? { ...unit, text: mark } : unit));
  if (units.every((unit, at) => unit === all[at])) return text;
  return units
    .filter((unit, at) => unit.text !== mark || units[at - 1]?.text !== mark)
    .map(({ before, text: own }, at) => (at === 0 ? own : `${before}${own}`))
    .join('');
}

type Unit = { before: string; text: string };

/** Paragraphs, items of a list, and whole blocks of code, with what stands between them. */
function splitUnits(text: string): Unit[] {
  const units: Unit[] = [];
  let fence: string | null = null;
  let between = '';
  for (const line of text.split('\n')) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    const last = units.at(-1);
    const isInside = fence !== null;
    if (mark && fence === null) fence = mark;
    else if (mark && fence !== null && mark.startsWith(fence)) fence = null;
    if (last && isInside) last.text += `\n${line}`;
    else if (line.trim() === '') between += `\n${line}`;
    else if (last && between === '' && !mark && !/^\s*(?:[-*+•]|\d+[.)])\s/.test(line) && !hasFence(last.text)) last.text += `\n${line}`;
    else {
      units.push({ before: `${between}\n`, text: line });
      between = '';
    }
  }
  return units;
}

const hasFence = (text: string) => /^\s*(?:`{3,}|~{3,})/.test(text);

// Paragraphs that somebody wanted forgotten do not come back with a transcript or an import: neither into a record nor into an event.

export function withoutForgotten(db: Database, record: TurnRecord): TurnRecord {
  return hasForgotten(db) ? takeOut(record, { isGone: isForgottenPart(db) }).record : record;
}

/** What the agent said, without them. */
export function withoutForgottenWords(db: Database, event: SessionEvent): SessionEvent {
  if (event.kind !== 'said' && event.kind !== 'stop' && event.kind !== 'subagent') return event;
  if (!hasForgotten(db)) return event;
  const clean = (text: string) => withoutUnits(text, isForgottenPart(db), FORGOTTEN);
  return event.kind === 'said' ? { ...event, text: clean(event.text) } : { ...event, message: clean(event.message) };
}

/** Mostly nothing ever was. */
const hasForgotten = (db: Database) => db.query("SELECT 1 FROM tombstones WHERE kind = 'text' LIMIT 1").get() !== null;

const isForgottenPart = (db: Database) => (text: string) => {
  const hash = hashPart(text);
  return hash !== null && isForgotten(db, 'text', hash);
};

// What a diff says in a line: a value that changed, a name that is new.
import type { TurnRecord } from '../turns/record.ts';
import { type Edited, netEdits } from './turn.ts';

/** `at`: the step of the edit. */
export type ValueChange = { file: string; text: string; before: string | null; after: string; at: number };

const MOST = 6;
const LONGEST = 140;

/** Pairs of a removed and an added line that differ in a value, then single added lines that set one. */
export function valueChanges(edits: Edited[]): ValueChange[] {
  const all = edits.flatMap(changesIn);
  const changed = all.filter(({ before }) => before !== null);
  return [...changed, ...all.filter(({ before }) => before === null)].slice(0, MOST);
}

function changesIn({ file, diff, at }: Edited): ValueChange[] {
  const found: ValueChange[] = [];
  const lines = diff.split('\n');
  const removed = lines.filter((line) => line.startsWith('-')).map((line) => line.slice(1).trim());
  const added = lines.filter((line) => line.startsWith('+')).map((line) => line.slice(1).trim());
  for (const after of added) {
    const before = removed.find((line) => isSameButValue(line, after)) ?? null;
    if (before !== null) found.push({ file, at, before, after, text: `${shorten(after)} (was ${was(before, after)})` });
    else if (setsValue(after)) found.push({ file, at, before: null, after, text: shorten(after) });
  }
  return found;
}

/** The frame of a line: with every number and text in quotes taken out. */
export const frameOf = (line: string) =>
  line
    .replace(/(["'`])(?:\\.|(?!\1).)*\1/g, '§')
    .replace(/\b\d[\d_.,]*[a-zA-Z%]{0,3}\b/g, '§')
    .replace(/\b(?:true|false|True|False|null|None)\b/g, '§')
    .replace(/\s+/g, '');

export function isSameButValue(one: string, other: string): boolean {
  if (one === other || one.length < 4) return false;
  const frame = frameOf(one);
  return frame.includes('§') && /\p{L}{2}/u.test(frame) && frame === frameOf(other);
}

/** `MAX_PENDING = 500`, `timeout: 30`: a name is given a number or a short text. */
const setsValue = (line: string) =>
  line.length <= LONGEST &&
  /^[\w.$"'@\s-]{2,60}\s*[:=]{1,2}=?\s*(?:["'`][^"'`]{1,60}["'`]|-?\d[\w.,%]*|true|false)[;,)\]]*\s*(?:[#/].*)?$/.test(
    line,
  );

const valuesIn = (line: string): string[] =>
  line.match(/(["'`])(?:\\.|(?!\1).)*\1|\b\d[\d_.,]*[a-zA-Z%]{0,3}\b|\b(?:true|false|True|False|null|None)\b/g) ?? [];

/** The new value first: what is read in a hurry is what holds. */
function was(before: string, after: string): string {
  const [old, now] = [valuesIn(before), valuesIn(after)];
  return shorten(old.filter((value, at) => value !== now[at]).join(', ') || before);
}

const shorten = (line: string) => (line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 1).toWellFormed()}…`);

export type ChangedLine = { before: string; after: string; file: string };

/** Lines that are the same but for a value, or that give the same name another one. */
export function changedLines(record: TurnRecord): ChangedLine[] {
  return netEdits(record).flatMap(({ file, diff }) => {
    const [added, removed] = [linesWith(diff, '+'), linesWith(diff, '-')];
    return removed.flatMap((before) => {
      const name = nameSet(before);
      const after =
        added.find((line) => isSameButValue(before, line)) ??
        added.find((line) => name !== null && nameSet(line) === name);
      return after && hasOtherValue(before, after) ? [{ before, after, file }] : [];
    });
  });
}

function hasOtherValue(before: string, after: string): boolean {
  const [old, now] = [valuesIn(before).join(' '), valuesIn(after).join(' ')];
  return old !== '' && now !== '' && old !== now;
}

/** `const COYOTE_TIME: float = 0.15` → `COYOTE_TIME`. */
const nameSet = (line: string): string | null =>
  /^(?:[a-z]+\s+){0,4}["']?([A-Za-z_][\w.-]{2,})["']?\s*(?::\s*[\w<>[\]]+\s*)?[:=]=?\s*\S/.exec(line)?.[1] ?? null;

export function lineChanges(record: TurnRecord): { added: Set<string>; removed: Set<string> } {
  const edits = netEdits(record);
  return {
    added: new Set(edits.flatMap(({ diff }) => linesWith(diff, '+'))),
    removed: new Set(edits.flatMap(({ diff }) => linesWith(diff, '-'))),
  };
}

const linesWith = (diff: string, sign: string) =>
  diff.split('\n').flatMap((line) => (line.startsWith(sign) ? [line.slice(1).trim()] : []));

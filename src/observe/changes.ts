// What a diff says in a line: a value that changed, a name that is new.
import { oncePer } from '../core/once.ts';
import type { TurnRecord } from '../turns/record.ts';
import { cutText, type Statement } from './draft.ts';
import { type Edited, netEdits } from './turn.ts';

const MOST = 6;
const LONGEST = 140;

/** `isChange`: the value was another before. */
type ValueChange = Statement & { file: string; isChange: boolean };

/** Pairs of a removed and an added line that differ in a value, then single added lines that set one. */
export const valueChanges = oncePer((edits: Edited[]): ValueChange[] => {
  const all = edits.flatMap(({ file, diff, at }) => {
    const like = frameLines(linesWith(diff, '-'));
    return linesWith(diff, '+').flatMap((after): ValueChange[] => {
      const before = like(after);
      if (before === undefined) return setsValue(after) ? [{ file, at, text: cutText(after, LONGEST), isChange: false }] : [];
      // The new value first: what is read in a hurry is what holds.
      return [{ file, at, text: `${cutText(after, LONGEST)} (was ${was(before, after)})`, isChange: true }];
    });
  });
  return [...all.filter(({ isChange }) => isChange), ...all.filter(({ isChange }) => !isChange)].slice(0, MOST);
});

const VALUE = /(["'`])(?:\\.|(?!\1).)*\1|\b\d[\d_.,]*[a-zA-Z%]{0,3}\b|\b(?:true|false|True|False|null|None)\b/g;
const valuesIn = (line: string): string[] => line.match(VALUE) ?? [];

/** The first of the lines that is another, and the same where every number and text in quotes is taken out of both. */
function frameLines(lines: string[]): (line: string) => string | undefined {
  const framed = Map.groupBy(lines, frameOf);
  return (line) => {
    const frame = frameOf(line);
    if (line.length < 4 || !frame.includes('§') || !/\p{L}/u.test(frame)) return undefined;
    return framed.get(frame)?.find((other) => other !== line && other.length >= 4);
  };
}

const frameOf = (line: string) => line.replace(VALUE, '§').replace(/\s+/g, '');

/** `MAX_PENDING = 500`, `timeout: 30`: a name is given a number or a short text. */
const setsValue = (line: string) =>
  line.length <= LONGEST &&
  /^[\w.$"'@\s-]{2,60}\s*[:=]{1,2}=?\s*(?:["'`][^"'`]{1,60}["'`]|-?\d[\w.,%]*|true|false)[;,)\]]*\s*(?:[#/].*)?$/.test(line);

function was(before: string, after: string): string {
  const now = valuesIn(after);
  const old = valuesIn(before).filter((value, at) => value !== now[at]);
  return cutText(old.join(', ') || before, LONGEST);
}

/** `slot`: the word that is another, where it is no value. */
export type ChangedLine = { before: string; after: string; file: string; slot: { gone: string; came: string } | null };

/** Lines that are the same but for a value, that give the same name another one, or that have another word in one place. */
export function changedLines(record: TurnRecord): ChangedLine[] {
  return netEdits(record).flatMap(({ file, diff }) => {
    const added = linesWith(diff, '+');
    const like = frameLines(added);
    const named = Map.groupBy(added, nameSet);
    const split = added.map((line) => ({ line, parts: partsOf(line) }));
    return linesWith(diff, '-').flatMap((before) => {
      const name = nameSet(before);
      const after = like(before) ?? (name === null ? undefined : named.get(name)?.[0]);
      if (after && hasOtherValue(before, after)) return [{ before, after, file, slot: null }];
      const old = partsOf(before);
      return split
        .map(({ line, parts }) => ({ before, after: line, file, slot: findSlot(old, parts) }))
        .filter(({ slot }) => slot !== null);
    });
  });
}

/** `od420.median()` → `od420.mean()`: the words in the one place where two lines differ. Null where more than that does. */
function findSlot(old: string[], now: string[]): ChangedLine['slot'] {
  const isOther = (at: number) => old.at(at) !== now.at(at);
  const shorter = Math.min(old.length, now.length);
  let [first, last] = [0, 0];
  while (first < shorter && !isOther(first)) first++;
  while (last < shorter - first && !isOther(-1 - last)) last++;
  const [gone = [], came = []] = [old, now].map((line) => line.slice(first, line.length - last));
  const isOne = [gone, came].every((part) => part.length === 1 && /\p{L}{3}/u.test(part[0] ?? ''));
  return isOne && first + last >= LEAST_FRAME ? { gone: gone[0] ?? '', came: came[0] ?? '' } : null;
}

const partsOf = (line: string): string[] => line.match(/[\p{L}\p{N}_]+|\S/gu) ?? [];

const LEAST_FRAME = 2;

function hasOtherValue(before: string, after: string): boolean {
  const [old, now] = [valuesIn(before).join(' '), valuesIn(after).join(' ')];
  return old !== '' && now !== '' && old !== now;
}

/** `const COYOTE_TIME: float = 0.15` → `COYOTE_TIME`. */
export const nameSet = (line: string): string | null =>
  /^(?:[a-z]+\s+){0,4}["']?([A-Za-z_][\w.-]{2,})["']?\s*(?::\s*[\w<>[\]]+\s*)?[:=]=?\s*\S/.exec(line)?.[1] ?? null;

/** A line that came or went, and in which file. */
export type EditedLine = { file: string; text: string };

export const editedLines = (record: TurnRecord, sign: '+' | '-'): EditedLine[] => linesOf(record)[sign];

const linesOf = oncePer((record: TurnRecord) => {
  const those = (sign: string) => netEdits(record).flatMap(({ file, diff }) => linesWith(diff, sign).map((text) => ({ file, text })));
  return { '+': those('+'), '-': those('-') };
});

/** What a turn made of a line of an earlier one. */
export type LineFate = (line: EditedLine, isCommitted: boolean) => 'kept' | 'gone' | 'rewritten';

/** Gone: a diff takes it out, or its file was removed or put back. Rewritten: its file was written anew, and nothing that came has it. */
export function readFate(record: TurnRecord): LineFate {
  const [added, removed] = (['+', '-'] as const).map((sign) => new Set(editedLines(record, sign).map(({ text }) => text)));
  const commands = commandsOf(record);
  const now = [...(added ?? []), ...commands].join('\n');
  const [removedHere, restored, written] = [REMOVES, RESTORES, WRITES].map((pattern) => namedBehind(pattern, commands)) as [
    string[],
    string[],
    string[],
  ];
  const made = netEdits(record).flatMap(({ file, isNew }) => (isNew ? [file] : []));
  const isAnew = (file: string) => made.includes(file) || written.some((name) => isNamed(file, name));
  return ({ file, text }, isCommitted) => {
    if (added?.has(text)) return 'kept';
    if (removed?.has(text)) return 'gone';
    if (isAnew(file)) return now.includes(text) ? 'kept' : 'rewritten';
    // To set a file back takes what was not committed.
    const taken = isCommitted ? removedHere : [...removedHere, ...restored];
    return taken.some((name) => isNamed(file, name)) && !now.includes(text) ? 'gone' : 'kept';
  };
}

const commandsOf = ({ steps }: TurnRecord) => steps.flatMap((step) => (step.kind === 'ran' ? [step.command] : []));

const namedBehind = (pattern: RegExp, commands: string[]): string[] =>
  commands.flatMap((command) => [...command.matchAll(pattern)].flatMap(([, names = '']) => names.match(/[^\s'"]+/g) ?? []));

/** By a command, as it names them. */
export const removedFiles = (record: TurnRecord): string[] => namedBehind(REMOVES, commandsOf(record)).filter((name) => /[./]/.test(name));

/** Behind it stand files or folders. */
const REMOVES = /\b(?:git\s+(?:-C \S+\s+)?)?rm\s([^;&|<\n]*)/g;
const RESTORES = /\bgit\s+(?:-C \S+\s+)?(?:restore|checkout)\s([^;&|<\n]*)/g;
const WRITES = /\bcat\s*>\s*(\S+)\s*<</g;

function isNamed(file: string, path: string): boolean {
  const name = path.replace(/^\.\/|\/$/g, '');
  return /[./]/.test(path) && (file === name || file.endsWith(`/${name}`) || name.endsWith(`/${file}`) || file.startsWith(`${name}/`));
}

const linesWith = (diff: string, sign: string) => diff.split('\n').flatMap((line) => (line.startsWith(sign) ? [line.slice(1).trim()] : []));

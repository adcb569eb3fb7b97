// The pre-filter: points to the few places of a text where a secret may begin, in one cheap pass.

export type Trigger = {
  /** At least three characters. */
  literal: string;
  ignoreCase: boolean;
  /** Known by its own shape, whatever stands around it. */
  isShape: boolean;
  by: string;
};

/** All of them, by the key of their first three letters; made when the program is built. Numbers are in base64. */
export type Layout = { literals: string; bys: string; fourths: string; groups: string };

/**
 * Three letters hash to 15 bits, five of each: quick to roll along a text. `fourths` says which five bits the letter after them may have,
 * so that one look takes four letters in. Five bits of a letter are the same in upper and lower case, so one table serves words and exact
 * prefixes alike. A blank and a backtick have the same five bits, too: what is left is looked up by a second hash of nearly all bits
 * (`groupAt`, then a row of `groups`), and what still collides is sorted out by case and by the letters that follow.
 */
export type TriggerTable = {
  fourths: Int32Array;
  groupAt: Int16Array;
  groups: Int32Array;
  triggers: (group: number) => readonly Trigger[];
};

const MASK = 0x7fff;
/** A row of `groups`: key; which five bits the fifth and sixth letter may have; which of the first three may be capitals; from, to. */
const ROW = 6;

export function layOut(all: readonly Trigger[]): Layout {
  const fourths = new Map<number, number>();
  for (const { literal } of all) {
    const hash = hashAt(literal, 0);
    fourths.set(hash, (fourths.get(hash) ?? 0) | bitOf(literal.charCodeAt(3)));
  }
  const byKey = Map.groupBy(all, ({ literal }) => keyAt(literal, 0));
  const sorted = [...byKey.values()].flat();
  let from = 0;
  const rows = [...byKey].flatMap(([key, triggers]) => {
    const any = (bitsOf: (trigger: Trigger) => number) => triggers.reduce((bits, trigger) => bits | bitsOf(trigger), 0);
    const [fifth, sixth] = [4, 5].map((at) => any(({ literal }) => bitOf(literal.charCodeAt(at))));
    const cases = any(({ literal, ignoreCase }) => (ignoreCase ? 0xff : 1 << casesAt(literal, 0)));
    from += triggers.length;
    return [key, fifth ?? -1, sixth ?? -1, cases, from - triggers.length, from];
  });
  return {
    literals: sorted.map(({ literal }) => literal).join('\0'),
    bys: sorted.map(({ by, isShape, ignoreCase }) => (isShape ? 's' : ignoreCase ? 'i' : 'x') + by).join('\0'),
    fourths: pack([...fourths].flat()),
    groups: pack(rows),
  };
}

const pack = (numbers: number[]): string => Buffer.from(Int32Array.from(numbers).buffer).toString('base64');
const unpack = (text: string): Int32Array => new Int32Array(Uint8Array.fromBase64(text).buffer);

export function readLayout(layout: Layout): TriggerTable {
  const fourths = new Int32Array(MASK + 1);
  const pairs = unpack(layout.fourths);
  for (let i = 0; i < pairs.length; i += 2) fourths[pairs[i] ?? 0] = pairs[i + 1] ?? 0;
  const groups = unpack(layout.groups);
  const groupAt = new Int16Array(MASK + 1).fill(-1);
  for (let i = 0; i < groups.length; i += ROW) groupAt[groups[i] ?? 0] = i / ROW;
  const [literals, bys] = [layout.literals.split('\0'), layout.bys.split('\0')];
  const made: Trigger[][] = [];
  const make = (group: number): Trigger[] => {
    const [from = 0, to] = groups.subarray(group * ROW + 4, group * ROW + ROW);
    return literals.slice(from, to).map((literal, i) => {
      const by = bys[from + i] ?? '';
      return { literal, ignoreCase: by.startsWith('i'), isShape: by.startsWith('s'), by: by.slice(1) };
    });
  };
  const triggers = (group: number) => {
    const known = made[group] ?? make(group);
    made[group] = known;
    return known;
  };
  return { fourths, groupAt, groups, triggers };
}

/** Where the next one may begin, at `from` or after it; -1 when there is none. */
export function nextTrigger({ fourths }: TriggerTable, text: string, from: number): number {
  if (text.length - from < 3) return -1;
  let hash = hashAt(text, from);
  for (let i = from + 3; i < text.length; i++) {
    const letter = text.charCodeAt(i) & 31;
    if ((((fourths[hash] ?? 0) >>> letter) & 1) !== 0) return i - 3;
    hash = ((hash << 5) & MASK) | letter;
  }
  // Nothing follows the last three: one of three letters allows that as it allows anything.
  return ((fourths[hash] ?? 0) & 1) !== 0 ? text.length - 3 : -1;
}

/** Those that may begin here; -1 when none does. Most texts that begin with the same three letters are spelled or go on otherwise. */
export function groupOf({ groupAt, groups }: TriggerTable, text: string, at: number): number {
  const group = groupAt[keyAt(text, at)] ?? -1;
  if (group < 0) return -1;
  const row = group * ROW;
  const isLike =
    (((groups[row + 3] ?? 0) >>> casesAt(text, at)) & 1) !== 0 &&
    (((groups[row + 1] ?? 0) >>> (text.charCodeAt(at + 4) & 31)) & 1) !== 0 &&
    (((groups[row + 2] ?? 0) >>> (text.charCodeAt(at + 5) & 31)) & 1) !== 0;
  return isLike ? group : -1;
}

/** What follows a literal that ends earlier may be anything. */
const bitOf = (code: number): number => (Number.isNaN(code) ? -1 : 1 << (code & 31));

function hashAt(text: string, at: number): number {
  return ((text.charCodeAt(at) & 31) << 10) | ((text.charCodeAt(at + 1) & 31) << 5) | (text.charCodeAt(at + 2) & 31);
}

/** The bit that tells cases apart is set. */
function keyAt(text: string, at: number): number {
  const one = text.charCodeAt(at) | 32;
  const two = text.charCodeAt(at + 1) | 32;
  const three = text.charCodeAt(at + 2) | 32;
  return (one * 1031 + two * 67 + three) & MASK;
}

/** That bit of each of the first three letters. */
function casesAt(text: string, at: number): number {
  return ((text.charCodeAt(at) >> 3) & 4) | ((text.charCodeAt(at + 1) >> 4) & 2) | ((text.charCodeAt(at + 2) >> 5) & 1);
}

/** From the end on: the first three letters have the right hash, so the others tell most. */
export function isTriggered({ literal, ignoreCase }: Trigger, text: string, at: number): boolean {
  // The bit that tells cases apart is set.
  const bit = ignoreCase ? 32 : 0;
  for (let i = literal.length - 1; i >= 0; i--) {
    const code = text.charCodeAt(at + i);
    const wanted = literal.charCodeAt(i);
    if (code !== wanted && (code | bit) !== wanted) return false;
  }
  return true;
}

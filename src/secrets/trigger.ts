// The pre-filter: points to the few places of a text where a secret may begin, in one cheap pass.
import type { Find } from './span.ts';

export type Trigger = {
  /** At least three characters. */
  literal: string;
  ignoreCase: boolean;
  find: Find;
  /** Known by its own shape, whatever stands around it. */
  isShape?: boolean;
};

/**
 * Three letters hash to 15 bits, five of each: quick to roll along a text. Five bits of a letter are the same in upper and lower case,
 * so one table serves words and exact prefixes alike. A blank and a backtick have the same five bits, too: what is marked is looked up by
 * a second hash of nearly all bits, and what still collides is sorted out by the letters that follow.
 */
export type TriggerTable = { isMarked: Uint8Array; groups: (TriggerGroup | undefined)[] };

/** Those with the same key. Of each of the three letters that follow the first three: which five bits one of them allows. */
export type TriggerGroup = { triggers: Trigger[]; fourth: number; fifth: number; sixth: number };

export const MASK = 0x7fff;

export function buildTriggerTable(all: readonly Trigger[]): TriggerTable {
  const isMarked = new Uint8Array(MASK + 1);
  const groups = new Array<TriggerGroup | undefined>(MASK + 1);
  for (const trigger of all) {
    const key = keyAt(trigger.literal, 0);
    const group = groups[key] ?? { triggers: [], fourth: 0, fifth: 0, sixth: 0 };
    groups[key] = group;
    group.triggers.push(trigger);
    const { literal } = trigger;
    group.fourth |= bitOf(literal.charCodeAt(3));
    group.fifth |= bitOf(literal.charCodeAt(4));
    group.sixth |= bitOf(literal.charCodeAt(5));
    isMarked[hashAt(literal, 0)] = 1;
  }
  return { isMarked, groups };
}

/** What follows a literal that ends earlier may be anything. */
const bitOf = (code: number): number => (Number.isNaN(code) ? -1 : 1 << (code & 31));

/** Most texts that begin with the same three letters go on otherwise. */
export function goesOn({ fourth, fifth, sixth }: TriggerGroup, text: string, at: number): boolean {
  return (
    (fourth & (1 << (text.charCodeAt(at + 3) & 31))) !== 0 &&
    (fifth & (1 << (text.charCodeAt(at + 4) & 31))) !== 0 &&
    (sixth & (1 << (text.charCodeAt(at + 5) & 31))) !== 0
  );
}

function hashAt(text: string, at: number): number {
  return ((text.charCodeAt(at) & 31) << 10) | ((text.charCodeAt(at + 1) & 31) << 5) | (text.charCodeAt(at + 2) & 31);
}

/** Where in `groups` those are that may begin here. The bit that tells cases apart is set. */
export function keyAt(text: string, at: number): number {
  const one = text.charCodeAt(at) | 32;
  const two = text.charCodeAt(at + 1) | 32;
  const three = text.charCodeAt(at + 2) | 32;
  return (one * 1031 + two * 67 + three) & MASK;
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

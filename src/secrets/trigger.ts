// The pre-filter: points to the few places of a text where a secret may begin, in one cheap pass.
import type { Find } from './span.ts';

export type Trigger = {
  /** At least three characters. */
  literal: string;
  ignoreCase: boolean;
  find: Find;
};

/**
 * Three letters hash to 15 bits, five of each: quick to roll along a text. Five bits of a letter are the same in upper and lower case,
 * so one table serves words and exact prefixes alike. A blank and a backtick have the same five bits, too: what is marked is looked up by
 * a second hash of nearly all bits, and what still collides is sorted out by comparing the literal.
 */
export type TriggerTable = { isMarked: Uint8Array; triggers: (Trigger[] | undefined)[] };

export const MASK = 0x7fff;

export function buildTriggerTable(all: readonly Trigger[]): TriggerTable {
  const isMarked = new Uint8Array(MASK + 1);
  const triggers: Trigger[][] = Array.from({ length: MASK + 1 });
  for (const [key, group] of Map.groupBy(all, (trigger) => keyAt(trigger.literal, 0))) triggers[key] = group;
  for (const { literal } of all) isMarked[hashAt(literal, 0)] = 1;
  return { isMarked, triggers };
}

function hashAt(text: string, at: number): number {
  return ((text.charCodeAt(at) & 31) << 10) | ((text.charCodeAt(at + 1) & 31) << 5) | (text.charCodeAt(at + 2) & 31);
}

/** Where in `triggers` those are that may begin here. The bit that tells cases apart is set. */
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

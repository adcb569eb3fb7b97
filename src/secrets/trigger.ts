// The pre-filter: points to the few places of a text where a secret may begin, in one cheap pass.
import type { Find } from './span.ts';

export type Trigger = {
  /** At least three characters. */
  literal: string;
  ignoreCase: boolean;
  find: Find;
};

/**
 * Three letters hash to 15 bits, five of each. Five bits of a letter are the same in upper and lower case, so one table serves
 * words and exact prefixes alike; what collides is sorted out by comparing the literal.
 */
export type TriggerTable = { isMarked: Uint8Array; triggers: Map<number, Trigger[]> };

export const MASK = 0x7fff;

export function buildTriggerTable(all: readonly Trigger[]): TriggerTable {
  const isMarked = new Uint8Array(MASK + 1);
  const triggers = Map.groupBy(all, (trigger) => hashAt(trigger.literal, 0));
  for (const hash of triggers.keys()) isMarked[hash] = 1;
  return { isMarked, triggers };
}

export function hashAt(text: string, at: number): number {
  return ((text.charCodeAt(at) & 31) << 10) | ((text.charCodeAt(at + 1) & 31) << 5) | (text.charCodeAt(at + 2) & 31);
}

export function isTriggered(trigger: Trigger, text: string, at: number): boolean {
  if (!trigger.ignoreCase) return text.startsWith(trigger.literal, at);
  const { literal } = trigger;
  // The bit that tells cases apart is set.
  for (let i = 0; i < literal.length; i++) {
    const [code, wanted] = [text.charCodeAt(at + i), literal.charCodeAt(i)];
    if (code !== wanted && (code | 32) !== wanted) return false;
  }
  return true;
}

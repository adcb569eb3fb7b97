// What is known of damage to memory.db. Kept beside it, because a damaged database may not say so itself.
import { existsSync, rmSync } from 'node:fs';
import { readOwnFile, writeOwnFile } from '../own-files.ts';
import type { Paths } from '../paths.ts';
import type { Lost } from './mark.ts';

export type Damage = {
  since: string;
  /** Sentences without their full stop. */
  what: string[];
  /** The command that does. */
  howToMend: string;
  /** A repair by itself would have lost something: a person decides. */
  isTried: boolean;
  /** Rows that were there, of which no page tells any more. */
  lost: Lost | null;
};

export const HOW_TO_MEND = 'claude-mem repair';
const MOST = 10;

/** Null: none is known. */
export function readDamage({ damage }: Pick<Paths, 'damage'>): Damage | null {
  if (!existsSync(damage)) return null;
  try {
    const { since, what, isTried, lost = null }: Damage = JSON.parse(readOwnFile(damage));
    if (!Array.isArray(what)) throw new Error('it is not what we write');
    return { since, what, isTried, lost, howToMend: HOW_TO_MEND };
  } catch {
    // That there is such a file says enough.
    return { since: '', what: ['it was found damaged'], howToMend: HOW_TO_MEND, isTried: false, lost: null };
  }
}

export type Noted = { isTried?: boolean; lost?: Lost | null };

/** True when there was none known before. */
export function noteDamage(paths: Pick<Paths, 'damage'>, what: string[], noted: Noted = {}): boolean {
  const known = readDamage(paths);
  const all = [...new Set([...(known?.what ?? []), ...what])].slice(0, MOST);
  const { isTried = known?.isTried ?? false, lost = known?.lost ?? null } = noted;
  const next = { since: known?.since || new Date().toISOString(), what: all, isTried, lost };
  const { howToMend: _, ...before } = known ?? { howToMend: '' };
  if (JSON.stringify(before) !== JSON.stringify(next)) writeOwnFile(paths.damage, JSON.stringify(next));
  return known === null;
}

export function clearDamage({ damage }: Pick<Paths, 'damage'>): void {
  rmSync(damage, { force: true });
}

/** One line for a person. */
export const describeDamage = ({ what, howToMend }: Damage) =>
  `The memory is damaged (${what[0] ?? 'its file'}). To repair it, run: ${howToMend}`;

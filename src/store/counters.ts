// counters: every drop, truncation and refusal, shown by `status`. notices: what the user was told or asked once.
import type { Database } from 'bun:sqlite';
import { isPassing } from '../core/passing-fault.ts';
import { isoTime } from '../core/time.ts';
import { exists, readAll, readColumn, readFirst } from './read.ts';

export function count(db: Database, name: string, at: number, by = 1): void {
  const sql = `INSERT INTO counters (name, value, updated_at) VALUES ($name, $by, $iso)
    ON CONFLICT (name) DO UPDATE SET value = value + $by, updated_at = $iso`;
  db.query(sql).run({ name, by, iso: isoTime(at) });
}

export function readCounters(db: Database): Record<string, number> {
  const rows = readAll<{ name: string; value: number }>(db, 'SELECT name, value FROM counters ORDER BY name');
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

export function readCounterAt(db: Database, name: string): { value: number; at: number } | null {
  const row = readFirst<{ value: number; updated_at: string }>(db, 'SELECT value, updated_at FROM counters WHERE name = ?', name);
  return row && { value: row.value, at: Date.parse(row.updated_at) };
}

export const refusalNotice = (access: string) => `auth:${access}`;

const HIDDEN = 'hidden-by-agent:';

/** That an agent hid a memory, of which the user is still to hear. */
export const hiddenNotice = (id: string) => `${HIDDEN}${id}`;

/** The ids of what agents hid since the user last heard of it. */
export const listHiddenByAgents = (db: Database): string[] => listNotices(db, HIDDEN);

/** What follows this prefix in the names of notices, oldest first. */
export const listNotices = (db: Database, prefix: string): string[] =>
  readColumn<string>(db, 'SELECT name FROM notices WHERE name GLOB ? ORDER BY created_at, name', `${prefix}*`).map((name) =>
    name.slice(prefix.length),
  );

/** It may be told again. */
export function dropNotice(db: Database, name: string): void {
  tryToWrite(() => db.query('DELETE FROM notices WHERE name = ?').run(name));
}

/** That a session got this rule of the user. */
export const ruleNotice = (id: number | string) => `rule:${id}`;

export const ruleOfferNotice = (id: number | string) => `rule-everywhere:${id}`;

export const isNoticed = (db: Database, name: string): boolean => exists(db, 'SELECT 1 FROM notices WHERE name = ?', name);

/** True the first time. */
export function takeNotice(db: Database, name: string, at: number): boolean {
  // Mostly it was told long ago: then nothing is written.
  if (isNoticed(db, name)) return false;
  const insert = db.query('INSERT OR IGNORE INTO notices (name, created_at) VALUES (?, ?)');
  return (tryToWrite(() => insert.run(name, isoTime(at))) ?? 0) > 0;
}

/** Null when the store takes nothing just now: then nobody is told, and the next session is. */
function tryToWrite(write: () => { changes: number }): number | null {
  try {
    return write().changes;
  } catch (error) {
    if (isPassing(error)) return null;
    throw error;
  }
}

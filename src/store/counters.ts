// counters: every drop, truncation and refusal is counted here and shown by `status`.
import type { Database } from 'bun:sqlite';
import { isoTime } from '../core/time.ts';
import { readAll, readFirst } from './read.ts';

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

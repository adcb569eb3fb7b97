// sync_state: a few values by name: the device, its clock, how far each space has been read.
import type { Database } from 'bun:sqlite';
import { readValue } from '../store/read.ts';

export const readState = (db: Database, name: string): string | null =>
  readValue<string>(db, 'SELECT value FROM sync_state WHERE name = ?', name);

export const writeState = (db: Database, name: string, value: string): void =>
  void db
    .query('INSERT INTO sync_state (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value')
    .run(name, value);

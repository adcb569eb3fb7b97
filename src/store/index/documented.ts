// That every memory has its document: said once the last one of an older schema got it. New ones come with theirs.
import type { Database } from 'bun:sqlite';
import { isoTime } from '../time.ts';

const MARK = 'documented';

export const isDocumented = (db: Database) => db.query('SELECT 1 FROM notices WHERE name = ?').get(MARK) !== null;

export function markDocumented(db: Database, at: number): void {
  db.query('INSERT OR IGNORE INTO notices (name, created_at) VALUES (?, ?)').run(MARK, isoTime(at));
}

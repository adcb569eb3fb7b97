// Whether the index of words is whole.
import type { Database } from 'bun:sqlite';

export const WORD_TABLES = ['words', 'fragments'] as const;
export type WordTable = (typeof WORD_TABLES)[number];

/** Reads all of it, in one statement: a second for 50,000 documents. Not whether it says what they say: that is the triggers' part. */
export function isWhole(db: Database, table: WordTable): boolean {
  try {
    db.run(`INSERT INTO ${table} (${table}, rank) VALUES ('integrity-check', 0)`);
    return true;
  } catch {
    // Whatever it cannot read: made anew, it can.
    return false;
  }
}

/** The same without a lock, for a process that others must not wait for; and no words of what is gone. An SQLite before 3.44 sees only these. */
export function isSound(db: Database, table: WordTable): boolean {
  try {
    const [told] = db.query<{ integrity_check: string }, []>(`PRAGMA integrity_check(${table})`).all();
    const ghost = db.query(`SELECT 1 FROM ${table}_docsize WHERE id NOT IN (SELECT id FROM documents) LIMIT 1`).get();
    return told?.integrity_check === 'ok' && ghost === null;
  } catch {
    // As above.
    return false;
  }
}

export function rebuildTable(db: Database, table: WordTable): void {
  db.run(`INSERT INTO ${table} (${table}) VALUES ('rebuild')`);
}

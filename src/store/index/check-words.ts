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

export function rebuildTable(db: Database, table: WordTable): void {
  db.run(`INSERT INTO ${table} (${table}) VALUES ('rebuild')`);
}

// Whether the database on the disk can be read: a fresh connection sees what the pages say that an open one still has in memory.
// Never by reading the file itself: to close it would take away the locks that SQLite holds on it.
import { Database } from 'bun:sqlite';
import { APPLICATION_ID } from './open.ts';

const PATIENCE_MS = 250;

/** Reads the first row of every table, which takes a millisecond; throws what SQLite says. */
export function probeStore(path: string): void {
  const db = new Database(path, { readonly: true });
  try {
    db.run(`PRAGMA busy_timeout = ${PATIENCE_MS}`);
    const id = db.query<{ application_id: number }, []>('PRAGMA application_id').get()?.application_id;
    if (id !== APPLICATION_ID) throw new Error('it is empty, or of another program');
    const tables = db
      .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0")
      .all();
    for (const { name } of tables) db.query(`SELECT 1 FROM "${name}" NOT INDEXED LIMIT 1`).get();
  } finally {
    db.close();
  }
}

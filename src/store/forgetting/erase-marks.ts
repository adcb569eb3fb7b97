// That an erasure is under way, and emptying the log of the database: until then the erased rows still stand in it.
import type { Database } from 'bun:sqlite';
import { BUSY_TIMEOUT_MS } from '../open.ts';
import { checkpoint } from '../page-sums.ts';

const MARK = 'erasing';

/** In the transaction that erases: whatever happens after it, somebody goes on. */
export function markErasing(db: Database, at: string): void {
  db.query('INSERT OR IGNORE INTO notices (name, created_at) VALUES (?, ?)').run(MARK, at);
}

export const isErasing = (db: Database) => db.query('SELECT 1 FROM notices WHERE name = ?').get(MARK) !== null;

export function clearErasing(db: Database): void {
  db.query(`DELETE FROM notices WHERE name = ? OR name GLOB '${PROJECT}*'`).run(MARK);
}

const PROJECT = 'erasing:project:';

/** All of a project is to go. */
export function markErasingProject(db: Database, projectId: number, at: string): void {
  db.query('INSERT OR IGNORE INTO notices (name, created_at) VALUES (?, ?)').run(`${PROJECT}${projectId}`, at);
}

export const listErasingProjects = (db: Database): number[] =>
  db
    .query<{ name: string }, []>(`SELECT name FROM notices WHERE name GLOB '${PROJECT}*'`)
    .all()
    .map(({ name }) => Number(name.slice(PROJECT.length)));

/** False when another connection is reading: it is not waited for here, where hooks would wait, too. */
export function emptyLog(db: Database): boolean {
  db.run('PRAGMA busy_timeout = 0');
  try {
    return checkpoint(db, 'TRUNCATE');
  } finally {
    db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}

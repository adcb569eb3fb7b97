// That an erasure is under way, and emptying the log of the database: until then the erased rows still stand in it.
import type { Database } from 'bun:sqlite';
import { isNoticed, listNotices } from '../store/notices.ts';
import { BUSY_TIMEOUT_MS } from '../store/open.ts';
import { checkpoint } from '../store/page-sums.ts';
import { isoTime } from '../store/time.ts';

const note = (db: Database, name: string, at: number) =>
  db.query('INSERT OR IGNORE INTO notices (name, created_at) VALUES (?, ?)').run(name, isoTime(at));

const PROJECT = 'erasing:project:';

/** In the transaction that erases: whatever happens after it, somebody goes on. `projectId`: all of a project is to go. */
export function markErasing(db: Database, at: number, projectId: number | null = null): void {
  note(db, 'erasing', at);
  if (projectId !== null) note(db, `${PROJECT}${projectId}`, at);
}

export const isErasing = (db: Database) => isNoticed(db, 'erasing');

export function clearErasing(db: Database): void {
  db.run(`DELETE FROM notices WHERE name = 'erasing' OR name GLOB '${PROJECT}*'`);
}

export const listErasingProjects = (db: Database): number[] => listNotices(db, PROJECT).map(Number);

/** False when another connection is reading: it is not waited for here, where hooks would wait, too. */
export function emptyLog(db: Database): boolean {
  db.run('PRAGMA busy_timeout = 0');
  try {
    return checkpoint(db, 'TRUNCATE');
  } finally {
    db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}

/** Of backups. `stale`: a new one takes their place. `unscanned`: they are looked through by the rules of now. */
type CopiesState = 'stale' | 'unscanned';

export function markCopies(db: Database, state: CopiesState, at = Date.now()): void {
  note(db, `${state}-copies`, at);
}

export const areCopies = (db: Database, state: CopiesState) => isNoticed(db, `${state}-copies`);

export function clearCopies(db: Database, state: CopiesState): void {
  db.query('DELETE FROM notices WHERE name = ?').run(`${state}-copies`);
}

// That an erasure is under way, and emptying the log of the database: until then the erased rows still stand in it.
import type { Database } from 'bun:sqlite';
import { formatRef, type MemoryRef, parseRef } from '../core/memory.ts';
import { isoTime } from '../core/time.ts';
import { isNoticed, listNotices } from './counters.ts';
import { checkpoint } from './page-sums.ts';
import { readValue } from './read.ts';

const note = (db: Database, name: string, at: number) =>
  db.query('INSERT OR IGNORE INTO notices (name, created_at) VALUES (?, ?)').run(name, isoTime(at));

const [PROJECT, MEMORY, TEXT, PIECE] = ['erasing:project:', 'erasing:memory:', 'erasing:text:', 'erasing:piece:'];

/** What is to go besides sessions, which are buried: all of a project, memories, a text wherever it is. */
type Erasing = { projectIds: number[]; refs: MemoryRef[]; texts: string[] };
const NOTHING: Erasing = { projectIds: [], refs: [], texts: [] };

/** In the transaction that erases, or before the first: whatever happens after it, somebody goes on. */
export function markErasing(db: Database, at: number, { projectIds, refs, texts } = NOTHING): void {
  note(db, 'erasing', at);
  for (const id of projectIds) note(db, `${PROJECT}${id}`, at);
  for (const ref of refs) note(db, `${MEMORY}${formatRef(ref)}`, at);
  for (const text of texts) note(db, `${TEXT}${text}`, at);
}

/** In the transaction in which the memory goes that said them: they are still to be looked for elsewhere. */
export function markPieces(db: Database, pieces: string[], at: number): void {
  for (const piece of pieces) note(db, `${PIECE}${piece}`, at);
}

export const isErasing = (db: Database) => isNoticed(db, 'erasing');

export const listErasing = (db: Database): Erasing & { pieces: string[] } => ({
  projectIds: listNotices(db, PROJECT).map(Number),
  refs: listNotices(db, MEMORY).flatMap((id) => parseRef(id) ?? []),
  texts: listNotices(db, TEXT),
  pieces: listNotices(db, PIECE),
});

/** Before the log is emptied: they would be left in it. */
export function clearWords(db: Database): void {
  db.run(`DELETE FROM notices WHERE name GLOB '${TEXT}*' OR name GLOB '${PIECE}*'`);
}

export function clearErasing(db: Database): void {
  db.run("DELETE FROM notices WHERE name = 'erasing' OR name GLOB 'erasing:*'");
}

/** False when another connection is reading: it is not waited for here, where hooks would wait, too. */
export function emptyLog(db: Database): boolean {
  const patience = readValue<number>(db, 'PRAGMA busy_timeout');
  db.run('PRAGMA busy_timeout = 0');
  try {
    return checkpoint(db, 'TRUNCATE');
  } finally {
    db.run(`PRAGMA busy_timeout = ${patience}`);
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

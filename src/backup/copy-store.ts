// What the process of copies.ts does with a copy: makes it, looks whether it is sound, and takes out of it what was forgotten.
import { Database } from 'bun:sqlite';
import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { findSession } from '../capture/sessions.ts';
import { formatRef, type MemoryRef } from '../core/memory.ts';
import type { Pieces } from '../core/same-words.ts';
import { createTally, eraseMemories } from '../forget/erase.ts';
import { findInFile } from '../forget/remains.ts';
import { holdsSecret } from '../forget/rescan.ts';
import { burySessions, eraseElsewhere, eraseSessionPart } from '../forget/scope.ts';
import { readRows } from '../memory/read.ts';
import { sizeOf } from '../own-files.ts';
import type { Paths } from '../paths.ts';
import { findProject } from '../projects/projects.ts';
import { scourWords } from '../store/documents.ts';
import { MIGRATIONS, type Migration } from '../store/migrations/index.ts';
import { APPLICATION_ID, isDamage, openStore } from '../store/open.ts';
import { readAll, readColumn, readValue } from '../store/read.ts';
import { readThrough } from './check.ts';
import { isRegular, listAll, listCopies, NO_FILE } from './copies.ts';
import { removeDatabase, syncFile } from './swap.ts';

/** One statement of SQLite's, which reads one moment of the database while others write on. */
export function copyStore({ database, target }: { database: string; target: string }): void {
  const part = `${target}.part`;
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  rmSync(part, { force: true });
  writeFileSync(part, '', { mode: 0o600, flag: 'wx' });
  const db = new Database(database, { readonly: true });
  try {
    db.run('PRAGMA busy_timeout = 5000');
    db.query('VACUUM INTO ?').run(part);
  } finally {
    db.close(true);
  }
  const problems = readThrough(part, true);
  if (problems.length > 0) throw new Error(`The copy is not sound: ${problems.join('; ')}`);
  chmodSync(part, 0o600);
  syncFile(part);
  renameSync(part, target);
  syncFile(dirname(target));
}

export function describeCopy(path: string): { problem: string | null; version: number } {
  if (sizeOf(path) === 0) return { problem: 'it is not there, or empty', version: 0 };
  if (!isRegular(path)) return { problem: NO_FILE, version: 0 };
  const problems = readThrough(path, true);
  if (problems.length > 0) return { problem: problems.join('; '), version: 0 };
  const db = new Database(path, { readonly: true });
  try {
    const isOurs = readValue(db, 'PRAGMA application_id') === APPLICATION_ID;
    return { problem: isOurs ? null : 'it is not a memory of claude-mem', version: readValue<number>(db, 'PRAGMA user_version') ?? 0 };
  } finally {
    db.close(true);
  }
}

/** Attaches the newest copy that is sound to a database of some schema as `copy`. Returns its path; null when there is none. */
export function attachGoodCopy(db: Database, paths: Paths, scratch: string, migrations: Migration[]): string | null {
  const version = migrations.at(-1)?.version ?? 0;
  for (const { path } of listCopies(paths)) {
    const own = describeCopy(path);
    if (own.problem !== null || own.version > version) continue;
    if (own.version < version) {
      copyFileSync(path, scratch);
      openStore(scratch, migrations).close(true);
    }
    db.run(`ATTACH '${(own.version < version ? scratch : path).replaceAll("'", "''")}' AS copy`);
    return path;
  }
  return null;
}

/** Copies in which the rules of now find a secret go, and so does what cannot be looked through. Returns how many. */
export function dropUnclean(paths: Paths): number {
  const unclean = listAll(paths).filter((path) => !isClean(path));
  for (const path of unclean) removeDatabase(path);
  return unclean.length;
}

function isClean(path: string): boolean {
  let db: Database | null = null;
  try {
    db = new Database(path, { readonly: true });
    return !holdsSecret(db);
  } catch {
    return false; // a damaged one that was put aside: nobody knows what is in it
  } finally {
    db?.close(true);
  }
}

export type ForgetOrder = {
  paths: Paths;
  refs: MemoryRef[];
  /** Whole sessions, by the agent's id, and a whole project, by its key. */
  sessions: string[];
  project: string | null;
  pieces: Pieces;
  at: number;
};

/** `holding`: databases with pieces of the text that are still in them. */
type ForgottenCopies = { cleaned: number; dropped: number; holding: { path: string; pieces: string[] }[] };

export async function forgetInCopies(order: ForgetOrder): Promise<ForgottenCopies> {
  const { paths, pieces } = order;
  const counts = { cleaned: 0, dropped: 0 };
  for (const { path } of listCopies(paths)) counts[forgetIn(path, order)]++;
  const holding = [];
  for (const path of listAll(paths)) {
    const files = [path, `${path}-wal`, `${path}-journal`].filter((file) => existsSync(file));
    const found = await Promise.all(files.map((file) => findInFile(file, [...pieces.telling, ...pieces.words])));
    if (found.flat().length > 0) holding.push({ path, pieces: found.flat() });
  }
  return { ...counts, holding };
}

/** One of another schema, or one that is damaged, cannot be gone through by the same code. */
function forgetIn(path: string, order: ForgetOrder): 'cleaned' | 'dropped' {
  const { problem, version } = describeCopy(path);
  if (problem !== null || version !== MIGRATIONS.at(-1)?.version) {
    rmSync(path, { force: true });
    return 'dropped';
  }
  const db = openStore(path);
  try {
    const known = readRows(db, order.refs, { withHidden: true });
    const here = order.refs.filter((ref) => known.has(formatRef(ref)));
    if (here.length > 0) db.transaction(() => eraseMemories(db, here, { at: order.at })).immediate();
    db.transaction(() => forgetScope(db, order)).immediate();
    for (let isClean = false; !isClean; ) isClean = scourWords(db);
    // A copy is one file.
    db.run('PRAGMA journal_mode = DELETE');
  } finally {
    db.close(true);
  }
  return 'cleaned';
}

function forgetScope(db: Database, { sessions, project, at }: ForgetOrder): void {
  const tally = createTally();
  const ids = sessions.flatMap((name) => findSession(db, name)?.id ?? []);
  burySessions(db, ids, at);
  for (const id of ids) while (!eraseSessionPart(db, id, tally, at));
  const projectId = project === null ? null : (findProject(db, project)?.id ?? null);
  if (projectId !== null) while (!eraseElsewhere(db, projectId, tally, at));
}

/**
 * What members of a team took back or changed: of theirs only what is here stays in copies, and nothing of the user's is
 * touched. Returns from how many it went.
 */
export function takeBackInCopies(paths: Paths): number {
  const here = new Set(listOthers(paths.database).map(({ name }) => name));
  let cleaned = 0;
  for (const path of listAll(paths)) {
    const gone = listOthersIn(path).filter(({ name }) => !here.has(name));
    if (gone.length === 0) continue;
    const db = openStore(path);
    try {
      const remove = db.query('DELETE FROM observations WHERE id = ?');
      db.transaction(() => gone.forEach(({ id }) => void remove.run(id))).immediate();
      for (let isClean = false; !isClean; ) isClean = scourWords(db);
      db.run('PRAGMA journal_mode = DELETE');
    } finally {
      db.close(true);
    }
    cleaned++;
  }
  return cleaned;
}

const OTHERS = `SELECT id, author || ' ' || created_at_epoch || ' ' || hash AS name FROM observations WHERE author IS NOT NULL`;
function listOthers(path: string): { id: number; name: string }[] {
  const db = new Database(path, { readonly: true });
  try {
    // 0.1.0 knew nobody else's.
    const isKnown = readColumn<string>(db, "SELECT name FROM pragma_table_info('observations')").includes('author');
    return isKnown ? readAll<{ id: number; name: string }>(db, OTHERS) : [];
  } finally {
    db.close(true);
  }
}

/** None of one that was put aside because it cannot be read: it may be all that there is of the user's. */
function listOthersIn(copy: string): ReturnType<typeof listOthers> {
  try {
    return listOthers(copy);
  } catch (error) {
    if (isDamage(error)) return [];
    throw error;
  }
}

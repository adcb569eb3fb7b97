// What is forgotten goes from the backups, too: the same deletion runs on each of them, and what still holds a word of it is named.
import type { Database } from 'bun:sqlite';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { formatRef, type MemoryRef } from '../core/memory.ts';
import type { Pieces } from '../core/telling-pieces.ts';
import { eraseMemories } from '../forget/erase.ts';
import { burySessions, createTally, eraseElsewhere, eraseSessionPart } from '../forget/scope.ts';
import type { Paths } from '../paths.ts';
import { findInFile } from '../store/forgetting/find-bytes.ts';
import { scourWords } from '../store/index/documents.ts';
import { readRows } from '../store/memories/memories.ts';
import { MIGRATIONS } from '../store/migrations/index.ts';
import { openStore } from '../store/open.ts';
import { findProject } from '../store/projects/projects.ts';
import { findSession } from '../store/sessions/sessions.ts';
import { describeCopy, listCopies } from './copies.ts';
import { ASIDE } from './swap.ts';

export type ForgetOrder = {
  paths: Paths;
  refs: MemoryRef[];
  /** Whole sessions, by the agent's id, and a whole project, by its key. */
  sessions: string[];
  project: string | null;
  pieces: Pieces;
  at: number;
};

/** `holding`: files with pieces of the text that are still in them. */
export type ForgottenCopies = { cleaned: number; dropped: number; holding: { path: string; pieces: string[] }[] };

export async function forgetInCopies(order: ForgetOrder): Promise<ForgottenCopies> {
  const { paths, pieces } = order;
  const counts = { cleaned: 0, dropped: 0 };
  for (const { path } of listCopies(paths)) counts[forgetIn(path, order)]++;
  const holding = [];
  for (const path of listHolders(paths)) {
    const found = await findInFile(path, [...pieces.telling, ...pieces.words]);
    if (found.length > 0) holding.push({ path, pieces: found });
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
    if (here.length > 0)
      db.transaction(() => eraseMemories(db, here, { at: order.at, onPieces: () => undefined })).immediate();
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

/** The copies, and the databases that a repair or a restore has put aside. */
function listHolders(paths: Paths): string[] {
  if (!existsSync(paths.backups)) return [];
  const aside = readdirSync(paths.backups).filter((name) => ASIDE.test(name.replace(/-(wal|journal)$/, '')));
  return [...listCopies(paths).map(({ path }) => path), ...aside.map((name) => `${paths.backups}/${name}`)];
}

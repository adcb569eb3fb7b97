// Puts a copy into the place of memory.db. What was forgotten since it was made stays forgotten.
import { Database } from 'bun:sqlite';
import { chmodSync, copyFileSync, statSync } from 'node:fs';
import { hashLongText, hashPrompt } from '../core/ids.ts';
import { MEMORY_TABLES, type MemoryRef } from '../core/memory.ts';
import { eraseMemories } from '../forget/erase.ts';
import { createTally, eraseSessionPart, listBuriedSessions } from '../forget/scope.ts';
import type { Paths } from '../paths.ts';
import { scourWords } from '../store/documents.ts';
import { MIGRATIONS } from '../store/migrations/index.ts';
import { openStore } from '../store/open.ts';
import { readColumn } from '../store/read.ts';
import { isForgotten, type NamedEvent, nameEvent } from '../store/tombstones.ts';
import { FORGOTTEN } from '../turns/take-out.ts';
import { readThrough } from './check.ts';
import { describeCopy } from './copies.ts';
import { keepIds, readMark } from './damage.ts';
import { openPageFile, readShapes, salvage } from './salvage.ts';
import { alone, dropFresh, freshPath, removeDatabase, swapIn } from './swap.ts';

export type RestoreOrder = { paths: Paths; copy: string };
/** `forgotten`: memories of the copy that had been forgotten since. */
export type RestoreReport = { keptAs: string; forgotten: number };

/** Nobody has the database open. Killed at any moment, the old one or the new one is whole. */
export const restoreStore = (order: RestoreOrder): RestoreReport => alone(order.paths, () => restore(order));

function restore({ paths, copy }: RestoreOrder): RestoreReport {
  const { problem, version } = describeCopy(copy);
  if (problem !== null) throw new Error(`${copy} cannot be restored: ${problem}. Nothing was changed.`);
  const newest = MIGRATIONS.at(-1)?.version ?? 0;
  if (version > newest)
    throw new Error(`${copy} was written by a newer claude-mem (schema ${version}, this one knows ${newest}). Update it.`);
  const fresh = freshPath(paths);
  dropFresh(paths);
  try {
    copyFileSync(copy, fresh);
    chmodSync(fresh, 0o600);
    const forgotten = forgetAgain(paths, fresh);
    const problems = readThrough(fresh, true);
    if (problems.length > 0) throw new Error(`The restored database is not sound: ${problems.join('; ')}.`);
    // Its vectors carry ids of documents that come to mean others.
    removeDatabase(paths.indexDatabase);
    return { keptAs: swapIn(paths, new Date()), forgotten };
  } finally {
    dropFresh(paths);
  }
}

function forgetAgain(paths: Paths, fresh: string): number {
  const db = openStore(fresh);
  try {
    const buried = readTombstones(paths, db);
    const forgotten = db
      .transaction(() => {
        const bury = db.query('INSERT OR IGNORE INTO tombstones (kind, hash, created_at) VALUES (?, ?, ?)');
        for (const { kind, hash, at } of buried) bury.run(kind, hash, at);
        const whole = eraseBuriedSessions(db);
        const refs = [...listBuried(db), ...listDeleted(paths, db)];
        const each = [...new Map(refs.map((ref) => [`${ref.kind}${ref.id}`, ref])).values()];
        if (each.length > 0) eraseMemories(db, each, { at: Date.now(), onPieces: () => undefined });
        wipeBuriedEvents(db);
        keepIds(db, readMark(paths.mark)?.last ?? {});
        return each.length + whole;
      })
      .immediate();
    for (let isClean = forgotten === 0; !isClean; ) isClean = scourWords(db);
    db.run('PRAGMA journal_mode = DELETE');
    return forgotten;
  } finally {
    db.close(true);
  }
}

/** Sessions that were forgotten as a whole; how many memories went. */
function eraseBuriedSessions(db: Database): number {
  const tally = createTally();
  for (const id of listBuriedSessions(db)) while (!eraseSessionPart(db, id, tally, Date.now()));
  return tally.observations + tally.summaries + tally.prompts;
}

type Tombstone = { kind: string; hash: string; at: string };

/** From the pages of the present database, which may be damaged. */
function readTombstones(paths: Paths, db: Database): Tombstone[] {
  if (!statSync(paths.database, { throwIfNoEntry: false })?.size) return [];
  const file = openPageFile(paths.database, paths.pageSums);
  try {
    const found = salvage(file, readShapes(db)).find(({ shape }) => shape.name === 'tombstones');
    return [...(found?.rows() ?? [])].map(({ values: [kind, hash, at] }) => ({
      kind: String(kind),
      hash: String(hash),
      at: String(at),
    }));
  } finally {
    file.close();
  }
}

/** Memories whose words were forgotten. */
function listBuried(db: Database): MemoryRef[] {
  const made = (['observation', 'summary'] as const).flatMap((kind) => {
    const sql = `SELECT id FROM ${MEMORY_TABLES[kind]} WHERE hash IN (SELECT hash FROM tombstones WHERE kind = 'text')`;
    return readColumn<number>(db, sql).map((id) => ({ kind, id }));
  });
  const said = db
    .query<{ id: number; text: string; session: string }, []>(
      "SELECT p.id, p.text, s.host_session_id AS session FROM prompts p JOIN sessions s ON s.id = p.session_id WHERE p.text <> ''",
    )
    .all()
    .filter(({ text, session }) => {
      const long = hashLongText(text);
      return isForgotten(db, 'text', hashPrompt(session, text)) || (long !== null && isForgotten(db, 'text', long));
    });
  return [...made, ...said.map(({ id }) => ({ kind: 'prompt', id }) as const)];
}

/** Memories that the present database has deleted. Of one that is damaged nobody can tell whether they were. */
function listDeleted(paths: Paths, db: Database): MemoryRef[] {
  if (!statSync(paths.database, { throwIfNoEntry: false })?.size || readThrough(paths.database, true).length > 0) return [];
  const present = new Database(paths.database, { readonly: true });
  try {
    return (['observation', 'summary', 'prompt'] as const).flatMap((kind) => {
      const isThere = kind === 'prompt' ? `text NOT IN ('', '${FORGOTTEN}')` : 'true';
      const sql = `SELECT id FROM ${MEMORY_TABLES[kind]} WHERE ${isThere}`;
      const alive = new Set(readColumn<number>(present, sql));
      return readColumn<number>(db, sql).flatMap((id) => (alive.has(id) ? [] : [{ kind, id }]));
    });
  } finally {
    present.close(true);
  }
}

function wipeBuriedEvents(db: Database): void {
  const events = db.query<NamedEvent & { seq: number; id: string }, []>(
    `SELECT seq, e.id, s.host_session_id AS session, kind, prompt_id AS promptId, tool_use_id AS toolUseId,
       CASE WHEN kind = 'prompt' THEN coalesce(json_extract(payload, '$.text'), '') ELSE '' END AS text
     FROM events e JOIN sessions s ON s.id = e.session_id WHERE payload IS NOT NULL`,
  );
  const wipe = db.query("UPDATE events SET payload = NULL, error = NULL, status = 'skipped' WHERE seq = ?");
  for (const event of events.all()) if ([event.id, ...nameEvent(event)].some((name) => isForgotten(db, 'event', name))) wipe.run(event.seq);
}

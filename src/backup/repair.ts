// Makes a sound database of a damaged one: what can be read of it, what the newest good backup has besides, and everything derived anew.
import { Database } from 'bun:sqlite';
import { chmodSync, copyFileSync, existsSync, statSync } from 'node:fs';
import { hashLongText, hashPrompt } from '../core/ids.ts';
import { MEMORY_TABLES, type MemoryRef } from '../core/memory.ts';
import { parseJson } from '../core/plain-json.ts';
import { createTally, eraseMemories } from '../forget/erase.ts';
import { eraseSessionPart, listBuriedSessions } from '../forget/scope.ts';
import type { Paths } from '../paths.ts';
import { documentMore, rebuildWords, scourWords } from '../store/documents.ts';
import { MIGRATIONS } from '../store/migrations/index.ts';
import { openStore } from '../store/open.ts';
import { readSalts } from '../store/page-sums.ts';
import { readAll, readColumn, readValue } from '../store/read.ts';
import { isForgotten, type NamedEvent, nameEvent } from '../store/tombstones.ts';
import { FORGOTTEN } from '../turns/take-out.ts';
import { comparePages, isMany, readThrough } from './check.ts';
import { attachGoodCopy, describeCopy } from './copy-store.ts';
import { keepIds, type Lost, type Mark, type RepairReport, readDamage, readMark, type TableReport } from './damage.ts';
import { type Hole, openPageFile, type Row, readShapes, type Salvaged, type Shape, salvage } from './salvage.ts';
import { alone, dropFresh, freshPath, removeDatabase, swapIn } from './swap.ts';

/** A lost session or project leaves its memories: they get one that says so. `children`: tables with memories of a session. */
const listStandIns = (children: string[]) => [
  `INSERT INTO projects (id, key, name, root, created_at)
     SELECT DISTINCT project_id, 'lost:' || project_id, 'recovered-' || project_id, '', datetime('now')
     FROM (SELECT project_id FROM sessions UNION SELECT project_id FROM observations UNION SELECT project_id FROM summaries)
     WHERE project_id NOT IN (SELECT id FROM projects)`,
  `INSERT INTO projects (key, name, root, created_at) SELECT 'lost:0', 'recovered', '', datetime('now')
    WHERE NOT EXISTS (SELECT 1 FROM projects)`,
  `INSERT INTO sessions (id, host, host_session_id, project_id, cwd, root, title, started_at, started_at_epoch,
    updated_at, updated_at_epoch, status)
     SELECT session_id, 'claude-code', 'lost:' || session_id,
       coalesce((SELECT project_id FROM observations o WHERE o.session_id = lost.session_id LIMIT 1),
         (SELECT project_id FROM summaries s WHERE s.session_id = lost.session_id LIMIT 1), (SELECT min(id) FROM projects)),
       '', '', 'A session that was lost', datetime(min(at) / 1000, 'unixepoch'), min(at),
       datetime(max(at) / 1000, 'unixepoch'), max(at), 'interrupted'
     FROM (${children
       .map((table) => `SELECT session_id, ${table === 'turns' ? 'ended_at_epoch' : 'created_at_epoch'} AS at FROM ${table}`)
       .join(' UNION ALL ')}) AS lost
     WHERE session_id NOT IN (SELECT id FROM sessions) GROUP BY session_id`,
];

const CHILDREN = ['prompts', 'events', 'observations', 'summaries', 'batches', 'turns'];

/** A document without its memory would be found and could not be shown. */
const WITHOUT_MEMORY = `DELETE FROM documents WHERE NOT EXISTS (SELECT 1 FROM observations WHERE kind = 'observation' AND id = ref)
  AND NOT EXISTS (SELECT 1 FROM summaries WHERE kind = 'summary' AND id = ref)
  AND NOT EXISTS (SELECT 1 FROM prompts WHERE kind = 'prompt' AND id = ref)`;

/** Triggers are away during a repair. */
const WITHOUT_SIDES = ['older', 'newer'].map(
  (side) => `DELETE FROM replacements WHERE NOT EXISTS (SELECT 1 FROM observations WHERE ${side}_kind = 'observation' AND id = ${side}_id)
  AND NOT EXISTS (SELECT 1 FROM summaries WHERE ${side}_kind = 'summary' AND id = ${side}_id)
  AND NOT EXISTS (SELECT 1 FROM prompts WHERE ${side}_kind = 'prompt' AND id = ${side}_id)`,
);

/** `isLost`: more is lost than any page tells. */
function linkRows(db: Database, tables: Record<string, TableReport>, isLost: boolean): void {
  const hasLost = (name: string) => isLost || tables[name]?.missing !== 0 || (tables[name]?.fromBackup ?? 0) > 0;
  if (!Object.keys(tables).some(hasLost)) return;
  for (const sql of listStandIns(CHILDREN.filter((table) => tables[table]))) db.run(sql);
  // What goes may be another's other half.
  for (let gone = 1; gone > 0; ) gone = Object.keys(tables).reduce((sum, table) => sum + unlink(db, table), 0);
  db.run(WITHOUT_MEMORY);
  if (tables.replacements) for (const sql of WITHOUT_SIDES) db.run(sql);
  // Hooks are gone, but the transcripts may still know what happened.
  if (['events', 'prompts', 'sessions', 'transcripts'].some(hasLost))
    db.run('UPDATE transcripts SET position = 0, size = 0, mtime = 0, is_over = 0');
}

function unlink(db: Database, table: string): number {
  const ofKeys = 'SELECT "table" AS parent, "from" AS own, "to" AS other, on_delete AS onDelete FROM pragma_foreign_key_list(?)';
  const keys = readAll<{ parent: string; own: string; other: string | null; onDelete: string }>(db, ofKeys, table);
  return keys.reduce((sum, { parent, own, other, onDelete }) => {
    const isLost = `${own} IS NOT NULL AND ${own} NOT IN (SELECT ${other ?? 'id'} FROM ${parent})`;
    const sql = onDelete === 'SET NULL' ? `UPDATE ${table} SET ${own} = NULL` : `DELETE FROM ${table}`;
    return sum + db.query(`${sql} WHERE ${isLost}`).run().changes;
  }, 0);
}

type RepairOrder = { paths: Paths; isDry?: boolean; onlyIfWhole?: boolean };

/** Nobody has the database open. Killed at any moment, the old one or the new one is whole, and what is missing in the new one is told. */
export const repairStore = (order: RepairOrder): RepairReport => alone(order.paths, () => repair(order));

function repair(order: RepairOrder): RepairReport {
  const { paths, isDry = false, onlyIfWhole = false } = order;
  const fresh = freshPath(paths);
  dropFresh(paths);
  try {
    const report = fillFresh(paths, fresh);
    makeDerived(fresh);
    if (isDry || (onlyIfWhole && !report.isWhole)) return report;
    const problems = readThrough(fresh, true);
    if (problems.length > 0) throw new Error(`The repaired database is not sound: ${problems.join('; ')}.`);
    // Nobody knows which ids its vectors carry.
    if (!existsSync(paths.mark)) removeDatabase(paths.indexDatabase);
    return { ...report, keptAs: swapIn(paths, new Date(), report) };
  } finally {
    dropFresh(paths);
  }
}

/** Where the log or the whole file is another one than before, a sound database has pages of another time, not damaged ones. */
function chooseSums(paths: Paths, mark: Mark | null, lost: Lost | null): string {
  const { total, damaged, isUnsure } = comparePages(paths);
  const isLogGone = mark?.log ? readSalts(`${paths.database}-wal`) !== mark.log.salts : false;
  const isOther = lost !== null || isLogGone || isUnsure || isMany(damaged.length, total);
  return isOther && readThrough(paths.database, true).length === 0 ? '' : paths.pageSums;
}

/** The rows, in the schema that they had. */
function fillFresh(paths: Paths, fresh: string): RepairReport {
  const mark = readMark(paths.mark);
  const lost = readDamage(paths)?.lost ?? null;
  const isThere = (statSync(paths.database, { throwIfNoEntry: false })?.size ?? 0) > 0;
  const file = isThere ? openPageFile(paths.database, chooseSums(paths, mark, lost)) : null;
  const version = Math.max(file?.userVersion ?? 0, mark?.schema ?? 0) || Number.POSITIVE_INFINITY;
  const migrations = MIGRATIONS.filter((step) => step.version <= version);
  const db = openStore(fresh, migrations);
  try {
    for (const setting of ['journal_mode = OFF', 'synchronous = OFF', 'foreign_keys = OFF']) db.run(`PRAGMA ${setting}`);
    const shapes = readShapes(db).filter(({ name }) => !isDerived(name));
    const rest = takeAway(db);
    const salvaged = file ? salvage(file, shapes) : shapes.map(nothingOf);
    const backup = attachGoodCopy(db, paths, `${fresh}.copy`, migrations);
    db.run('BEGIN');
    const fill = (one: Salvaged) => fillTable(db, one, { hasBackup: backup !== null, lost: lost?.[one.shape.name] });
    const tables = Object.fromEntries(salvaged.map((one) => [one.shape.name, fill(one)]));
    // Made again from what they are about.
    if (tables.documents) tables.documents.missing = 0;
    if (mark) keepIds(db, mark.last);
    linkRows(db, tables, lost !== null);
    db.run('COMMIT');
    if (backup) db.run('DETACH copy');
    for (const sql of rest) db.run(sql);
    const isWhole = lost === null && Object.values(tables).every(({ missing, byHash }) => missing === 0 && byHash === 0);
    return { tables, backup, isWhole, keptAs: null };
  } finally {
    file?.close();
    db.close(true);
    removeDatabase(`${fresh}.copy`);
  }
}

/** In today's schema: words, and documents of memories that have none. */
function makeDerived(fresh: string): void {
  const db = openStore(fresh);
  try {
    for (const setting of ['journal_mode = OFF', 'synchronous = OFF']) db.run(`PRAGMA ${setting}`);
    rebuildWords(db);
    for (let next: number | null = 0; next !== null; ) next = documentMore(db, next);
  } finally {
    db.close(true);
  }
}

const isDerived = (name: string) => /^(?:words|fragments)_/.test(name);

const nothingOf = (shape: Shape): Salvaged => ({
  shape,
  rows: function* () {
    // None.
  },
  holes: [{ above: Number.NEGATIVE_INFINITY, upTo: Number.POSITIVE_INFINITY }],
  expected: () => null,
});

/** Triggers and indexes, which would be in the way. Returns how to make them again. */
function takeAway(db: Database): string[] {
  const made = "SELECT type, name, sql FROM sqlite_schema WHERE type IN ('trigger','index') AND sql IS NOT NULL ORDER BY type";
  const found = readAll<{ type: string; name: string; sql: string }>(db, made);
  for (const { type, name } of found) db.run(`DROP ${type} ${name}`);
  return found.map(({ sql }) => sql);
}

type Around = { hasBackup: boolean; lost: Lost[string] | undefined };

/** What the backup has of a row counts for more than what is left of it on a damaged page. */
function fillTable(db: Database, { shape, rows, holes, expected }: Salvaged, { hasBackup, lost }: Around): TableReport {
  const report: TableReport = { read: 0, fromBackup: 0, byHash: 0, missing: 0 };
  const byHash: Row[] = [];
  for (const row of rows()) {
    if (row.isByHash) byHash.push(row);
    else report.read += insertRow(db, shape, row);
  }
  if (lost) {
    if (hasBackup) report.fromBackup += takeFromCopy(db, shape, { holes: [lost], wanted: null });
    const found = count(db, `${shape.name} WHERE id > ${lost.above} AND id <= ${lost.upTo}`);
    report.missing = lost.upTo - lost.above - found;
  }
  if (holes.length === 0) return report;
  const wanted = expected();
  if (hasBackup) report.fromBackup += takeFromCopy(db, shape, { holes, wanted });
  for (const row of byHash) report.byHash += insertRow(db, shape, row);
  const missing = wanted === null ? null : Math.max(0, wanted.size - count(db, shape.name)) + (report.missing ?? 0);
  return { ...report, missing };
}

const count = (db: Database, what: string) => readValue<number>(db, `SELECT count(*) FROM ${what}`) ?? 0;

/** A row of an older schema has fewer values than there are columns now: the others have their defaults. */
function insertRow(db: Database, { name, columns, rowidAt }: Shape, { rowid, values, isByHash }: Row): number {
  const names = columns.slice(0, values.length).map((column) => column.name);
  const places = names.map(() => '?').join(', ');
  const all = values.map((value, at) => (at === rowidAt ? rowid : value));
  // No hash covers it, and a list that cannot be read stops whoever reads it.
  const sources = isByHash ? names.indexOf('sources') : -1;
  if (sources >= 0 && !Array.isArray(parseJson(String(all[sources])))) all[sources] = '[]';
  return db.query(`INSERT OR IGNORE INTO ${name} (${names.join(', ')}) VALUES (${places})`).run(...all).changes;
}

type Wanted = { holes: Hole[]; wanted: Set<number> | null };

/** What was deleted for another reason than damage stays deleted: only what lies where something is missing, and what was not forgotten. */
function takeFromCopy(db: Database, { name, columns, rowidAt, isIndexed }: Shape, { holes, wanted }: Wanted): number {
  const names = columns.map((column) => column.name);
  const key = rowidAt < 0 ? 'rowid' : names[rowidAt];
  const alive = names.includes('hash') && rowidAt >= 0 ? "AND hash NOT IN (SELECT hash FROM tombstones WHERE kind = 'text')" : '';
  const take = (where: string, ...values: (string | number)[]) =>
    db
      .query(`INSERT OR IGNORE INTO ${name} (${names.join(', ')}) SELECT ${names.join(', ')} FROM copy.${name} WHERE ${where} ${alive}`)
      .run(...values).changes;
  if (isIndexed) return take('true');
  if (wanted) return take(`${key} IN (SELECT value FROM json_each(?))`, JSON.stringify([...wanted]));
  const bound = (edge: number) => Math.max(-1e15, Math.min(1e15, edge));
  return holes.reduce((sum, { above, upTo }) => sum + take(`${key} > ? AND ${key} <= ?`, bound(above), bound(upTo)), 0);
}

// Puts a copy into the place of memory.db. What was forgotten since it was made stays forgotten.

type RestoreOrder = { paths: Paths; copy: string };
/** `forgotten`: memories of the copy that had been forgotten since. */
type RestoreReport = { keptAs: string; forgotten: number };

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
        if (each.length > 0) eraseMemories(db, each, { at: Date.now() });
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

function listBuried(db: Database): MemoryRef[] {
  const made = (['observation', 'summary'] as const).flatMap((kind) => {
    const sql = `SELECT id FROM ${MEMORY_TABLES[kind]} WHERE hash IN (SELECT hash FROM tombstones WHERE kind = 'text')`;
    return readColumn<number>(db, sql).map((id) => ({ kind, id }));
  });
  const sql = "SELECT p.id, p.text, s.host_session_id AS session FROM prompts p JOIN sessions s ON s.id = p.session_id WHERE p.text <> ''";
  const said = readAll<{ id: number; text: string; session: string }>(db, sql).filter(({ text, session }) => {
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
  const sql = `SELECT seq, e.id, s.host_session_id AS session, kind, prompt_id AS promptId, tool_use_id AS toolUseId,
      CASE WHEN kind = 'prompt' THEN coalesce(json_extract(payload, '$.text'), '') ELSE '' END AS text
    FROM events e JOIN sessions s ON s.id = e.session_id WHERE payload IS NOT NULL`;
  const events = db.query<NamedEvent & { seq: number; id: string }, []>(sql);
  const wipe = db.query("UPDATE events SET payload = NULL, error = NULL, status = 'skipped' WHERE seq = ?");
  for (const event of events.all()) if ([event.id, ...nameEvent(event)].some((name) => isForgotten(db, 'event', name))) wipe.run(event.seq);
}

// The log of this machine: by which name each memory is known elsewhere, when each of its fields was last changed, and what the hub does
// not have yet. Ids, clocks and hashes; the words stay in their tables and are read when they are sent.
import type { Database, SQLQueryBindings } from 'bun:sqlite';
import type { RecordState } from '../core/shapes/sync.ts';
import { exists } from '../store/read.ts';
import { listKinds, type Read, type RecordKind, readEntity } from './entities.ts';
import { type Clock, readState, writeState } from './state.ts';

/** Clocks of the fields that are merged one by one; `here`: whether it is there at all. */
export type Clocks = Record<string, string>;

export type LogRow = {
  space: string;
  entity: string;
  kind: RecordKind;
  /** The row here; '' for none. */
  ref: string;
  /** The version that the hub has. */
  record: string | null;
  clocks: Clocks;
  /** What the fields were when they were last looked at. */
  hashes: Record<string, string>;
  state: RecordState;
  /** Null: the user's own. */
  author: string | null;
  /** The number of the change that the hub does not have; null: it has all. */
  pending: number | null;
  /** A link whose other end has not come yet. */
  waiting: string | null;
};

const COLUMNS = 'space, entity, kind, ref, record, clocks, hashes, state, author, pending, waiting';
type Stored = Omit<LogRow, 'clocks' | 'hashes'> & { clocks: string; hashes: string };
const fromStored = (row: Stored): LogRow => ({ ...row, clocks: JSON.parse(row.clocks), hashes: JSON.parse(row.hashes) });

const select = (db: Database, where: string, ...values: SQLQueryBindings[]): LogRow[] =>
  db
    .query<Stored, SQLQueryBindings[]>(`SELECT ${COLUMNS} FROM sync_records WHERE ${where}`)
    .all(...values)
    .map(fromStored);

export const findLogged = (db: Database, space: string, entity: string): LogRow | null =>
  select(db, 'space = ? AND entity = ?', space, entity)[0] ?? null;

const listOfRow = (db: Database, kind: string, ref: string): LogRow[] => select(db, 'kind = ? AND ref = ?', kind, ref);

/** What a member of the team published, by its row here. */
export const findOthers = (db: Database, ref: string): LogRow | null =>
  listOfRow(db, 'observation', ref).find(({ author }) => author !== null) ?? null;

const TEAMS = "SELECT substr(name, 8) FROM sync_state WHERE name > 'cursor:' AND name < 'cursor;'";
/** Copies that other machines of the user gave to teams: here is no row of them. */
const listCopies = (db: Database, entity: string): LogRow[] =>
  select(db, `entity = ? AND ref = '' AND author IS NULL AND space IN (${TEAMS})`, entity);

/** `onlyGone`: of what is there no longer. */
export const listPending = (db: Database, space: string, limit: number, onlyGone: boolean): LogRow[] =>
  select(
    db,
    "space = ? AND pending IS NOT NULL AND (? = 0 OR state <> 'live') ORDER BY pending LIMIT ? + 0",
    ...[space, Number(onlyGone), limit],
  );

export const listWaiting = (db: Database, space: string): LogRow[] => select(db, 'space = ? AND waiting IS NOT NULL', space);

/** Forgotten on another machine of the user's, and still to be deleted here. */
export const listDoomed = (db: Database, personal: string): LogRow[] =>
  select(db, "space = ? AND state = 'forgotten' AND ref <> '' AND kind <> 'replaced'", personal);

/** Inside a transaction. `at`: since when it waits, if it does. */
export function putLogged(db: Database, row: LogRow, at: number): void {
  db.query(
    `INSERT INTO sync_records (${COLUMNS}, pending_at) VALUES ($space, $entity, $kind, $ref, $record, $clocks, $hashes, $state, $author,
       $pending, $waiting, iif($pending IS NULL, NULL, $at))
     ON CONFLICT (space, entity) DO UPDATE SET kind = $kind, ref = $ref, record = $record, clocks = $clocks, hashes = $hashes,
       state = $state, author = $author, pending = $pending, waiting = $waiting,
       pending_at = iif($pending IS NULL, NULL, coalesce(pending_at, $at))`,
  ).run({ ...row, clocks: JSON.stringify(row.clocks), hashes: JSON.stringify(row.hashes), at });
}

/** Its project stays on this machine: it waits until that changes. */
export function hold(db: Database, { space, entity }: LogRow, projectId: number): null {
  const sql = 'UPDATE sync_records SET held = ?, pending = NULL, pending_at = NULL WHERE space = ? AND entity = ?';
  db.query(sql).run(projectId, space, entity);
  return null;
}

/** What is sent again, be it that its project is now another one. */
export function release(db: Database, isSent: (projectId: number, kind: RecordKind) => boolean, now: number): void {
  type Held = { projectId: number; kind: RecordKind };
  const all = db.query<Held, []>('SELECT DISTINCT held AS projectId, kind FROM sync_records WHERE held IS NOT NULL').all();
  const sql = `UPDATE sync_records SET held = NULL, pending = iif(state = 'live', $seq, pending),
    pending_at = iif(state = 'live', $now, pending_at) WHERE held = $projectId AND kind = $kind`;
  for (const held of all.filter(({ projectId, kind }) => isSent(projectId, kind)))
    db.transaction(() => db.query(sql).run({ ...held, seq: nextSeq(db), now })).immediate();
}

/** Counted over all spaces: `seq` of a record. Inside a transaction. */
export function nextSeq(db: Database): number {
  const seq = Number(readState(db, 'seq') ?? 0) + 1;
  writeState(db, 'seq', String(seq));
  return seq;
}

/**
 * From now on changes are noted; all that is there is a change. Who logs in again keeps the names that their memories have; of another
 * account nothing of before counts. Inside a transaction.
 */
export function beginLog(db: Database, { device, personal }: { device: string; personal: string }): void {
  const isSame = readState(db, 'personal') === personal;
  // The hub chooses the names: a device of the same name in another account is another one.
  if (isSame && readState(db, 'device') === device) return;
  for (const table of isSame ? ['sync_state'] : ['sync_state', 'sync_records', 'sync_changes']) db.run(`DELETE FROM ${table}`);
  db.run('UPDATE sync_records SET record = NULL');
  writeState(db, 'personal', personal);
  writeState(db, 'device', device);
  noteAll(db, null);
}

/** The hub has lost something, as after a restore: it is read from the start, and told all that it should have. Inside a transaction. */
export function startAgain(db: Database, space: string, now: number): void {
  writeState(db, `cursor:${space}`, '0');
  for (const row of select(db, 'space = ? AND author IS NULL', space)) putLogged(db, { ...row, record: null, pending: nextSeq(db) }, now);
  db.query('UPDATE sync_records SET record = NULL WHERE space = ?').run(space);
}

/** Inside a transaction. Null: of all projects. */
export function noteAll(db: Database, projectId: number | null): void {
  for (const { kind, rows } of listKinds(projectId)) {
    const sql = `INSERT OR IGNORE INTO sync_changes (kind, ref) ${rows}`;
    if (projectId === null) db.query(sql).run();
    else if (kind === 'observation' || kind === 'summary') db.query(sql).run({ projectId });
  }
}

export type StampDeps = {
  db: Database;
  clock: Clock;
  now: () => number;
  device: string;
  /** The spaces that this goes to; the personal one first. */
  spacesOf: (read: Read) => string[];
};

const AT_ONCE = 200;

/**
 * What changed since the last time gets its clock. Needs no hub. True while there is more. Before anything from elsewhere is applied all
 * of it must be stamped: so a change that was made after one had been seen is later than that one.
 */
export function stampChanges(deps: StampDeps): boolean {
  const { db } = deps;
  return db
    .transaction(() => {
      // Links come after what they name.
      const rows = db
        .query<Change & { seq: number }, [number]>(
          `SELECT seq, kind, ref, content FROM sync_changes ORDER BY kind = 'replaced', seq LIMIT ? + 0`,
        )
        .all(AT_ONCE);
      for (const { seq, ...change } of rows) {
        stamp(deps, change);
        db.query('DELETE FROM sync_changes WHERE seq = ?').run(seq);
      }
      return rows.length === AT_ONCE;
    })
    .immediate();
}

/** `content`: of a memory that has gone, by what it was known last. It may have been edited right before. */
type Change = { kind: RecordKind; ref: string; content: string | null };

function stamp(deps: StampDeps, { kind, ref, content }: Change): void {
  const { db } = deps;
  const all = listOfRow(db, kind, ref);
  // The number of a link that has gone is given again: what a link is says its name.
  const read = readEntity(db, kind, ref, kind === 'replaced' ? null : (all[0]?.entity ?? null));
  const known = all.filter(({ entity }) => kind !== 'replaced' || entity === read?.entity);
  for (const row of all) if (!known.includes(row)) stampGone(deps, row, null, content);
  const wanted = read === null || known.some(({ author }) => author !== null) ? [] : deps.spacesOf(read);
  for (const row of known) if (!wanted.includes(row.space)) stampGone(deps, row, read, content);
  if (!read) stampCopies(deps, known);
  if (!read) return;
  for (const space of wanted) {
    const row = known.find((one) => one.space === space) ?? findLogged(db, space, read.entity);
    stampHere(deps, space, row, read);
  }
}

/** Deleted here by a person it is forgotten everywhere; hidden, or no longer sent, it is withdrawn. What others wrote goes here alone. */
function stampGone({ db, clock, now }: StampDeps, row: LogRow, read: Read | null, content: string | null): void {
  if (row.state === 'forgotten') return;
  if (row.author !== null) {
    if (read === null) putLogged(db, { ...row, state: 'forgotten', hashes: {}, ref: '' }, now());
    return;
  }
  const isForgotten = read === null && [content, row.hashes.content].some((hash) => hash && isBuried(db, hash));
  if (row.state === 'withdrawn' && !isForgotten) return;
  const clocks = { ...row.clocks, here: clock.next() };
  const withdrawn = { state: 'withdrawn' as const, ...(row.kind === 'replaced' && { ref: '' }) };
  const gone = isForgotten ? { state: 'forgotten' as const, hashes: {}, ref: '' } : withdrawn;
  putLogged(db, { ...row, clocks, ...gone, pending: nextSeq(db) }, now());
}

/** What is forgotten on one machine is so in every team, whichever machine published it. */
function stampCopies({ db, clock, now }: StampDeps, known: LogRow[]): void {
  const forgotten = known.flatMap(({ space, entity }) => findLogged(db, space, entity) ?? []).filter(({ state }) => state === 'forgotten');
  for (const row of forgotten.flatMap(({ entity }) => listCopies(db, entity)))
    if (row.state !== 'forgotten') putLogged(db, forgetCopy(row, clock, nextSeq(db)), now());
}

export const forgetCopy = (row: LogRow, clock: Clock, pending: number): LogRow => ({
  ...row,
  ...{ state: 'forgotten', hashes: {}, ref: '', clocks: { ...row.clocks, here: clock.next() }, pending },
});

const isBuried = (db: Database, content: string) => exists(db, "SELECT 1 FROM tombstones WHERE kind = 'text' AND hash = ?", content);

function stampHere({ db, clock, now }: StampDeps, space: string, row: LogRow | null, { entity, kind, ref, fields, content }: Read): void {
  // Under its name others have published something: it stays theirs.
  if (row?.state === 'forgotten' || (row && row.author !== null)) return;
  const hashes: Record<string, string> = { content };
  const clocks: Clocks = { ...row?.clocks };
  let isChanged = row === null || row.state !== 'live';
  if (isChanged) clocks.here = clock.next();
  for (const [name, field] of Object.entries(fields)) {
    hashes[name] = field.hash;
    if (row && row.hashes[name] === field.hash) continue;
    // What nobody has said anything about gives way to whatever somebody said elsewhere.
    if (row === null && field.isDefault) continue;
    clocks[name] = clock.next();
    isChanged = true;
  }
  const base: LogRow = row ?? { ...NEW, space, entity, kind, ref };
  if (!isChanged && row?.ref === ref) return;
  putLogged(db, { ...base, ref, clocks, hashes, state: 'live', ...(isChanged && { pending: nextSeq(db) }) }, now());
}

export const NEW = { record: null, clocks: {}, hashes: {}, state: 'live' as const, author: null, pending: null, waiting: null };

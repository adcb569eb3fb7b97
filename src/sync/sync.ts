// One machine and its hub: what changed here goes there, what changed elsewhere comes here. Every step can be cut off and done again.
import type { Database } from 'bun:sqlite';
import type { CaptureSettings } from '../capture/judge.ts';
import { authorName, type MemoryRef } from '../core/memory.ts';
import { plainLine } from '../core/plain-line.ts';
import type { Line } from '../core/shapes/export.ts';
import { LONGEST_PAYLOAD, type MeAnswer, MOST_RECORDS, type PulledRecord, type SpaceInfo, type SyncRecord } from '../core/shapes/sync.ts';
import type { Log } from '../log.ts';
import { scrubValue } from '../secrets/scrub.ts';
import { count } from '../store/counters.ts';
import { type ApplyDeps, applyRecord, Body, HIDDEN, type Incoming, RefusedError, settleWaiting } from './apply.ts';
import { HubCallError, type HubClient } from './client.ts';
import { bindingOf, createSealer, type Sealer } from './crypto.ts';
import { hashesOf, type Read, type RecordKind, readEntity } from './entities.ts';
import { isRow, refOf } from './links.ts';
import {
  beginLog,
  findLogged,
  forgetCopy,
  hold,
  type LogRow,
  listDoomed,
  listPending,
  NEW,
  nextSeq,
  putLogged,
  release,
  type StampDeps,
  stampChanges,
  startAgain,
} from './log.ts';
import { type Account, createClock, readPublished, readState, seedOf, setBack, writeClock, writeState } from './state.ts';
import { isOfProject, joinProven } from './wire-project.ts';

export type SyncDeps = {
  db: Database;
  account: Account;
  client: Pick<HubClient, 'me' | 'push' | 'pull'>;
  now: () => number;
  door: () => CaptureSettings;
  /** Whether memories of this project are sent, and the records of its turns with them. */
  policy: (projectId: number) => { isSent: boolean; withTurns: boolean };
  /** Deletes for good, as `claude-mem forget` does. */
  erase: (refs: MemoryRef[]) => Promise<void>;
  /** Bytes of rows that have gone here go from the index, the log and the backups. */
  scour: () => Promise<void>;
  /** So long a request of that many characters waits: the line is not ours alone. */
  rest: (characters: number) => Promise<void>;
  log: Pick<Log, 'warn'>;
  onStored: () => void;
};

export type Sync = Awaited<ReturnType<typeof createSync>>;

export async function createSync(deps: SyncDeps) {
  const { db, account, now } = deps;
  db.transaction(() => beginLog(db, account)).immediate();
  const clock = createClock(db, account.device, now);
  const stamping: StampDeps = { db, clock, now, device: account.device, spacesOf: createSpacesOf(deps) };
  const state: State = {
    ...deps,
    stamping,
    applying: { db, clock, now, door: deps.door },
    sealer: await createSealer(seedOf(account)),
  };
  const stamp = async () => {
    release(db, (projectId, kind) => isSent(deps.policy, projectId, kind), now());
    while (stampChanges(stamping)) await pause();
  };
  return {
    /** Clocks for what changed here: needs no hub. */
    stamp,
    /** Everything there and back. The hub is as far as `known` says. */
    async round(known?: MeAnswer): Promise<MeAnswer> {
      await stamp();
      const me = known ?? (await deps.client.me());
      // What fails in one space keeps none of the others, and no deletion.
      const failures: unknown[] = [];
      await exchange(state, { id: account.personal, project: null }).catch((error) => failures.push(error));
      await eraseDoomed(state);
      for (const space of me.spaces) {
        if (failures.some(isAway)) break;
        if (space.id !== account.personal) await exchange(state, space).catch((error) => failures.push(namedAfter(space, error)));
      }
      if (joinProven(db, now()) > 0) deps.onStored();
      if (readState(db, GONE)) await deps.scour().then(() => writeState(db, GONE, ''));
      if (failures.length > 0) throw failures[0];
      return me;
    },
    /** How far each space has been read. */
    seen: (me: MeAnswer): Record<string, number> =>
      Object.fromEntries([me.personal, ...me.spaces.map(({ id }) => id)].map((space) => [space, readCursor(db, space)])),
  };
}

const isAway = (error: unknown) => error instanceof HubCallError && error.kind === 'away';
const namedAfter = ({ name }: SpaceInfo, error: unknown) =>
  error instanceof HubCallError ? new HubCallError(error.kind, `${plainLine(name, 80)}: ${error.message}`) : error;

type State = SyncDeps & { stamping: StampDeps; applying: ApplyDeps; sealer: Sealer };

/** What somebody else published was taken back or forgotten, and its bytes are still to go. */
const GONE = 'gone';

const pause = () => new Promise<void>((resolve) => setImmediate(resolve));
const readCursor = (db: Database, space: string) => Number(readState(db, `cursor:${space}`) ?? 0);

/** Of a project that stays on this machine no words leave it. */
function isSent(policy: SyncDeps['policy'], projectId: number, kind: RecordKind): boolean {
  const said = policy(projectId);
  return said.isSent && (kind !== 'turn' || said.withTurns);
}

/** Personal first; then every space of a team to which the user gives this kind of memory of this project. */
function createSpacesOf({ db, account }: SyncDeps) {
  return (read: Read): string[] => {
    if (read.projectId === null) return [account.personal];
    const { projectId, kind, fields, label, isRule, isOwn } = read;
    const isGiven = kind === 'observation' && isOwn && fields.wrong?.isDefault === true;
    const teams = [...(isGiven ? readPublished(db) : [])].filter(([, { project, kinds }]) => {
      const isKind = kinds.includes(label) || (isRule && kinds.includes('rule'));
      return isKind && isOfProject(db, projectId, project);
    });
    return [account.personal, ...teams.map(([space]) => space)];
  };
}

/** A conflict means that another machine was faster: what it said comes first, and this is said again on top. */
const MOST_CONFLICTS = 20;

type Space = Pick<SpaceInfo, 'id' | 'project'>;

async function exchange(state: State, space: Space): Promise<void> {
  for (let tried = 0; tried < MOST_CONFLICTS; tried++) {
    await pullAll(state, space);
    try {
      if (!(await pushAll(state, space.id))) return;
    } catch (error) {
      if (error instanceof HubCallError && error.kind === 'ahead' && setBackAll(state)) continue;
      // Where the hub takes nothing new, what was taken back or forgotten still goes from it.
      if (!isAway(error)) await pushAll(state, space.id, true);
      throw error;
    }
  }
  throw new Error('Other machines change the same memories all the time. The next round tries again.');
}

const setBackAll = ({ db, account, now }: State) => db.transaction(() => setBack(db, account.device, now())).immediate();

async function pullAll(state: State, { id: space, project }: Space): Promise<void> {
  const { db, client, rest, now } = state;
  let hasStarted = false;
  for (let hasMore = true; hasMore; ) {
    const cursor = readCursor(db, space);
    const answer = await client.pull(space, cursor);
    if (isOther(db, space, answer.generation)) {
      if (hasStarted) throw new HubCallError('away', 'The hub changes its mind about what it has.');
      hasStarted = true;
      db.transaction(() => {
        startAgain(db, space, now());
        writeState(db, `generation:${space}`, String(answer.generation));
      }).immediate();
      continue;
    }
    const records = await Promise.all(answer.records.map((record) => unpack(state, { id: space, project }, record)));
    while (stampChanges(state.stamping)) await pause();
    // Nothing is awaited from the last stamp to the commit: what happens here meanwhile is later than what is applied.
    db.transaction(() => {
      for (const incoming of records) if (incoming) tryApply(state, space, incoming);
      settleWaiting(state.applying, space);
      writeState(db, `cursor:${space}`, String(Math.max(answer.head, cursor)));
      writeState(db, `generation:${space}`, String(answer.generation));
      if (records.some((incoming) => incoming !== null && incoming.author !== null && incoming.state !== 'live'))
        writeState(db, GONE, 'yes');
    }).immediate();
    if (records.length > 0) state.onStored();
    // One that promises more and brings nothing is asked again later.
    hasMore = answer.hasMore && records.length > 0 && answer.head > cursor;
    await rest(records.length > 0 ? sizeOf(answer.records) : 0);
  }
}

function isOther(db: Database, space: string, generation: number): boolean {
  const known = readState(db, `generation:${space}`);
  return known !== null && known !== String(generation);
}

const sizeOf = (records: { payload: string | null }[]) => records.reduce((sum, { payload }) => sum + (payload?.length ?? 0), 0);

/** One that cannot be applied keeps none of the others. */
function tryApply({ db, applying, account, log, now }: State, space: string, incoming: Incoming): void {
  try {
    db.transaction(() => {
      if (space === account.personal) applyRecord(applying, space, incoming);
      else applyOfTeam(applying, space, incoming, account.personal);
    })();
  } catch (error) {
    count(db, 'sync:unreadable', now());
    const why = error instanceof RefusedError ? error.message : error instanceof Error ? error.name : '';
    log.warn('a record of another machine could not be applied', { kind: incoming.kind, error: why });
  }
}

/** An admin deletes for others: who it is of is what it was here. */
function applyOfTeam(deps: ApplyDeps, space: string, incoming: Incoming, personal: string): void {
  const known = findLogged(deps.db, space, incoming.entity);
  const author = known && incoming.state === 'forgotten' ? known.author : incoming.author;
  if (author !== null) applyRecord(deps, space, { ...incoming, author });
  else if (known && known.author !== null) throw new RefusedError('of another author');
  else noteOwn(deps, space, incoming, personal);
}

/** What the user gave to a team: the memory itself comes by the personal space, and stays whatever becomes of the copy. */
function noteOwn({ db, clock, now }: ApplyDeps, space: string, incoming: Incoming, personal: string): void {
  const { entity, kind, id, state, clocks, fields } = incoming;
  const known = findLogged(db, space, entity);
  const row: LogRow = { ...(known ?? { ...NEW, space, entity, kind, ref: '', clocks, state }), record: id };
  if (row.kind !== kind) throw new RefusedError('another kind than before');
  const own = findLogged(db, personal, entity);
  if (state === 'forgotten') putLogged(db, { ...row, state, ref: '', hashes: {}, pending: null }, now());
  // Another machine gave it to the team before it heard.
  else if (own?.state === 'forgotten') putLogged(db, forgetCopy(row, clock, nextSeq(db)), now());
  else putLogged(db, { ...row, ...(state === 'live' && asSaid(db, row, own?.ref ?? '', fields)) }, now());
}

/** Another machine of the user was faster with the same words: this one need not say them. What was taken back here since stays so. */
function asSaid(db: Database, { space, kind, entity, state }: LogRow, ref: string, { words }: Incoming['fields']): Partial<LogRow> | null {
  const read = ref === '' || state !== 'live' || !readPublished(db).has(space) ? null : readEntity(db, kind, ref, entity);
  if (!read || !Bun.deepEquals(withoutSecrets(kind, forTeam(valuesOf(read))).words, words)) return null;
  return { ref, state: 'live', hashes: hashesOf(read), pending: null };
}

/** Null for what was not made by a machine of the user's, or not for this place: counted, and not believed. */
async function unpack({ account, sealer, db, log, now }: State, space: Space, record: PulledRecord): Promise<Incoming | null> {
  const { id, entity, state, payload } = record;
  try {
    if (space.id !== account.personal) return unpackOfTeam(account, space, record);
    const body = Body.parse(JSON.parse(await sealer.open(payload ?? '', bindingOf(space.id, record))));
    if ((await sealer.nameOf(body.entity)) !== entity) throw new Error('another entity');
    return { ...body, id, state, author: null };
  } catch {
    count(db, 'sync:unreadable', now());
    log.warn('a record from the hub cannot be read: another key, or it was changed on the way', { id });
    return null;
  }
}

/** Of the project of its space, whatever it says itself. */
function unpackOfTeam(account: Account, { project }: Space, record: PulledRecord): Incoming {
  const { id, entity, state, payload, kind, member, author: by } = record;
  const author = member === account.member ? null : authorName(by);
  const body = Body.parse(payload === null ? { entity, kind, clocks: {} } : JSON.parse(payload));
  if (kind !== 'observation' || body.kind !== kind) throw new RefusedError('not a kind that is published');
  const session = { id: null, host: 'claude-mem', startedAt: '' };
  return { ...body, fields: { ...body.fields, place: { project, session } }, entity, id, state, author };
}

const MOST_CHARACTERS = 1_000_000;

/** True when something was refused because another version is there. */
async function pushAll(state: State, space: string, onlyGone = false): Promise<boolean> {
  const { db, client, rest, now, log } = state;
  let hasConflict = false;
  for (let isMore = true; isMore && !hasConflict; ) {
    const rows = listPending(db, space, MOST_RECORDS, onlyGone);
    if (rows.length === 0) return false;
    const batch = await pack(state, space, rows);
    if (batch.length === 0) {
      await pause();
      continue;
    }
    const records = batch.map(({ record }) => record);
    const { results } = await client.push(space, records);
    const kinds = new Map(results.map(({ id, kind }) => [id, kind]));
    if (!batch.some(({ record }) => kinds.has(record.id))) throw new HubCallError('away', 'The hub does not say what it took.');
    db.transaction(() => {
      for (const { row, record } of batch) {
        const kind = kinds.get(record.id);
        if (kind === 'conflict' || kind === 'forgotten') hasConflict = true;
        else if (kind !== undefined) noteSent(db, row, kind === 'ok' ? record.id : null, now());
        if (kind === 'refused') count(db, 'sync:refused', now());
      }
    }).immediate();
    if (results.some(({ kind }) => kind === 'refused')) log.warn('the hub refused what is not ours to change', { space });
    await rest(sizeOf(records));
    isMore = batch.length > 0;
  }
  return hasConflict;
}

/** What changed while it was on its way is still pending. */
function noteSent(db: Database, sent: LogRow, record: string | null, now: number): void {
  const row = findLogged(db, sent.space, sent.entity);
  if (!row) return;
  putLogged(db, { ...row, record: record ?? row.record, pending: row.pending === sent.pending ? null : row.pending }, now);
}

type Packed = { row: LogRow; record: SyncRecord };

async function pack(state: State, space: string, rows: LogRow[]): Promise<Packed[]> {
  const packed: Packed[] = [];
  let size = 0;
  for (const row of rows) {
    const record = await packOne(state, space, row);
    if (!record) continue;
    size += record.payload?.length ?? 0;
    if (packed.length > 0 && size > MOST_CHARACTERS) break;
    packed.push({ row, record });
  }
  return packed;
}

/** Null for what has gone since: the next stamp says so. */
async function packOne({ db, account, sealer, now, policy }: State, space: string, row: LogRow): Promise<SyncRecord | null> {
  const isPersonal = space === account.personal;
  const read = row.state === 'live' ? readEntity(db, row.kind, row.ref, row.entity) : null;
  // In words only to whom the user has said so, whatever the hub calls its spaces.
  const isGiven = isPersonal || readPublished(db).has(space);
  if (row.state === 'live' && !(read && isGiven)) return noteGone(db, row);
  if (read && read.projectId !== null && !isSent(policy, read.projectId, row.kind)) return hold(db, row, read.projectId);
  const all = read ? valuesOf(read) : {};
  const fields = withoutSecrets(row.kind, isPersonal || !read ? all : forTeam(all));
  const { entity, kind, state } = row;
  const isHidden = state === 'withdrawn' && isRow(db, refOf(row));
  const body: Body = { entity, kind, clocks: row.clocks, fields: isHidden ? { here: HIDDEN } : fields };
  const clock = Object.values(row.clocks).sort().at(-1) || writeClock(now(), 0, account.device);
  const head = { id: Bun.randomUUIDv7(), base: row.record, seq: row.pending ?? 0, clock, state };
  const outside = { ...head, entity: isPersonal ? await sealer.nameOf(entity) : entity, kind: isPersonal ? 'sealed' : kind };
  const text = JSON.stringify(body);
  const payload = isPersonal ? await sealer.seal(text, bindingOf(space, outside)) : state === 'live' ? text : null;
  if (payload !== null && payload.length > LONGEST_PAYLOAD) return noteTooLarge(db, row, now());
  return { ...outside, payload, hash: new Bun.CryptoHasher('sha256').update(payload ?? '').digest('hex') };
}

/** Its row went without a trace, as by a repair: what there was of it here is not what others should lose. Or it is given no longer. */
function noteGone(db: Database, row: LogRow): null {
  db.query('UPDATE sync_records SET pending = NULL, pending_at = NULL WHERE space = ? AND entity = ?').run(row.space, row.entity);
  db.query('INSERT OR IGNORE INTO sync_changes (kind, ref) VALUES (?, ?)').run(row.kind, row.ref);
  return null;
}

/** No hub takes it: it stays here, and keeps back nothing that comes after it. */
function noteTooLarge(db: Database, row: LogRow, now: number): null {
  noteSent(db, row, null, now);
  count(db, 'sync:refused', now);
  return null;
}

const valuesOf = ({ fields }: Read) => Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value]));

/** Rules about secrets may be newer than the row. Where it was made, and the hashes of links and tombstones, are none. */
const withoutSecrets = (kind: LogRow['kind'], fields: Record<string, unknown>): Record<string, unknown> =>
  refOf({ kind, ref: '1' }) === null || fields.words === undefined ? fields : { ...fields, words: scrubValue(fields.words).value };

type Said = { words: Omit<Line<'observation'>, 'session'>; place: { session: { startedAt: string }; project: unknown } };
/** Of the machine, and none of the repository. */
const isElsewhere = (path: string) => /^([/~]|\.\.|[A-Za-z]:)/.test(path);
const withinRepository = (paths: string[]) => paths.filter((path) => !isElsewhere(path));

/** The words alone, without whose session they were said in, what else lies on that machine, and who committed. */
function forTeam(fields: Record<string, unknown>): Record<string, unknown> {
  // As src/sync/entities.ts reads an observation.
  const { words, place } = fields as Said;
  const { sources: _, commits: __, ...said } = words;
  const session = { id: null, host: 'claude-mem', startedAt: place.session.startedAt };
  const facts = words.facts.map(({ text }) => ({ text }));
  const files = { filesRead: withinRepository(words.filesRead), filesModified: withinRepository(words.filesModified) };
  const citations = words.citations.filter(({ path }) => !isElsewhere(path));
  return { words: { ...said, ...files, facts, citations }, place: { project: place.project, session } };
}

/** Forgotten elsewhere: the bytes go from here, as if it had been forgotten here. */
async function eraseDoomed({ db, account, erase, now, onStored }: State): Promise<void> {
  const rows = listDoomed(db, account.personal);
  const refs = rows.flatMap((row) => refOf(row) ?? []).filter((ref) => isRow(db, ref));
  if (refs.length > 0) {
    await erase(refs);
    onStored();
  }
  db.transaction(() => {
    for (const row of rows) putLogged(db, { ...row, ref: '' }, now());
  }).immediate();
}

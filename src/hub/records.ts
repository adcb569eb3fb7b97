// The log of a hub: for every space one row per memory, its newest version, in the order in which they came. A version that is replaced,
// withdrawn or forgotten leaves no bytes behind. `search` finds what was published, by its words, and by its meaning where PostgreSQL
// has pgvector.
import { createHash } from 'node:crypto';
import { parseJson } from '../core/plain-json.ts';
import {
  MOST_RECORDS,
  PublishedBody,
  type PullAnswer,
  type PulledRecord,
  type PushAnswer,
  type RecordState,
  type SearchAnswer,
  type SpaceInfo,
  type SyncRecord,
  WireProject,
} from '../core/shapes/sync.ts';
import type { Embedder } from '../search/embed/embedder.ts';
import { STATIC_ID } from '../search/embed/static.ts';
import { understands } from '../search/meaning.ts';
import { isInOtherLanguage } from '../search/stop-words.ts';
import { type Caller, HubError, note, requireRole } from './accounts.ts';
import type { Tx } from './storage.ts';

/** A machine whose clock is further ahead would win for ever. */
const AHEAD_MS = 86_400_000;
/** Of one space: who fills the disk stops at their own. */
const MOST_BYTES = 2 * 1024 ** 3;
/** What one member publishes, in all spaces of the team: it comes to the machines of everybody. Some 30,000 memories. */
const MOST_PUBLISHED = 64 * 1024 ** 2;
/** Of one team: every machine is told of all of them. */
const MOST_SPACES = 500;

type Space = { owner: string | null; head: number; generation: number };

async function findSpace(tx: Tx, { tenant, member }: Caller, id: string): Promise<Space> {
  const [row] = await tx.all<Space>('SELECT owner, head, generation FROM spaces WHERE tenant = $1 AND id = $2', [tenant, id]);
  if (row && (row.owner === null || row.owner === member)) return row;
  throw new HubError(404, 'There is no such space.');
}

export async function readHead(tx: Tx, { tenant }: Caller, space: string): Promise<number> {
  const [row] = await tx.all<{ head: number }>('SELECT head FROM spaces WHERE tenant = $1 AND id = $2', [tenant, space]);
  return row?.head ?? 0;
}

export async function listSpaces(tx: Tx, { tenant }: Caller): Promise<SpaceInfo[]> {
  const sql = 'SELECT id, name, project, head FROM spaces WHERE tenant = $1 AND owner IS NULL ORDER BY name';
  const rows = await tx.all<Omit<SpaceInfo, 'project'> & { project: string }>(sql, [tenant]);
  return rows.map((row) => ({ ...row, project: WireProject.parse(JSON.parse(row.project)) }));
}

/** The same project, the same space, whoever publishes first. */
export async function openSpace(tx: Tx, caller: Caller, project: WireProject, now: number): Promise<{ id: string }> {
  requireRole(caller, 'writer', 'admin');
  const { tenant, name } = caller;
  const id = `team-${hashText(`${tenant} ${project.key} ${project.firstCommit}`).slice(0, 24)}`;
  const added = await tx.all(
    'INSERT INTO spaces (tenant, id, owner, name, project) VALUES ($1, $2, NULL, $3, $4) ON CONFLICT DO NOTHING RETURNING id',
    [tenant, id, project.name, JSON.stringify(project)],
  );
  if (added.length === 0) return { id };
  if ((await listSpaces(tx, caller)).length > MOST_SPACES) throw new HubError(409, `A team publishes at most ${MOST_SPACES} projects.`);
  await note(tx, { tenant, actor: name }, 'publish', project.name, now);
  return { id };
}

const hashText = (text: string) => createHash('sha256').update(text).digest('hex');

type Known = { id: string; kind: string; state: RecordState; member: string; bytes: number };
type Result = PushAnswer['results'][number];
type Held = { head: number; bytes: number };

export async function push(tx: Tx, caller: Caller, { space: id, records }: { space: string; records: SyncRecord[] }, now: number) {
  const space = await findSpace(tx, caller, id);
  // Who may publish no longer may still take back.
  if (space.owner === null && records.some(({ state }) => state === 'live')) requireRole(caller, 'writer', 'admin');
  for (const record of records) checkRecord(record, now);
  // In words, that is: what is sealed carries the proof that its owner took it back.
  if (space.owner === null && records.some(({ state, payload }) => state !== 'live' && payload !== null))
    throw new HubError(400, 'What is taken back or forgotten has no words.');
  // The row of the space is held to the end: positions are seen in the order in which they are given.
  const sql = 'UPDATE spaces SET head = head + $3 WHERE tenant = $1 AND id = $2 RETURNING head, bytes';
  const [{ head, bytes: held } = { head: 0, bytes: 0 }] = await tx.all<Held>(sql, [caller.tenant, id, records.length]);
  const first = head - records.length + 1;
  const known = await readKnown(tx, caller, id, records);
  const accepted: (SyncRecord & { pos: number })[] = [];
  const others = new Set([...known].filter(([, { member }]) => member !== caller.member).map(([entity]) => entity));
  let grown = 0;
  const byMember = new Map<string, number>();
  const grow = (member: string, bytes: number) => void byMember.set(member, (byMember.get(member) ?? 0) + bytes);
  const results = records.map((record, at): Result => {
    const old = known.get(record.entity);
    const kind = judge(record, old, { caller, isTeam: space.owner === null });
    if (kind === 'ok' && old?.id !== record.id) {
      accepted.push({ ...record, pos: first + at });
      const bytes = record.payload?.length ?? 0;
      grown += bytes - (old?.bytes ?? 0);
      grow(caller.member, bytes);
      if (old) grow(old.member, -old.bytes);
      known.set(record.entity, { id: record.id, kind: record.kind, state: record.state, member: caller.member, bytes });
    }
    return { id: record.id, kind };
  });
  if (held + grown > MOST_BYTES) throw new HubError(413, 'This space is full.');
  if (space.owner === null) await noteBytes(tx, caller, byMember);
  await writeAll(tx, caller, id, accepted);
  const deleted = results.filter(({ kind }, at) => kind === 'ok' && others.has(records[at]?.entity ?? '')).length;
  if (deleted > 0) await note(tx, { tenant: caller.tenant, actor: caller.name }, 'delete', `${deleted} of other members`, now);
  if (grown !== 0) await tx.all('UPDATE spaces SET bytes = bytes + $3 WHERE tenant = $1 AND id = $2', [caller.tenant, id, grown]);
  return { results };
}

/** In one order: two who wait for each other would wait for ever. */
async function noteBytes(tx: Tx, { tenant, member: own }: Caller, byMember: Map<string, number>): Promise<void> {
  const sql = 'UPDATE members SET bytes = bytes + $3 WHERE tenant = $1 AND id = $2 RETURNING bytes';
  for (const [member, bytes] of [...byMember].filter(([, bytes]) => bytes !== 0).sort()) {
    const [row] = await tx.all<{ bytes: number }>(sql, [tenant, member, bytes]);
    if (member === own && bytes > 0 && row && row.bytes > MOST_PUBLISHED)
      throw new HubError(413, 'You have published as much as one member may (64 MB): take something back.');
  }
}

function checkRecord({ clock, payload, hash, state }: SyncRecord, now: number): void {
  if (Number.parseInt(clock.slice(0, 9), 36) > now + AHEAD_MS)
    throw new HubError(422, 'The clock of this machine is more than a day ahead of that of the hub.');
  if (hash !== hashText(payload ?? '')) throw new HubError(400, 'A payload is not what its hash says.');
  if (state === 'live' && payload === null) throw new HubError(400, 'A record has no payload.');
}

type Judging = { caller: Caller; isTeam: boolean };

/** What is forgotten stays so, whatever comes later or from further back. */
function judge({ id, base, kind, state }: SyncRecord, old: Known | undefined, { caller, isTeam }: Judging): Result['kind'] {
  if (!old) return isTeam && caller.role === 'reader' ? 'refused' : 'ok';
  if (old.id === id) return 'ok';
  if (old.kind !== kind) return 'refused';
  // An admin may take away what somebody else has said, not change it.
  if (isTeam && old.member !== caller.member && !(caller.role === 'admin' && state === 'forgotten')) return 'refused';
  if (old.state === 'forgotten') return 'forgotten';
  return state === 'forgotten' || old.id === base ? 'ok' : 'conflict';
}

async function readKnown(tx: Tx, { tenant }: Caller, space: string, records: SyncRecord[]): Promise<Map<string, Known>> {
  const rows = await tx.all<Known & { entity: string }>(
    `SELECT entity, id, kind, state, member, coalesce(length(payload), 0) AS bytes FROM records
     WHERE tenant = $1 AND space = $2 AND entity IN ${tx.listOf('$3')}`,
    [tenant, space, JSON.stringify(records.map(({ entity }) => entity))],
  );
  return new Map(rows.map(({ entity, ...known }) => [entity, known]));
}

const COLUMNS = ['entity', 'pos', 'id', 'seq', 'kind', 'clock', 'state', 'hash', 'payload'] as const;

/** The last of each entity: one statement cannot write a row twice. */
async function writeAll(tx: Tx, { tenant, member, device }: Caller, space: string, records: (SyncRecord & { pos: number })[]) {
  const newest = [...new Map(records.map((record) => [record.entity, record])).values()];
  if (newest.length === 0) return;
  const all: (string | number | null)[] = [tenant, space, device, member];
  const rows = newest.map((record) => {
    const numbers = COLUMNS.map((name) => `$${all.push(record[name])}`);
    return `($1, $2, $3, $4, ${numbers.join(', ')})`;
  });
  const changes = ['device', 'member', ...COLUMNS.slice(1)].map((name) => `${name} = excluded.${name}`);
  await tx.all(
    `INSERT INTO records (tenant, space, device, member, ${COLUMNS.join(', ')}) VALUES ${rows.join(', ')}
     ON CONFLICT (tenant, space, entity) DO UPDATE SET ${changes.join(', ')}`,
    all,
  );
}

/** Of one answer, so that a slow line gets through. */
const MOST_CHARACTERS = 1_500_000;

type Asked = { space: string; after: number };

export async function pull(tx: Tx, caller: Caller, { space: id, after }: Asked, now: number): Promise<PullAnswer> {
  const { head, generation } = await findSpace(tx, caller, id);
  const { tenant } = caller;
  if (head <= after)
    return { records: [], head: after, hasMore: false, generation: head < after ? await renew(tx, tenant, id, now) : generation };
  const rows = await tx.all<PulledRecord>(
    `SELECT r.entity, r.pos, r.id, r.device, r.member, coalesce(m.name, '') AS author, r.seq, r.kind, r.clock, r.state, r.hash, r.payload
     FROM records r LEFT JOIN members m ON m.tenant = r.tenant AND m.id = r.member
     WHERE r.tenant = $1 AND r.space = $2 AND r.pos > $3 ORDER BY r.pos LIMIT ${MOST_RECORDS + 1}`,
    [tenant, id, after],
  );
  let size = 0;
  const records = rows.slice(0, MOST_RECORDS).filter(({ payload }, at) => {
    size += payload?.length ?? 0;
    return at === 0 || size <= MOST_CHARACTERS;
  });
  const hasMore = rows.length > records.length;
  const last = records.at(-1)?.pos ?? after;
  // Behind the last there may be places that nothing took.
  return { records, head: hasMore ? last : Math.max(head, last), hasMore, generation };
}

const RENEW_MS = 3_600_000;

/** A machine has seen more than there is: everybody tells everything again. Not because of one who says so all the time. */
async function renew(tx: Tx, tenant: string, id: string, now: number): Promise<number> {
  const sql = 'UPDATE spaces SET generation = $3 WHERE tenant = $1 AND id = $2 AND generation < $4';
  await tx.all(sql, [tenant, id, now, now - RENEW_MS]);
  const [row] = await tx.all<Space>('SELECT owner, head, generation FROM spaces WHERE tenant = $1 AND id = $2', [tenant, id]);
  return row?.generation ?? 0;
}

type Found = SearchAnswer['found'][number];
type FoundRow = Omit<Found, 'title' | 'text'> & { payload: string };

const MOST_FOUND = 20;
const FOUND = 's.id AS space, s.name AS project, m.name AS author, r.entity, r.payload';
const PUBLISHED = `FROM spaces s JOIN records r ON r.tenant = s.tenant AND r.space = s.id
  JOIN members m ON m.tenant = r.tenant AND m.id = r.member WHERE s.tenant = $1 AND s.owner IS NULL AND r.state = 'live'`;

/** The best first: what both find comes before what one does. `embedder`: for a model that every hub process has. */
export async function search(tx: Tx, caller: Caller, query: string, embedder: Embedder | null): Promise<SearchAnswer> {
  const byWords = await findByWords(tx, caller, query);
  const byMeaning = embedder && tx.hasMeaning && isReadable(query) ? await findByMeaning(tx, caller, query, embedder) : [];
  return { found: fuse([byWords, byMeaning]).slice(0, MOST_FOUND) };
}

/** To a model of English all that is said in another language is alike. */
const isReadable = (query: string) => understands(STATIC_ID, query) && !isInOtherLanguage(query);

/** Of two lists the first places count alike, and the later ones less and less. */
const FIRST = 60;

function fuse(lists: Found[][]): Found[] {
  const nameOf = ({ space, entity }: Found) => `${space} ${entity}`;
  const scores = new Map<string, number>();
  for (const list of lists)
    for (const [at, found] of list.entries()) scores.set(nameOf(found), (scores.get(nameOf(found)) ?? 0) + 1 / (FIRST + at));
  const all = new Map(lists.flat().map((found) => [nameOf(found), found]));
  return [...all.values()].sort((one, other) => (scores.get(nameOf(other)) ?? 0) - (scores.get(nameOf(one)) ?? 0));
}

async function findByWords(tx: Tx, { tenant }: Caller, query: string): Promise<Found[]> {
  const words = query.match(/[\p{L}\p{N}_]+/gu)?.slice(0, 12) ?? [];
  const { where, rank } = tx.matching?.('$2') ?? {
    where: words.map((_, at) => `lower(r.payload) LIKE $${at + 2}`).join(' AND ') || '1 = 0',
    rank: 'r.pos',
  };
  const rows = await tx.all<FoundRow>(`SELECT ${FOUND} ${PUBLISHED} AND ${where} ORDER BY ${rank} DESC, r.pos DESC LIMIT ${MOST_FOUND}`, [
    tenant,
    ...(tx.matching ? [query] : words.map((word) => `%${word.toLowerCase()}%`)),
  ]);
  return rows.map(readFound);
}

/** The cosine from which on a memory of a machine convinces by its meaning alone: docs/retrieval.md. */
const NEAR = 0.45;

/** Every vector is looked at: a team has some ten thousand. */
async function findByMeaning(tx: Tx, caller: Caller, query: string, embedder: Embedder): Promise<Found[]> {
  await learnMeanings(tx, caller, embedder);
  const [asked] = await embedder.embed([query], 'query');
  const rows = await tx.all<FoundRow>(
    `SELECT ${FOUND} ${PUBLISHED} AND r.meaning <=> CAST(CAST($2 AS text) AS vector) < ${1 - NEAR}
     ORDER BY r.meaning <=> CAST(CAST($2 AS text) AS vector), r.pos DESC LIMIT ${MOST_FOUND}`,
    [caller.tenant, writeVector(asked)],
  );
  return rows.map(readFound);
}

/** A tenth of a millisecond each, once: whoever searches first pays for what came since, and who never searches pays nothing. */
const AT_ONCE = 100;
const MOST_LEARNED = 2000;

async function learnMeanings(tx: Tx, { tenant }: Caller, embedder: Embedder): Promise<void> {
  for (let learned = 0; learned < MOST_LEARNED; learned += AT_ONCE) {
    const rows = await tx.all<FoundRow>(`SELECT ${FOUND} ${PUBLISHED} AND r.meaning IS NULL LIMIT ${AT_ONCE}`, [tenant]);
    if (rows.length === 0) return;
    const all = rows.map(readFound);
    const vectors = await embedder.embed(
      all.map(({ title, text }) => `${title}\n${text}`),
      'document',
    );
    const said = all.map(({ space, entity }, at) => ({ space, entity, meaning: writeVector(vectors[at]) }));
    await tx.all(
      `UPDATE records r SET meaning = CAST(said.meaning AS vector)
       FROM jsonb_to_recordset(CAST(CAST($2 AS text) AS jsonb)) AS said (space text, entity text, meaning text)
       WHERE r.tenant = $1 AND r.space = said.space AND r.entity = said.entity AND r.state = 'live'`,
      [tenant, JSON.stringify(said)],
    );
  }
}

const writeVector = (vector: Int8Array | undefined) => `[${(vector ?? new Int8Array()).join(',')}]`;

const readFound = ({ payload, ...row }: FoundRow): Found => ({ ...row, ...readWords(payload) });

/** Whatever a member sends can be stored: what is no JSON has no words. */
function readWords(payload: string): { title: string; text: string } {
  const said = PublishedBody.safeParse(parseJson(payload)).data?.fields.words;
  return { title: said?.title ?? '', text: said?.narrative ?? '' };
}

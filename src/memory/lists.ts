// Lists of memories: of one kind page by page, of all kinds in the order of time, hidden ones, new ones, those of a file.
import type { Database } from 'bun:sqlite';
import { formatRef, MEMORY_KINDS, MEMORY_TABLES, type MemoryKind, type MemoryRef, parseRef } from '../core/memory.ts';
import type { Memory, MemoryRow } from '../core/shapes/memory.ts';
import { RANK, SUMMARY_SAYS } from '../store/documents.ts';
import { countRows, readAll, readColumn, readFirst, readValue } from '../store/read.ts';
import { readStrings } from './observations.ts';
import { readMemories, readRows } from './read.ts';

export type Page<Item> = { items: Item[]; total: number; limit: number; offset: number };

type Range = {
  /** Null: every project. */
  projectIds: number[] | null;
  types?: string[] | undefined;
  /** Epoch ms, both inclusive. */
  since: number;
  until: number;
  limit: number;
};

type Values = Record<string, string | number>;
const isIn = (column: string, name: string) => `${column} IN (SELECT value FROM json_each($${name}))`;

/** Newest first. `session`: the host's id of one. */
export function listMemories(db: Database, kind: MemoryKind, query: Range & { session?: string; offset: number }): Page<MemoryRow> {
  const { projectIds, types, session, since, until, limit, offset } = query;
  const conditions: [string, Values][] = [
    [`${SHOWN[kind]} AND m.created_at_epoch BETWEEN $since AND $until`, { since, until }],
    ...(projectIds
      ? [[isIn(kind === 'prompt' ? 's.project_id' : 'm.project_id', 'projects'), { projects: JSON.stringify(projectIds) }]]
      : []),
    ...(types ? [[isIn('m.type', 'types'), { types: JSON.stringify(types) }]] : []),
    ...(session === undefined ? [] : [['m.session_id = (SELECT id FROM sessions WHERE host_session_id = $session)', { session }]]),
  ] as [string, Values][];
  const from = `${MEMORY_TABLES[kind]} m ${kind === 'prompt' ? 'JOIN sessions s ON s.id = m.session_id' : ''}
    WHERE ${conditions.map(([sql]) => sql).join(' AND ')}`;
  const values: Values = Object.assign({}, ...conditions.map(([, value]) => value));
  const page = `SELECT m.id FROM ${from} ORDER BY m.created_at_epoch DESC, m.id DESC LIMIT $limit + 0 OFFSET $offset`;
  const refs = readColumn<number>(db, page, { ...values, limit, offset }).map((id) => ({ kind, id }));
  const rows = readRows(db, refs);
  return { items: refs.flatMap((ref) => rows.get(formatRef(ref)) ?? []), total: countRows(db, from, values), limit, offset };
}

/** The few hidden ones by their own index: so that what is counted and sorted is the index of times alone, not the texts. */
const SHOWN: Record<MemoryKind, string> = {
  observation: 'm.id NOT IN (SELECT id FROM observations WHERE hidden_at IS NOT NULL)',
  summary: `m.id NOT IN (SELECT id FROM summaries WHERE hidden_at IS NOT NULL) AND ${SUMMARY_SAYS}`,
  prompt: "m.id NOT IN (SELECT id FROM prompts WHERE hidden_at IS NOT NULL) AND m.text <> ''",
};

/** What somebody asked to forget and nobody has decided about, the latest first. */
export function listHidden(db: Database, { limit, offset }: { limit: number; offset: number }) {
  const all = listHiddenRefs(db);
  const hidden = all.slice(offset, offset + limit);
  const rows = readRows(db, hidden, { withHidden: true });
  const memories = hidden.flatMap(({ hiddenAt, ...ref }) => {
    const row = rows.get(formatRef(ref));
    return row ? [{ ...row, hiddenAt }] : [];
  });
  return { memories, total: all.length, limit, offset };
}

type HiddenRef = MemoryRef & { sessionId: number | null; hiddenAt: string };

export const listHiddenRefs = (db: Database): HiddenRef[] =>
  readAll<HiddenRef>(db, `${MEMORY_KINDS.map(selectHidden).join(' UNION ALL ')} ORDER BY 3 DESC, 1, 2 DESC`);

const selectHidden = (kind: MemoryKind) =>
  `SELECT '${kind}' AS kind, id, hidden_at AS hiddenAt, session_id AS sessionId FROM ${MEMORY_TABLES[kind]} WHERE hidden_at IS NOT NULL`;

/** The last id of each kind: no id is given twice. */
export type Marks = Record<MemoryKind, number>;

export function readMarks(db: Database): Marks {
  const lastOf = (kind: MemoryKind) => readValue<number>(db, `SELECT max(id) FROM ${MEMORY_TABLES[kind]}`) ?? 0;
  return { observation: lastOf('observation'), summary: lastOf('summary'), prompt: lastOf('prompt') };
}

/** In the order in which they were made, prompts first: so many of each kind at most. */
export function listNewer(db: Database, marks: Marks, most: number): MemoryRef[] {
  return MEMORY_KINDS.toReversed().flatMap((kind) =>
    readColumn<number>(db, `SELECT id FROM ${MEMORY_TABLES[kind]} WHERE id > ? ORDER BY id LIMIT ? + 0`, marks[kind], most).map((id) => ({
      kind,
      id,
    })),
  );
}

/** A point in the order of time. At one moment a prompt comes before what was made of it, and a summary after. */
export type Place = { at: number; rank: number; ref: number };

const RANKS: Record<MemoryKind, number> = { prompt: 1, observation: 2, summary: 3 };

type PlacedMemory = Place & { projectId: number; type: string };

/** Null when it is gone or hidden. */
export const findPlace = (db: Database, { kind, id }: MemoryRef): PlacedMemory | null => {
  const sql = `SELECT at, ${RANK} AS rank, ref, project_id AS projectId, type FROM documents WHERE kind = ? AND ref = ?`;
  return readFirst<PlacedMemory>(db, sql, kind, id);
};

type NearQuery = Omit<Range, 'since' | 'until'> & { direction: 'before' | 'after'; place: Place; since?: number; until?: number };

/** The nearest first, without what stands at the place itself. All places are looked at, without their texts: 10 ms for 100,000. */
export function listNear(db: Database, query: NearQuery): FeedPlace[] {
  const { direction, place, projectIds, types, since = Number.MIN_SAFE_INTEGER, until = Number.MAX_SAFE_INTEGER, limit } = query;
  const [less, order] = direction === 'before' ? ['<', 'DESC'] : ['>', 'ASC'];
  const sql = `SELECT kind, ref AS id, at FROM documents INDEXED BY documents_places
    WHERE at BETWEEN $since AND $until AND (at, ${RANK}, ref) ${less} ($at, $rank, $ref)
      ${types ? `AND ${isIn('type', 'types')}` : ''} ${projectIds ? `AND ${isIn('project_id', 'projects')}` : ''}
    ORDER BY at ${order}, ${RANK} ${order}, ref ${order} LIMIT $limit + 0`;
  return readAll<FeedPlace>(db, sql, {
    ...{ since, until, at: place.at, rank: place.rank, ref: place.ref, limit },
    ...(types ? { types: JSON.stringify(types) } : {}),
    ...(projectIds ? { projects: JSON.stringify(projectIds) } : {}),
  });
}

/** It need not be there any more. */
export type FeedPlace = MemoryRef & { at: number };

/** `file`: a path, or the end of one. `before`: the last memory of the page before. */
type FeedQuery = Range & { file?: string | undefined; before: FeedPlace | null };

type FeedSession = { session: string; title: string | null; host: string; key: string };
type Feed = { memories: Memory[]; heads: MemoryRow[]; sessions: FeedSession[]; next: FeedPlace | null };

/**
 * All kinds, newest first: what is added meanwhile moves nothing. `heads`: the prompts of their turns that are on another page.
 * `next`: for the page after this one, null when there is none.
 */
export function readFeed(db: Database, query: FeedQuery): Feed {
  const { before, until, limit, file } = query;
  const place = before ? { at: before.at, rank: RANKS[before.kind], ref: before.id } : { at: until + 1, rank: 0, ref: 0 };
  // One more than the page has, where there is one: it tells that something follows.
  const found =
    file === undefined
      ? listNear(db, { ...query, direction: 'before', place, limit: limit + 1 })
      : listOfFile(db, { ...query, file }).slice(0, limit + 1);
  const page = found.slice(0, limit);
  const known = readMemories(db, page);
  const memories = page.flatMap((ref) => known.get(formatRef(ref)) ?? []);
  return {
    memories,
    heads: readHeads(db, memories),
    sessions: listFeedSessions(
      db,
      memories.flatMap(({ session }) => session ?? []),
    ),
    next: found.length > page.length ? (page.at(-1) ?? null) : null,
  };
}

function readHeads(db: Database, memories: Memory[]): MemoryRow[] {
  const here = new Set(memories.map(({ id }) => id));
  const wanted = new Set(memories.flatMap(({ turn }) => (turn === null || here.has(turn) ? [] : [turn])));
  return [
    ...readRows(
      db,
      [...wanted].flatMap((id) => parseRef(id) ?? []),
    ).values(),
  ];
}

const listFeedSessions = (db: Database, sessions: string[]): FeedSession[] => {
  const sql = `SELECT s.host_session_id AS session, s.title, s.host, p.key FROM (SELECT DISTINCT value FROM json_each(?)) AS wanted
    CROSS JOIN sessions s ON s.host_session_id = wanted.value JOIN projects p ON p.id = s.project_id`;
  return readAll<FeedSession>(db, sql, JSON.stringify(sessions));
};

/** What names a file is found by its words, and is never much. */
function listOfFile(db: Database, { file, projectIds, types, before, since, until }: FeedQuery & { file: string }): FeedPlace[] {
  const path = file.replaceAll('\\', '/').replace(/^\.\//, '');
  const newestFirst = (one: FeedPlace, other: FeedPlace) => other.at - one.at || RANKS[other.kind] - RANKS[one.kind] || other.id - one.id;
  return listFileMemories(db, [path, ...listShorter(db, path)], projectIds)
    .filter(({ changed, read }) => [...changed, ...read].some((one) => isSameFile(one, path)))
    .filter(({ at }) => at >= since && at <= until)
    .filter((memory) => before === null || newestFirst(before, memory) < 0)
    .filter((memory) => !types || types.includes(findPlace(db, memory)?.type ?? ''))
    .map(({ kind, id, at }) => ({ kind, id, at }))
    .sort(newestFirst);
}

/** The path as the projects that it lies in know it. */
const listShorter = (db: Database, path: string): string[] =>
  readColumn(db, "SELECT DISTINCT substr($path, length(root) + 2) FROM projects WHERE substr($path, 1, length(root) + 1) = root || '/'", {
    path,
  });

/** One of them may be the end of the other: memories know files from the root of their project. */
const isSameFile = (one: string, other: string) => one === other || one.endsWith(`/${other}`) || other.endsWith(`/${one}`);

export type FileMemory = FeedPlace & { changed: string[]; read: string[] };

/** Those that name a file whose path holds these words side by side, newest first. The caller looks at the paths themselves. */
export function listFileMemories(db: Database, paths: string[], projectIds: number[] | null): FileMemory[] {
  const wanted = paths.filter((path) => /[\p{L}\p{N}]/u.test(path));
  if (wanted.length === 0) return [];
  const sql = `SELECT d.kind, d.ref AS id, d.at, coalesce(o.files_modified, s.files_edited) AS changed,
      coalesce(o.files_read, s.files_read) AS read
    FROM words JOIN documents d ON d.id = words.rowid
      LEFT JOIN observations o ON d.kind = 'observation' AND o.id = d.ref
      LEFT JOIN summaries s ON d.kind = 'summary' AND s.id = d.ref
    WHERE words MATCH $match AND d.kind <> 'prompt' ${projectIds ? `AND ${isIn('d.project_id', 'projects')}` : ''}
    ORDER BY d.at DESC, d.id DESC`;
  return readAll<FeedPlace & { changed: string; read: string }>(db, sql, {
    match: `files : (${wanted.map(quote).join(' OR ')})`,
    ...(projectIds ? { projects: JSON.stringify(projectIds) } : {}),
  }).map((row) => ({ ...row, changed: readStrings(row.changed), read: readStrings(row.read) }));
}

/** A phrase: its words as the tokenizer sees them, in this order. */
const quote = (path: string) => `"${path.replaceAll('"', '""').replaceAll('\0', ' ')}"`;

// Everything that is remembered as one list, newest first, page by page: what is added meanwhile moves nothing.
import type { Database } from 'bun:sqlite';
import { formatRef, type Memory, type MemoryKind, type MemoryRef } from '../../core/memory.ts';
import { listFileMemories } from './file-memories.ts';
import { readMemories } from './memories.ts';

export type FeedQuery = {
  /** Null: every project. */
  projectIds: number[] | null;
  /** Types of observations, `summary`, `prompt`. */
  types?: string[] | undefined;
  /** A path, or the end of one. */
  file?: string | undefined;
  /** Epoch ms, both inclusive. */
  since: number;
  until: number;
  limit: number;
  /** The last memory of the page before. */
  before: FeedPlace | null;
};

/** A point in the order of time. It need not be there any more. */
export type FeedPlace = MemoryRef & { at: number };

export type FeedPage = {
  memories: Memory[];
  /** For the page after this one; null when there is none. */
  next: FeedPlace | null;
};

export function readFeed(db: Database, query: FeedQuery): FeedPage {
  const found = listPlaces(db, query);
  const page = found.slice(0, query.limit);
  const memories = readMemories(db, page);
  return {
    memories: page.flatMap((ref) => memories.get(formatRef(ref)) ?? []),
    next: found.length > page.length ? (page.at(-1) ?? null) : null,
  };
}

/** One more than the page has, where there is one: it tells that something follows. */
function listPlaces(db: Database, query: FeedQuery): FeedPlace[] {
  const { file, types } = query;
  if (file !== undefined) return listOfFile(db, { ...query, file });
  return types ? scanTypes(db, { ...query, types }) : mergeProjects(db, query);
}

/** At one moment a prompt comes before what was made of it, and a summary after. */
const RANKS: Record<MemoryKind, number> = { prompt: 1, observation: 2, summary: 3 };
const RANK = `CASE kind WHEN 'prompt' THEN 1 WHEN 'observation' THEN 2 ELSE 3 END`;

const newestFirst = (one: FeedPlace, other: FeedPlace) =>
  other.at - one.at || RANKS[other.kind] - RANKS[one.kind] || other.id - one.id;

/** Project by project, the one with the newest memory first, until no other can have one that is new enough. */
function mergeProjects(db: Database, query: FeedQuery): FeedPlace[] {
  const until = Math.min(query.until, query.before?.at ?? query.until);
  let found: FeedPlace[] = [];
  for (const { projectId, newest } of listNewest(db, query.projectIds, until)) {
    const least = Math.max(query.since, found[query.limit]?.at ?? query.since);
    if (newest < least) break;
    const more = walkProject(db, projectId, { ...query, since: least });
    found = [...found, ...more].sort(newestFirst).slice(0, query.limit + 1);
  }
  return found;
}

type Newest = { projectId: number; newest: number };

const listNewest = (db: Database, projectIds: number[] | null, until: number): Newest[] =>
  db
    .query<Newest, [{ until: number; projects: string | null }]>(
      `SELECT * FROM (SELECT p.id AS projectId, (SELECT max(d.at) FROM documents d WHERE d.project_id = p.id AND d.at <= $until) AS newest
         FROM projects p WHERE $projects IS NULL OR p.id IN (SELECT value FROM json_each($projects)))
       WHERE newest IS NOT NULL ORDER BY newest DESC`,
    )
    .all({ until, projects: projectIds && JSON.stringify(projectIds) });

/** Along the index of times: it ends after a few steps, however much is remembered. */
function walkProject(db: Database, projectId: number, query: FeedQuery): FeedPlace[] {
  const { sql, values } = readSpan(query);
  return db
    .query<FeedPlace, [Values]>(
      `SELECT kind, ref AS id, at FROM documents WHERE project_id = $projectId AND ${sql} ${NEWEST_FIRST} LIMIT $limit`,
    )
    .all({ ...values, projectId });
}

/** A rare type may be far away in time. All places are looked at, without the texts beside them: 10 ms for 100,000. */
function scanTypes(db: Database, query: FeedQuery & { types: string[] }): FeedPlace[] {
  const { sql, values } = readSpan(query);
  const { projectIds, types } = query;
  return db
    .query<FeedPlace, [Values]>(
      `SELECT kind, ref AS id, at FROM documents INDEXED BY documents_places
       WHERE ${sql} AND type IN (SELECT value FROM json_each($types))
         ${projectIds ? 'AND project_id IN (SELECT value FROM json_each($projects))' : ''}
       ${NEWEST_FIRST} LIMIT $limit`,
    )
    .all({
      ...values,
      types: JSON.stringify(types),
      ...(projectIds ? { projects: JSON.stringify(projectIds) } : {}),
    });
}

const NEWEST_FIRST = `ORDER BY at DESC, ${RANK} DESC, ref DESC`;

type Values = Record<string, number | string>;

function readSpan({ before, since, until, limit }: FeedQuery): { sql: string; values: Values } {
  const span = 'at BETWEEN $since AND $until';
  const values = { since, until: Math.min(until, before?.at ?? until), limit: limit + 1 };
  if (!before) return { sql: span, values };
  const sql = `${span} AND (at, ${RANK}, ref) < ($at, $rank, $ref)`;
  return { sql, values: { ...values, at: before.at, rank: RANKS[before.kind], ref: before.id } };
}

/** What names a file is found by its words, and is never much. */
function listOfFile(db: Database, { file, projectIds, types, ...query }: FeedQuery & { file: string }): FeedPlace[] {
  const path = file.replaceAll('\\', '/').replace(/^\.\//, '');
  const { before, since, until, limit } = query;
  const named = listFileMemories(db, [path, ...listShorter(db, path)], projectIds)
    .filter(({ changed, read }) => [...changed, ...read].some((one) => isSameFile(one, path)))
    .filter(({ at }) => at >= since && at <= until)
    .filter((memory) => before === null || newestFirst(before, memory) < 0);
  const ofType = types ? named.filter((memory) => hasType(db, memory, types)) : named;
  return ofType
    .map(({ kind, id, at }) => ({ kind, id, at }))
    .sort(newestFirst)
    .slice(0, limit + 1);
}

/** The path as the projects that it lies in know it. */
const listShorter = (db: Database, path: string): string[] =>
  db
    .query<{ path: string }, [{ path: string }]>(
      "SELECT DISTINCT substr($path, length(root) + 2) AS path FROM projects WHERE substr($path, 1, length(root) + 1) = root || '/'",
    )
    .all({ path })
    .map((shorter) => shorter.path);

/** One of them may be the end of the other: memories know files from the root of their project. */
const isSameFile = (one: string, other: string) =>
  one === other || one.endsWith(`/${other}`) || other.endsWith(`/${one}`);

const hasType = (db: Database, { kind, id }: MemoryRef, types: string[]) =>
  types.includes(
    db.query<{ type: string }, [string, number]>('SELECT type FROM documents WHERE kind = ? AND ref = ?').get(kind, id)
      ?.type ?? '',
  );

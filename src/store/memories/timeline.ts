// What came just before and after a moment, over all kinds of memories.
import type { Database } from 'bun:sqlite';
import { MEMORY_KINDS, type MemoryKind, type MemoryRef } from '../../core/memory.ts';

/** A point in the order of time. At one moment a prompt comes before what was made of it, and a summary after. */
export type Place = { at: number; rank: number; ref: number };

const RANKS: Record<MemoryKind, number> = { prompt: 1, observation: 2, summary: 3 };
const RANK = `CASE kind ${MEMORY_KINDS.map((kind) => `WHEN '${kind}' THEN ${RANKS[kind]}`).join(' ')} END`;

export type PlacedMemory = Place & { projectId: number; type: string };

/** Null when it is gone or hidden. */
export function findPlace(db: Database, { kind, id }: MemoryRef): PlacedMemory | null {
  return db
    .query<PlacedMemory, [string, number]>(
      `SELECT at, ${RANK} AS rank, ref, project_id AS projectId, type FROM documents WHERE kind = ? AND ref = ?`,
    )
    .get(kind, id);
}

export type NearQuery = {
  direction: 'before' | 'after';
  place: Place;
  /** Null: every project. */
  projectIds: number[] | null;
  types?: string[];
  limit: number;
};

/** The nearest of them, nearest first, without what stands at the place itself. */
export function listNear(db: Database, query: NearQuery): MemoryRef[] {
  const { direction, limit } = query;
  if (limit === 0) return [];
  // One walk along the index of times for each project: it ends after a few steps, however much is remembered.
  const near = (query.projectIds ?? listProjectIds(db)).flatMap((projectId) => walk(db, projectId, query));
  const sign = direction === 'before' ? -1 : 1;
  near.sort((a, b) => sign * (a.at - b.at || a.rank - b.rank || a.id - b.id));
  return near.slice(0, limit).map(({ kind, id }) => ({ kind, id }));
}

type Found = MemoryRef & { at: number; rank: number };

function walk(db: Database, projectId: number, { direction, place, types, limit }: NearQuery): Found[] {
  const [less, order] = direction === 'before' ? ['<', 'DESC'] : ['>', 'ASC'];
  return db
    .query<Found, [Record<string, number | string>]>(
      `SELECT kind, ref AS id, at, ${RANK} AS rank FROM documents
       WHERE project_id = $projectId AND at ${less}= $at AND (at, ${RANK}, ref) ${less} ($at, $rank, $ref)
         ${types ? 'AND type IN (SELECT value FROM json_each($types))' : ''}
       ORDER BY at ${order}, rank ${order}, ref ${order} LIMIT $limit`,
    )
    .all({ projectId, limit, ...pick(place), ...(types ? { types: JSON.stringify(types) } : {}) });
}

const pick = ({ at, rank, ref }: Place) => ({ at, rank, ref });

const listProjectIds = (db: Database) =>
  db
    .query<{ id: number }, []>('SELECT id FROM projects')
    .all()
    .map(({ id }) => id);

// Lists of memories of one kind, newest first, page by page.
import type { Database } from 'bun:sqlite';
import { formatRef, type MemoryKind, type MemoryRef, type MemoryRow } from '../../core/memory.ts';
import { readRows } from './memories.ts';
import { SUMMARY_SAYS } from './summary-says.ts';

export type Page<Item> = { items: Item[]; total: number; limit: number; offset: number };

export type ListQuery = {
  /** Null: every project. */
  projectIds: number[] | null;
  types?: string[];
  /** The host's id of a session. */
  session?: string;
  /** Epoch ms, both inclusive. */
  since: number;
  until: number;
  limit: number;
  offset: number;
};

export function listMemories(db: Database, kind: MemoryKind, query: ListQuery): Page<MemoryRow> {
  const { limit, offset } = query;
  const where = `${SHOWN[kind]} AND ${conditions(kind, query).join(' AND ')}`;
  const values = valuesOf(query);
  const total = db.query<{ n: number }, [Values]>(`SELECT count(*) AS n FROM ${FROM[kind]} WHERE ${where}`).get(values);
  const refs = db
    .query<{ id: number }, [Values]>(
      `SELECT m.id FROM ${FROM[kind]} WHERE ${where}
       ORDER BY m.created_at_epoch DESC, m.id DESC LIMIT $limit OFFSET $offset`,
    )
    .all({ ...values, limit, offset })
    .map(({ id }) => ({ kind, id }));
  const rows = readRows(db, refs);
  const items = refs.flatMap((ref) => rows.get(formatRef(ref)) ?? []);
  return { items, total: total?.n ?? 0, limit, offset };
}

const FROM: Record<MemoryKind, string> = {
  observation: 'observations m',
  summary: 'summaries m',
  prompt: 'prompts m JOIN sessions s ON s.id = m.session_id',
};

/** The few hidden ones by their own index: so that what is counted and sorted is the index of times alone, not the texts. */
const SHOWN: Record<MemoryKind, string> = {
  observation: 'm.id NOT IN (SELECT id FROM observations WHERE hidden_at IS NOT NULL)',
  summary: `m.id NOT IN (SELECT id FROM summaries WHERE hidden_at IS NOT NULL) AND ${SUMMARY_SAYS}`,
  prompt: "m.id NOT IN (SELECT id FROM prompts WHERE hidden_at IS NOT NULL) AND m.text <> ''",
};

type Values = Record<string, string | number>;

function conditions(kind: MemoryKind, { projectIds, types, session }: ListQuery): string[] {
  const project = kind === 'prompt' ? 's.project_id' : 'm.project_id';
  return [
    'm.created_at_epoch BETWEEN $since AND $until',
    ...(projectIds ? [`${project} IN (SELECT value FROM json_each($projects))`] : []),
    ...(types ? ['m.type IN (SELECT value FROM json_each($types))'] : []),
    ...(session === undefined ? [] : ['m.session_id = (SELECT id FROM sessions WHERE host_session_id = $session)']),
  ];
}

function valuesOf({ projectIds, types, session, since, until }: ListQuery): Values {
  return {
    since,
    until,
    ...(projectIds ? { projects: JSON.stringify(projectIds) } : {}),
    ...(types ? { types: JSON.stringify(types) } : {}),
    ...(session === undefined ? {} : { session }),
  };
}

export type HiddenRow = MemoryRow & { hiddenAt: string };

/** What somebody asked to forget and nobody has decided about, the latest first. */
export function listHidden(db: Database, { limit, offset }: { limit: number; offset: number }) {
  const all = listHiddenRefs(db);
  const hidden = all.slice(offset, offset + limit);
  const rows = readRows(db, hidden, { withHidden: true });
  const memories = hidden.flatMap((ref): HiddenRow[] => {
    const row = rows.get(formatRef(ref));
    return row ? [{ ...row, hiddenAt: ref.hiddenAt }] : [];
  });
  return { memories, total: all.length, limit, offset };
}

export type HiddenRef = MemoryRef & { sessionId: number; hiddenAt: string };

export const listHiddenRefs = (db: Database) =>
  db
    .query<HiddenRef, []>(
      `SELECT 'observation' AS kind, id, hidden_at AS hiddenAt, session_id AS sessionId FROM observations WHERE hidden_at IS NOT NULL
       UNION ALL SELECT 'summary', id, hidden_at, session_id FROM summaries WHERE hidden_at IS NOT NULL
       UNION ALL SELECT 'prompt', id, hidden_at, session_id FROM prompts WHERE hidden_at IS NOT NULL
       ORDER BY 3 DESC, 1, 2 DESC`,
    )
    .all();

// The decisions of a project that may be told, with what stands in the place of those that hold no more.
import type { Database } from 'bun:sqlite';
import { z } from 'zod';
import type { Outcome } from '../../core/observation.ts';
import { holds, newestAbove } from '../trust/trusted.ts';
import { hashContent, type StoredContent } from './observations.ts';

export type Decision = {
  id: number;
  title: string;
  narrative: string | null;
  facts: string[];
  files: string[];
  outcome: Outcome | null;
  /** The newest that stands in its place. */
  supersededBy: { id: number; title: string; at: number } | null;
  at: number;
};

type Row = StoredContent & { id: number; hash: string; at: number; newest: number | null };

const Texts = z.array(z.string()).catch([]);
const Facts = z.array(z.object({ text: z.string() })).catch([]);

/** Oldest first, so that what is new comes at the end. Those that are not what was stored are left out. */
export function listDecisions(db: Database, projectId: number): Decision[] {
  const rows = db
    .query<Row, [number]>(
      `SELECT o.id, o.type, o.title, o.subtitle, o.narrative, o.facts, o.concepts, o.files_read AS filesRead,
         o.files_modified AS filesModified, o.outcome, o.hash, o.created_at_epoch AS at, ${newestAbove('o')} AS newest
       FROM observations o WHERE o.project_id = ? AND o.type = 'decision' AND ${holds('o')} ORDER BY o.created_at_epoch, o.id`,
    )
    .all(projectId)
    .filter((row) => row.hash === hashContent(row));
  const find = db.query<{ id: number; title: string | null; at: number }, [number]>(
    'SELECT id, title, created_at_epoch AS at FROM observations WHERE id = ?',
  );
  return rows.flatMap((row) => {
    const newest = row.newest === null ? null : find.get(row.newest);
    const title = row.title ?? row.narrative;
    if (title === null) return [];
    return {
      id: row.id,
      title,
      narrative: row.title === null ? null : (row.narrative ?? row.subtitle),
      facts: Facts.parse(JSON.parse(row.facts)).map(({ text }) => text),
      files: [...Texts.parse(JSON.parse(row.filesModified)), ...Texts.parse(JSON.parse(row.filesRead))],
      outcome: row.outcome,
      supersededBy: newest && { ...newest, title: newest.title ?? '' },
      at: row.at,
    };
  });
}

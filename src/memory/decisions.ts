// The decisions of a project that may be told, with what replaces those that hold no more, or may do so.
import type { Database } from 'bun:sqlite';
import { parseRef } from '../core/memory.ts';
import type { Outcome } from '../core/observation.ts';
import { CONTENT, hashContent, readFacts, readStrings, type StoredContent } from './observations.ts';
import { readReplacedBy, readRows } from './read.ts';
import { holds } from './trusted.ts';

export type Decision = {
  id: number;
  title: string;
  narrative: string | null;
  facts: string[];
  files: string[];
  outcome: Outcome | null;
  /** The newest that stands in its place, or may do so. */
  replacedBy: { id: string; isCertain: boolean; title: string; at: number } | null;
  at: number;
};

type Row = StoredContent & { id: number; hash: string; at: number };

/** Oldest first, so that what is new comes at the end. Those that are not what was stored are left out. */
export function listDecisions(db: Database, projectId: number): Decision[] {
  const rows = db
    .query<Row, [number]>(
      `SELECT id, ${CONTENT}, hash, created_at_epoch AS at
       FROM observations o WHERE o.project_id = ? AND o.type = 'decision' AND ${holds('o')} ORDER BY o.created_at_epoch, o.id`,
    )
    .all(projectId)
    .filter((row) => row.hash === hashContent(row));
  const marks = readReplacedBy(
    db,
    rows.map(({ id }) => ({ kind: 'observation', id })),
  );
  const newer = readRows(
    db,
    [...marks.values()].flatMap(({ id }) => parseRef(id) ?? []),
  );
  return rows.flatMap((row) => {
    const mark = marks.get(String(row.id));
    const by = mark && newer.get(mark.id);
    const title = row.title ?? row.narrative;
    if (title === null) return [];
    return {
      id: row.id,
      title,
      narrative: row.title === null ? null : (row.narrative ?? row.subtitle),
      facts: readFacts(row.facts).map(({ text }) => text),
      files: [...readStrings(row.filesModified), ...readStrings(row.filesRead)],
      outcome: row.outcome,
      replacedBy: mark && by ? { id: by.id, isCertain: mark.isCertain, title: by.title, at: by.at } : null,
      at: row.at,
    };
  });
}

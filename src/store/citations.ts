// citations and error_marks: the files a memory is about, as they were, and the errors it answers.
import type { Database } from 'bun:sqlite';
import { z } from 'zod';
import type { Citation } from '../core/evidence.ts';

export type Cited = Citation & { observationId: number };

/** Inside a transaction. */
export function insertCitations(
  db: Database,
  { observationId, projectId }: { observationId: number; projectId: number },
  citations: Citation[],
): void {
  const insert = db.query(
    `INSERT OR IGNORE INTO citations (observation_id, project_id, path, did, blob, before, added, removed)
     VALUES ($observationId, $projectId, $path, $did, $blob, $before, $added, $removed)`,
  );
  for (const { path, did, blob, before, added, removed } of citations) {
    const lines = { added: JSON.stringify(added), removed: JSON.stringify(removed) };
    insert.run({ observationId, projectId, path, did, blob, before, ...lines });
  }
}

/** Inside a transaction. */
export function insertErrorMarks(
  db: Database,
  { observationId, projectId }: { observationId: number; projectId: number },
  marks: string[],
): void {
  const insert = db.query('INSERT OR IGNORE INTO error_marks (project_id, mark, observation_id) VALUES (?, ?, ?)');
  for (const mark of marks) insert.run(projectId, mark, observationId);
}

type Row = Omit<Cited, 'added' | 'removed'> & { added: string; removed: string };

export function listCitations(db: Database, observationIds: number[]): Cited[] {
  return db
    .query<Row, [string]>(
      `SELECT observation_id AS observationId, path, did, blob, before, added, removed FROM citations
       WHERE observation_id IN (SELECT value FROM json_each(?)) ORDER BY observation_id, did, path`,
    )
    .all(JSON.stringify(observationIds))
    .map((row) => ({ ...row, added: readTexts(row.added), removed: readTexts(row.removed) }));
}

const Texts = z.array(z.string()).catch([]);
const readTexts = (json: string) => Texts.parse(JSON.parse(json));

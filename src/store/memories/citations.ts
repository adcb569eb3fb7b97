// citations and error_marks: the files a memory is about, as they were, and the errors it answers.
import type { Database } from 'bun:sqlite';
import { z } from 'zod';
import type { Citation } from '../../core/evidence.ts';

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

export type Recorded = {
  head: string | null;
  branch: string | null;
  /** By path. */
  citations: Map<string, Citation>;
};

/** What the provisional observations of a batch say of a project's code: they were made first. Null when there are none. */
export function readRecorded(db: Database, batchId: number, projectId: number | undefined): Recorded | null {
  const rows = db
    .query<{ id: number; head: string | null; branch: string | null }, [number, number]>(
      'SELECT id, head, branch FROM observations WHERE batch_id = ? AND provisional = 1 AND project_id = ? ORDER BY id',
    )
    .all(batchId, projectId ?? 0);
  const [first] = rows;
  if (!first) return null;
  const cited = listCitations(
    db,
    rows.map(({ id }) => id),
  );
  const citations = new Map<string, Citation>();
  // Of a file that one of them changed and another only read, the one that changed it tells more.
  for (const { observationId: _, ...citation } of cited)
    if (citations.get(citation.path)?.did !== 'changed') citations.set(citation.path, citation);
  return { head: first.head, branch: first.branch, citations };
}

const Texts = z.array(z.string()).catch([]);
const readTexts = (json: string) => Texts.parse(JSON.parse(json));

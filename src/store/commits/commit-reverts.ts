// What a commit that takes another one back means for the memories of it: they are ruled out, until it is taken back itself.
import type { Database } from 'bun:sqlite';
import type { ObservationType, Outcome } from '../../core/observation.ts';
import { hashContent, type StoredContent } from '../memories/observations.ts';

/** The hash of a known commit: by its own, or the beginning of it; by its subject the latest before a moment. Null: nobody knows it. */
export function findReverted(
  db: Database,
  projectId: number,
  named: { by: 'hash'; hash: string } | { by: 'subject'; subject: string; before: number },
): string | null {
  const row =
    named.by === 'hash'
      ? db
          .query<{ hash: string }, [number, string]>(
            "SELECT hash FROM commits WHERE project_id = ?1 AND hash >= ?2 AND hash < ?2 || 'g' LIMIT 1",
          )
          .get(projectId, named.hash)
      : db
          .query<{ hash: string }, [number, string, number]>(
            `SELECT c.hash FROM commits c JOIN observations o ON o.id = c.observation_id
             WHERE c.project_id = ?1 AND o.title = ?2 AND c.author_at_epoch <= ?3 ORDER BY c.author_at_epoch DESC LIMIT 1`,
          )
          .get(projectId, named.subject, named.before);
  return row?.hash ?? null;
}

export function noteReverted(db: Database, commit: { projectId: number; hash: string; reverts: string }): void {
  db.query('UPDATE commits SET reverts = $reverts WHERE project_id = $projectId AND hash = $hash').run(commit);
}

/** A revert of a revert of a revert: longer chains are somebody's play. */
const LONGEST_CHAIN = 10;

/** Inside a transaction; again it changes nothing. What the reverted commit had taken back holds again, and so on. */
export function takeBack(db: Database, projectId: number, hash: string): void {
  let next: string | null = hash;
  for (let step = 0; next !== null && step < LONGEST_CHAIN; step++) {
    for (const memory of listMemories(db, projectId, next)) settle(db, memory, step % 2 === 0);
    next = revertedBy(db, projectId, next);
  }
}

/** The memory of the commit says so. */
export const isTakenBack = (db: Database, projectId: number, hash: string): boolean =>
  db
    .query(
      "SELECT 1 FROM observations WHERE project_id = ? AND commit_hash = ? AND origin = 'commit' AND outcome = 'ruled-out'",
    )
    .get(projectId, hash) !== null;

type Row = StoredContent & { id: number; hash: string; origin: string };

/** The commit's own memory and those of the work that went into it; not what a person decided about. */
const listMemories = (db: Database, projectId: number, hash: string) =>
  db
    .query<Row, [number, string]>(
      `SELECT id, type, title, subtitle, narrative, facts, concepts, files_read AS filesRead, files_modified AS filesModified,
         outcome, hash, origin FROM observations
       WHERE project_id = ? AND commit_hash = ? AND edited_at IS NULL AND pinned = 0 AND kept = 0`,
    )
    .all(projectId, hash);

function settle(db: Database, { id, hash, origin, ...content }: Row, isOut: boolean): void {
  const outcome = isOut ? 'ruled-out' : whenBack(origin, content.type);
  // A row that is not what was stored gets no new hash: that would hide it.
  const isDue = isOut ? content.outcome !== 'ruled-out' : content.outcome === 'ruled-out';
  if (!isDue || hash !== hashContent(content)) return;
  db.query('UPDATE observations SET outcome = ?, hash = ? WHERE id = ?').run(
    outcome,
    hashContent({ ...content, outcome }),
    id,
  );
}

/** How it stood before is not known any more: nobody has shown that it works. */
const whenBack = (origin: string, type: ObservationType): Outcome | null =>
  origin !== 'commit' && WORK.includes(type) ? 'unverified' : null;
const WORK: ObservationType[] = ['bugfix', 'feature', 'refactor', 'change'];

const revertedBy = (db: Database, projectId: number, hash: string): string | null =>
  db
    .query<{ reverts: string | null }, [number, string]>(
      'SELECT reverts FROM commits WHERE project_id = ? AND hash = ?',
    )
    .get(projectId, hash)?.reverts ?? null;

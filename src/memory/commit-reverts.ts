// What a commit that reverts another means for the memories of it: they are ruled out and replaced, until it is reverted itself.
import type { Database } from 'bun:sqlite';
import type { ObservationType, Outcome } from '../core/observation.ts';
import { hashContent, type StoredContent } from '../store/memories/observations.ts';
import { addReplacement, dropReverted } from './replacements.ts';

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

/** Inside a transaction; again it changes nothing. What the reverted commit had reverted itself holds again, and so on. */
export function revert(db: Database, projectId: number, hash: string): void {
  let next: string | null = hash;
  for (let step = 0; next !== null && step < LONGEST_CHAIN; step++) {
    const by = step % 2 === 0 ? findReverting(db, projectId, next) : null;
    for (const memory of listMemories(db, projectId, next)) {
      settle(db, memory, step % 2 === 0);
      if (step % 2 === 1) dropReverted(db, memory.id);
      else if (by) replaceBy(db, memory.id, by);
    }
    next = revertedBy(db, projectId, next);
  }
}

type Reverting = { id: number; at: number };

/** The latest commit that reverts this one and has a memory. */
const findReverting = (db: Database, projectId: number, hash: string): Reverting | null =>
  db
    .query<Reverting, [number, string]>(
      `SELECT c.observation_id AS id, c.author_at_epoch AS at FROM commits c
       WHERE c.project_id = ? AND c.reverts = ? AND c.observation_id IS NOT NULL ORDER BY c.author_at_epoch DESC LIMIT 1`,
    )
    .get(projectId, hash);

const replaceBy = (db: Database, id: number, by: Reverting) =>
  addReplacement(db, {
    older: { kind: 'observation', id },
    newer: { kind: 'observation', id: by.id },
    ...{ isCertain: true, why: 'reverted', words: null, madeBy: 'rules', at: by.at },
  });

/** The memory of the commit says so. */
export const isReverted = (db: Database, projectId: number, hash: string): boolean =>
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

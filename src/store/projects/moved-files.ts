// Whether a file may have had another name before, by what its commits say: so that git is asked only where it has something to say.
import type { Database } from 'bun:sqlite';

/** It came in a commit that also took files away; or with so many others that none of them was noted. */
export function mayHaveMoved(db: Database, projectId: number, path: string): boolean {
  const origins = db
    .query<{ id: number; hasGone: number }, [number, string]>(
      `SELECT c.observation_id AS id, EXISTS (
           SELECT 1 FROM citations gone WHERE gone.observation_id = c.observation_id AND gone.did = 'changed' AND gone.blob = '') AS hasGone
       FROM citations c JOIN observations o ON o.id = c.observation_id
       WHERE c.project_id = ? AND c.path = ? AND c.did = 'changed' AND c.before = '' AND o.origin = 'commit' LIMIT 20`,
    )
    .all(projectId, path);
  if (origins.length > 0) return origins.some(({ hasGone }) => hasGone === 1);
  return hasUnnamed(db, projectId);
}

/** A commit of very many files names none of them. */
const hasUnnamed = (db: Database, projectId: number): boolean =>
  db
    .query(
      `SELECT 1 FROM commits k JOIN observations o ON o.id = k.observation_id
       WHERE k.project_id = ? AND o.files_modified = '[]' AND o.facts <> '[]' LIMIT 1`,
    )
    .get(projectId) !== null;

// The last commit that a project was seen to stand on.
import type { Database } from 'bun:sqlite';

export type LastHead = {
  hash: string;
  /** Epoch ms: when it was seen. */
  at: number;
};

/** By the log that was read and by what was remembered, whichever is later; else the newest commit that is known. */
export function readLastHead(db: Database, projectId: number): LastHead | null {
  const find = (sql: string) => db.query<LastHead, [number]>(sql).get(projectId);
  const read = find(
    'SELECT head AS hash, read_at_epoch AS at FROM git_logs WHERE project_id = ? ORDER BY read_at_epoch DESC LIMIT 1',
  );
  const remembered = find(
    `SELECT head AS hash, created_at_epoch AS at FROM observations
     WHERE project_id = ? AND head IS NOT NULL AND origin <> 'commit' ORDER BY created_at_epoch DESC LIMIT 1`,
  );
  if (read && remembered) return read.at >= remembered.at ? read : remembered;
  return (
    read ??
    remembered ??
    find('SELECT hash, author_at_epoch AS at FROM commits WHERE project_id = ? ORDER BY author_at_epoch DESC LIMIT 1')
  );
}

/** Commits by which another copy of its repository is known: what it stood on last in each of its places, and its first one. */
export function listKnownCommits(db: Database, projectId: number): string[] {
  const heads = db
    .query<{ hash: string }, [number]>(
      'SELECT head AS hash FROM git_logs WHERE project_id = ? ORDER BY read_at_epoch DESC LIMIT 5',
    )
    .all(projectId);
  const first = db
    .query<{ hash: string }, [number]>("SELECT first_commit AS hash FROM projects WHERE id = ? AND first_commit <> ''")
    .all(projectId);
  const last = readLastHead(db, projectId);
  return [...new Set([...heads, ...(last ? [last] : []), ...first].map(({ hash }) => hash))];
}

/** Epoch ms: from its first to its last session, as far as anything is known. */
export function readLifetime(db: Database, projectId: number): { from: number; to: number } {
  const row = db
    .query<{ createdAt: string; first: number | null; last: number | null }, [number]>(
      `SELECT created_at AS createdAt, min(s.started_at_epoch) AS first, max(s.updated_at_epoch) AS last
       FROM projects p LEFT JOIN sessions s ON s.project_id = p.id WHERE p.id = ? GROUP BY p.id`,
    )
    .get(projectId);
  const createdAt = row ? Date.parse(row.createdAt) : 0;
  return { from: Math.min(createdAt, row?.first ?? createdAt), to: Math.max(createdAt, row?.last ?? createdAt) };
}

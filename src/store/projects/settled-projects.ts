// By what a repository is known again that has moved or goes by another key: where it lies, and the first commit of its history.
import type { Database } from 'bun:sqlite';

export type Settleable = {
  id: number;
  key: string;
  name: string;
  root: string;
  remote: string | null;
  /** Null: not known, or no git. */
  firstCommit: string | null;
};

const COLUMNS = 'id, key, name, root, remote, first_commit AS firstCommit';

export function readSettleable(db: Database, id: number): Settleable | null {
  return db.query<Settleable, [number]>(`SELECT ${COLUMNS} FROM projects WHERE id = ?`).get(id);
}

export function setFirstCommit(db: Database, id: number, firstCommit: string): void {
  db.query('UPDATE projects SET first_commit = ? WHERE id = ?').run(firstCommit, id);
}

export function setRoot(db: Database, id: number, { root, remote }: { root: string; remote: string | null }): void {
  db.query('UPDATE projects SET root = ?, remote = ? WHERE id = ?').run(root, remote, id);
}

/** Others whose history began with the same commit. */
export function listSameBeginning(db: Database, { id, firstCommit }: Settleable): Settleable[] {
  if (firstCommit === null) return [];
  return db
    .query<Settleable, [string, number]>(
      `SELECT ${COLUMNS} FROM projects WHERE first_commit = ? AND id <> ? ORDER BY id`,
    )
    .all(firstCommit, id);
}

/** The latest used ones of which no first commit is known. */
export function listUnsettled(db: Database, limit: number): number[] {
  return db
    .query<{ id: number }, [number]>(
      `SELECT p.id FROM projects p WHERE first_commit IS NULL AND root <> ''
       ORDER BY (SELECT max(s.updated_at_epoch) FROM sessions s WHERE s.project_id = p.id) DESC LIMIT ?`,
    )
    .all(limit)
    .map(({ id }) => id);
}

/** Those that go by their place though their remote is known from elsewhere. */
export function listApart(db: Database, limit: number): number[] {
  return db
    .query<{ id: number }, [number]>(
      `SELECT p.id FROM projects p WHERE p.key <> p.remote AND substr(p.key, 1, length(p.remote) + 1) <> p.remote || '#'
         AND (EXISTS (SELECT 1 FROM projects holder WHERE holder.key = p.remote)
           OR EXISTS (SELECT 1 FROM project_aliases a WHERE a.key = p.remote AND a.project_id <> p.id))
       ORDER BY p.id DESC LIMIT ?`,
    )
    .all(limit)
    .map(({ id }) => id);
}

/** The project that has the remote of this one, and might be the same. Null mostly. */
export function findHolder(db: Database, key: string): { project: string; key: string } | null {
  return db
    .query<{ project: string; key: string }, [string]>(
      `SELECT holder.name AS project, holder.key FROM projects p
         JOIN projects holder ON holder.key = p.remote
           OR holder.id = (SELECT project_id FROM project_aliases a WHERE a.key = p.remote)
       WHERE p.key = ?1 AND p.key <> p.remote AND instr(p.key, '#') = 0 AND holder.id <> p.id
         AND NOT EXISTS (SELECT 1 FROM project_roots r WHERE r.project_id = holder.id AND r.root IN (p.key, p.root) AND r.how = 'separate')`,
    )
    .get(key);
}

/** As one of them may be. */
export const isApart = ({ key, remote }: Settleable) =>
  remote !== null && key !== remote && !key.startsWith(`${remote}#`);

/** Where sessions of the project worked, the latest first. */
export function listSessionRoots(db: Database, projectId: number, limit = 5): string[] {
  return db
    .query<{ root: string }, [number, number]>(
      `SELECT root FROM (SELECT root, updated_at_epoch AS at FROM sessions WHERE project_id = ?1
         ORDER BY updated_at_epoch DESC LIMIT 10 * ?2) GROUP BY root ORDER BY max(at) DESC LIMIT ?2`,
    )
    .all(projectId, limit)
    .map(({ root }) => root);
}

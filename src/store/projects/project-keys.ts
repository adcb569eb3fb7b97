// project_aliases: the other keys of a project, and what goes along when its key becomes another.
import type { Database } from 'bun:sqlite';
import { partKey } from '../../core/project.ts';
import { isoTime } from '../time.ts';

export type Keyed = { id: number; key: string; root: string };

/**
 * A path where it was before it moved. Only while no repository is there does it still mean the project: another one may come to
 * lie in the same place.
 */
export const formerKey = (key: string) => `${FORMER}${key}`;
const FORMER = 'formerly:';

export type NewKey = {
  key: string;
  root: string;
  remote: string | null;
  /** The old key is a place that it has left. */
  hasMoved?: boolean;
};

/** Inside a transaction. The key must be free. Silences and the parts of a repository go along. */
export function rekeyProject(db: Database, { id, key: before }: Keyed, to: NewKey, now: number): void {
  const { key, root, remote, hasMoved = false } = to;
  dropAlias(db, key);
  db.query('UPDATE projects SET key = ?, root = ?, remote = ? WHERE id = ?').run(key, root, remote, id);
  if (before === key) return;
  addAlias(db, hasMoved ? formerKey(before) : before, id, now);
  moveSilences(db, before, key);
  if (hasMoved) freeStandIns(db, id);
  for (const part of listParts(db, { key: before })) {
    const next = partKey(key, part.folder);
    if (!isTaken(db, next)) rekeyProject(db, part, { ...to, key: next }, now);
  }
}

/** The key of another project becomes one of this. */
export function addAlias(db: Database, key: string, projectId: number, now: number): void {
  db.query('INSERT OR REPLACE INTO project_aliases (key, project_id, created_at) VALUES (?, ?, ?)').run(
    key,
    projectId,
    isoTime(now),
  );
}

/** Epoch ms: since when it goes by this other key, too; null when it does not. */
export function aliasedAt(db: Database, projectId: number, key: string): number | null {
  const row = db
    .query<{ at: string }, [string, number]>(
      'SELECT created_at AS at FROM project_aliases WHERE key = ? AND project_id = ?',
    )
    .get(key, projectId);
  return row ? Date.parse(row.at) : null;
}

export const dropAlias = (db: Database, key: string) =>
  db.query('DELETE FROM project_aliases WHERE key IN (?, ?)').run(key, formerKey(key));

export function moveSilences(db: Database, from: string, into: string): void {
  db.query("UPDATE silences SET key = ? WHERE scope = 'project' AND key = ?").run(into, from);
}

/** The sessions that stand for its notes and its commits are named after its key, which another project may get now. */
export function freeStandIns(db: Database, id: number): void {
  db.query(
    `UPDATE sessions SET host_session_id = host_session_id || ':' || ?1
     WHERE project_id = ?1 AND host IN ('claude-mem','git') AND host_session_id NOT LIKE '%:' || ?1`,
  ).run(id);
}

const isTaken = (db: Database, key: string) => db.query('SELECT 1 FROM projects WHERE key = ?').get(key) !== null;

/** The folders of a repository that are projects of their own. */
export function listParts(db: Database, { key }: { key: string }): (Keyed & { folder: string })[] {
  return db
    .query<Keyed, [string]>(
      `SELECT id, key, root FROM projects WHERE substr(key, 1, length(?1) + 1) = ?1 || '#' AND key <> root`,
    )
    .all(key)
    .map((part) => ({ ...part, folder: part.key.slice(key.length + 1) }));
}

/** The other keys of a project, as they were. */
export const listAliases = (db: Database, projectId: number): string[] =>
  readAliases(db, projectId).map((key) => (isFormer(key) ? key.slice(FORMER.length) : key));

/** Those that are places which it has left. */
export const listFormerPlaces = (db: Database, projectId: number): string[] =>
  readAliases(db, projectId)
    .filter(isFormer)
    .map((key) => key.slice(FORMER.length));

const isFormer = (key: string) => key.startsWith(FORMER);

const readAliases = (db: Database, projectId: number): string[] =>
  db
    .query<{ key: string }, [number]>('SELECT key FROM project_aliases WHERE project_id = ? ORDER BY created_at, key')
    .all(projectId)
    .map(({ key }) => key);

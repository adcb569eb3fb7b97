// projects: a repository (or a folder without one) whose memories belong together.
import type { Database } from 'bun:sqlite';
import type { ProjectIdentity } from '../core/project.ts';
import { isoTime } from './time.ts';

export type Project = { id: number; key: string; name: string; root: string };

/** What holds in every project belongs to this one. */
const EVERYWHERE: ProjectIdentity = { key: '*', name: 'everywhere', root: '', remote: null };

export const ensureGlobalProject = (db: Database, now: number): Project => insertProject(db, EVERYWHERE, now);

/** Null as long as nothing was said that holds everywhere. */
export const findGlobalProject = (db: Database): Project | null => findProject(db, EVERYWHERE.key);

export function ensureProject(db: Database, identity: ProjectIdentity, now: number): Project {
  // A folder that a host calls `*` must not speak for all the others.
  const isTaken = identity.key === EVERYWHERE.key;
  return insertProject(db, isTaken ? { ...identity, key: './*' } : identity, now);
}

function insertProject(db: Database, identity: ProjectIdentity, now: number): Project {
  db.query(
    'INSERT OR IGNORE INTO projects (key, name, root, remote, created_at) VALUES ($key, $name, $root, $remote, $at)',
  ).run({ ...identity, at: isoTime(now) });
  const project = findProject(db, identity.key);
  if (!project) throw new Error(`project ${identity.key} vanished while it was stored`);
  return project;
}

export function findProject(db: Database, key: string): Project | null {
  return db.query<Project, [string]>('SELECT id, key, name, root FROM projects WHERE key = ?').get(key);
}

export function getProject(db: Database, id: number): Project | null {
  return db.query<Project, [number]>('SELECT id, key, name, root FROM projects WHERE id = ?').get(id);
}

export function projectName(db: Database, id: number): string {
  return db.query<{ name: string }, [number]>('SELECT name FROM projects WHERE id = ?').get(id)?.name ?? '';
}

/** By the name people know, or by the key. Two repositories may have the same name. */
export function findProjectsNamed(db: Database, name: string): Project[] {
  const byKey = findProject(db, name);
  if (byKey) return [byKey];
  return db
    .query<Project, [string]>('SELECT id, key, name, root FROM projects WHERE name = ? COLLATE NOCASE ORDER BY id')
    .all(name);
}

const MOST_NAMES = 20;

/** The latest used first. */
export function listProjectNames(db: Database): string[] {
  return db
    .query<{ name: string }, [number]>(
      `SELECT p.name FROM projects p LEFT JOIN sessions s ON s.project_id = p.id
       GROUP BY p.name ORDER BY max(s.updated_at_epoch) DESC LIMIT ?`,
    )
    .all(MOST_NAMES)
    .map(({ name }) => name);
}

/** The innermost project whose root this path is in. */
export function findProjectAround(db: Database, path: string): Project | null {
  return db
    .query<Project, [string]>(
      `SELECT id, key, name, root FROM projects WHERE root <> '' AND substr(?1, 1, length(root) + 1) = root || '/'
       ORDER BY length(root) DESC LIMIT 1`,
    )
    .get(path);
}

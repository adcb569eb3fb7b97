// projects: a repository (or a folder without one) whose memories belong together.
import type { Database } from 'bun:sqlite';
import type { ProjectIdentity } from '../core/project.ts';
import { isoTime } from './time.ts';

export type Project = { id: number; key: string; name: string; root: string };

export function ensureProject(db: Database, identity: ProjectIdentity, now: number): Project {
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

export function projectName(db: Database, id: number): string {
  return db.query<{ name: string }, [number]>('SELECT name FROM projects WHERE id = ?').get(id)?.name ?? '';
}

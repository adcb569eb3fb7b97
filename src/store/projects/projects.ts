// projects: a repository (or a folder without one) whose memories belong together, under any of the keys it goes by.
import type { Database } from 'bun:sqlite';
import { type ProjectIdentity, partKey, wholeKeyOf } from '../../core/project.ts';
import { isoTime } from '../time.ts';
import { findFormerProject } from './former-projects.ts';
import { rekeyProject } from './project-keys.ts';

export type Project = { id: number; key: string; name: string; root: string };

/** What holds in every project belongs to this one. */
/** Of what holds in every project. */
export const GLOBAL_KEY = '*';
const EVERYWHERE: ProjectIdentity = { key: GLOBAL_KEY, name: 'everywhere', root: '', remote: null };

/** Whoever is called so could not be told from what holds everywhere. */
export const isReservedName = (name: string) => [EVERYWHERE.key, EVERYWHERE.name].includes(name.toLowerCase());

export const ensureGlobalProject = (db: Database, now: number): Project => insertProject(db, EVERYWHERE, now);

/** Null as long as nothing was said that holds everywhere. */
export const findGlobalProject = (db: Database): Project | null => findProject(db, EVERYWHERE.key);

/** Inside a transaction. */
export function ensureProject(db: Database, said: ProjectIdentity, now: number): Project {
  // A folder that a host calls `*` must not speak for all the others.
  const identity = said.key === EVERYWHERE.key ? { ...said, key: './*' } : said;
  if (identity.part !== undefined) return ensurePart(db, identity, identity.part, now);
  const known = findProjectBy(db, identity);
  if (!known) return insertProject(db, identity, now);
  if (!isBeforeRemote(known, identity)) return known;
  rekeyProject(db, known, identity, now);
  return { ...known, key: identity.key };
}

function ensurePart(db: Database, identity: ProjectIdentity, part: string, now: number): Project {
  const whole = ensureProject(db, wholeOf(identity, part), now);
  return insertProject(db, { ...identity, key: partKey(whole.key, part) }, now);
}

/** Without the folder that makes it a part. */
function wholeOf({ part: _, ...identity }: ProjectIdentity, part: string): ProjectIdentity {
  const cut = (text: string) => text.slice(0, -part.length - 1);
  return { ...identity, key: cut(identity.key), name: cut(identity.name) };
}

function insertProject(db: Database, { key, name, root, remote }: ProjectIdentity, now: number): Project {
  const known = findProject(db, key);
  if (known) return known;
  db.query(
    'INSERT OR IGNORE INTO projects (key, name, root, remote, created_at) VALUES ($key, $name, $root, $remote, $at)',
  ).run({ key, name, root, remote, at: isoTime(now) });
  const project = findProject(db, key);
  if (!project) throw new Error(`project ${key} vanished while it was stored`);
  return project;
}

/** The one that this is, under whatever key it was stored. */
export function findProjectBy(db: Database, identity: ProjectIdentity): Project | null {
  const { key, root, mainRoot, remote, part, isPlain } = identity;
  if (part !== undefined) {
    const whole = findProjectBy(db, wholeOf(identity, part));
    return findProject(db, partKey(whole?.key ?? wholeOf(identity, part).key, part)) ?? findProject(db, key);
  }
  const known = findProject(db, key);
  if (known) return known;
  if (isPlain) return findFormerProject(db, root);
  // It has a remote now: before, it was known by its root.
  const before = remote === null ? null : findProject(db, mainRoot ?? root);
  return before && isBeforeRemote(before, identity) ? before : null;
}

const isBeforeRemote = ({ key }: Project, { key: now, root, mainRoot, remote }: ProjectIdentity) =>
  remote !== null && key !== now && key === (mainRoot ?? root);

/** By its key, or another that it goes by. */
export function findProject(db: Database, key: string): Project | null {
  return db
    .query<Project, [string]>(
      `SELECT id, key, name, root FROM projects WHERE key = ?1
       UNION ALL SELECT p.id, p.key, p.name, p.root FROM project_aliases a JOIN projects p ON p.id = a.project_id
         WHERE a.key = ?1 LIMIT 1`,
    )
    .get(key);
}

export function getProject(db: Database, id: number): Project | null {
  return db.query<Project, [number]>('SELECT id, key, name, root FROM projects WHERE id = ?').get(id);
}

/** The repository that a project is a part of; null for one that is whole. */
export function findWholeOf(db: Database, id: number): Project | null {
  const part = getProject(db, id);
  const key = part && wholeKeyOf(part);
  const whole = key ? findProject(db, key) : null;
  return whole && whole.id !== id ? whole : null;
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

/** The other projects that a session has left memories in. */
export function listOtherProjects(db: Database, session: { id: number; projectId: number }): Project[] {
  return db
    .query<Project, [number, number]>(
      `SELECT id, key, name, root FROM projects WHERE id IN
         (SELECT project_id FROM observations WHERE session_id = ? AND project_id <> ?) ORDER BY id LIMIT 5`,
    )
    .all(session.id, session.projectId);
}

/** Of the folders of a repository, innermost last, the last one that is a project of its own. */
export function findPartAmong(db: Database, wholeKey: string, folders: string[]): Project | null {
  return db
    .query<Project, [string]>(
      `SELECT id, key, name, root FROM projects WHERE key IN (SELECT value FROM json_each(?))
       ORDER BY length(key) DESC LIMIT 1`,
    )
    .get(JSON.stringify(folders.map((folder) => partKey(wholeKey, folder))));
}

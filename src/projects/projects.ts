// projects: a repository (or a folder without one) whose memories belong together, under any of the keys it goes by.
import type { Database } from 'bun:sqlite';
import { asPart, type ProjectIdentity, partKey, wholeKeyOf } from '../core/project.ts';
import { oneLine } from '../core/text.ts';
import { isoTime } from '../core/time.ts';
import { identifyProject } from '../git/identity.ts';
import { readAll, readColumn, readFirst, readValue } from '../store/read.ts';
import { admit, findAdmittedAt, formerKey, isAdmitted, noteAdmitted, placeOf, rekeyProject } from './keys.ts';

export type Project = { id: number; key: string; name: string; root: string };

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
  const named = said.key === EVERYWHERE.key ? { ...said, key: './*' } : said;
  if (named.part !== undefined) return ensurePart(db, named, named.part, now);
  const identity = asKnown(db, named);
  const known = findProjectBy(db, identity);
  const isRekeyed = known !== null && identity.key === identity.remote && findProject(db, identity.key) === null;
  // Its place means the project only as long as this repository is in it.
  if (isRekeyed) rekeyProject(db, known, { ...identity, hasMoved: known.key === placeOf(identity) }, now);
  const project = known === null ? insertProject(db, identity, now) : isRekeyed ? { ...known, key: identity.key } : known;
  noteRemote(db, project, { identity, isNew: known === null || isRekeyed });
  return project;
}

/** The first root of a remote is where its project lies. One that goes by its place keeps its remote in mind: it may be proven yet. */
function noteRemote(db: Database, { id }: Project, { identity, isNew }: { identity: ProjectIdentity; isNew: boolean }): void {
  if (identity.remote === null) return;
  if (identity.key !== identity.remote)
    db.query('UPDATE projects SET remote = ?1 WHERE id = ?2 AND remote IS NOT ?1').run(identity.remote, id);
  else if (isNew) admit(db, id, identity, 'seen');
  else noteAdmitted(db, id, identity);
}

/**
 * A remote is a text that any folder can hold. Where it is known of another place, a repository goes by its own place until its
 * history has proven, or a person has said, that it is the same project.
 */
export function asKnown(db: Database, identity: ProjectIdentity): ProjectIdentity {
  const { part, remote } = identity;
  if (remote === null && part === undefined) return besideParts(db, identity);
  if (remote === null) return identity;
  if (part !== undefined) return asPart(asKnown(db, wholeOf(identity, part)), part);
  const holder = identity.key === remote ? findProject(db, remote) : null;
  return holder === null || isAdmitted(db, holder.id, identity) ? identity : { ...identity, key: placeOf(identity) };
}

/** `/work/shop#packages/a` is a folder, too, and not the part of `/work/shop` that goes by this key. */
function besideParts(db: Database, identity: ProjectIdentity): ProjectIdentity {
  const { key } = identity;
  const holder = key.includes('#') ? findProject(db, key) : null;
  return holder?.key.startsWith(`${holder.root}#`) ? { ...identity, key: key.replaceAll('#', '%23') } : identity;
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
  db.query('INSERT OR IGNORE INTO projects (key, name, root, remote, created_at) VALUES ($key, $name, $root, $remote, $at)').run({
    key,
    name,
    root,
    remote,
    at: isoTime(now),
  });
  const project = findProject(db, key);
  if (!project) throw new Error(`project ${key} vanished while it was stored`);
  return project;
}

/** The one that this is, under whatever key it was stored. */
export function findProjectBy(db: Database, said: ProjectIdentity): Project | null {
  const identity = asKnown(db, said);
  const { key, root, remote, part, isPlain } = identity;
  if (part !== undefined) {
    const whole = findProjectBy(db, wholeOf(identity, part));
    return findProject(db, partKey(whole?.key ?? wholeOf(identity, part).key, part)) ?? findProject(db, key);
  }
  const known = findProject(db, key);
  if (known) return known;
  if (isPlain) return findFormerProject(db, root);
  // It has a remote now: before, it was known by its place. Or it has another one, or none any more.
  const before = remote === null ? null : findProject(db, placeOf(identity));
  if (before && before.key !== key && before.key === placeOf(identity)) return before;
  const admitted = remote === null || key === remote ? findAdmittedAt(db, identity) : null;
  return admitted === null ? null : getProject(db, admitted);
}

/** Of the repositories that once lay in the folder or above it, the innermost. */
function findFormerProject(db: Database, folder: string): Project | null {
  const above = foldersAbove(folder);
  const sql = `SELECT id, key, name, root FROM (
      SELECT id, key, name, root, root AS place FROM projects
        WHERE root IN (SELECT value FROM json_each(?1)) AND (remote IS NOT NULL OR first_commit IS NOT NULL)
          AND substr(key, 1, length(coalesce(remote, root)) + 1) <> coalesce(remote, root) || '#'
      UNION ALL SELECT p.id, p.key, p.name, p.root, substr(a.key, ?3) FROM project_aliases a
        JOIN projects p ON p.id = a.project_id WHERE a.key IN (SELECT value FROM json_each(?2)))
    ORDER BY length(place) DESC LIMIT 1`;
  return readFirst<Project>(db, sql, JSON.stringify(above), JSON.stringify(above.map(formerKey)), formerKey('').length + 1);
}

/** Itself, too. */
function foldersAbove(folder: string): string[] {
  const folders = [folder];
  for (let at = folder.lastIndexOf('/'); at > 0; at = folder.lastIndexOf('/', at - 1)) folders.push(folder.slice(0, at));
  return folders;
}

export function findProject(db: Database, key: string): Project | null {
  const sql = `SELECT id, key, name, root FROM projects WHERE key = ?1
    UNION ALL SELECT p.id, p.key, p.name, p.root FROM project_aliases a JOIN projects p ON p.id = a.project_id
      WHERE a.key = ?1 LIMIT 1`;
  return readFirst<Project>(db, sql, key);
}

export function getProject(db: Database, id: number): Project | null {
  return readFirst<Project>(db, 'SELECT id, key, name, root FROM projects WHERE id = ?', id);
}

/** The repository that a project is a part of; null for one that is whole. */
export function findWholeOf(db: Database, id: number): Project | null {
  const part = getProject(db, id);
  const key = part && wholeKeyOf(part);
  const whole = key ? findProject(db, key) : null;
  return whole && whole.id !== id ? whole : null;
}

export function projectName(db: Database, id: number): string {
  return readValue<string>(db, 'SELECT name FROM projects WHERE id = ?', id) ?? '';
}

/** By the name people know, or by the key. Two repositories may have the same name. */
export function findProjectsNamed(db: Database, name: string): Project[] {
  const byKey = findProject(db, name);
  if (byKey) return [byKey];
  return readAll<Project>(db, 'SELECT id, key, name, root FROM projects WHERE name = ? COLLATE NOCASE ORDER BY id', name);
}

const MOST_NAMES = 20;

export const listProjectNames = (db: Database): string[] => {
  const sql = `SELECT p.name FROM projects p LEFT JOIN sessions s ON s.project_id = p.id
    GROUP BY p.name ORDER BY max(s.updated_at_epoch) DESC LIMIT ? + 0`;
  return readColumn(db, sql, MOST_NAMES);
};

/** The innermost project whose root this path is in. */
export function findProjectAround(db: Database, path: string): Project | null {
  const sql = `SELECT id, key, name, root FROM projects WHERE root <> '' AND substr(?1, 1, length(root) + 1) = root || '/'
    ORDER BY length(root) DESC LIMIT 1`;
  return readFirst<Project>(db, sql, path);
}

/** Of the folders of a repository, innermost last, the last one that is a project of its own. */
export function findPartAmong(db: Database, wholeKey: string, folders: string[]): Project | null {
  const sql = `SELECT id, key, name, root FROM projects WHERE key IN (SELECT value FROM json_each(?))
    ORDER BY length(key) DESC LIMIT 1`;
  return readFirst<Project>(db, sql, JSON.stringify(folders.map((folder) => partKey(wholeKey, folder))));
}

// Which project of ours another claude-mem means: it kept no more of a project than the name of its folder.

type MatchedProject = {
  /** Null as long as nothing of it came in: then there is no need of a project either. */
  id: number | null;
  identity: ProjectIdentity;
};

const OWN_KEYS = 'claude-mem.db/';

/** Nobody knows where it lies: there is none of that name, or more than one. */
export const isUnmatched = (key: string) => key.startsWith(OWN_KEYS);

/** Ours of that name, if there is exactly one. Else one that stands for the name until somebody says which it is. */
export function matchProject(db: Database, named: string): MatchedProject {
  const name = oneLine(named, 100) || 'unknown';
  // In a key, what follows a # is a folder of the project.
  const key = `${OWN_KEYS}${name.replaceAll('#', '%23')}`;
  const found = findByName(db, name, key);
  if (found) return describeMatch(found);
  return { id: null, identity: { key, name, root: '', remote: null } };
}

/** Inside a transaction. */
export function ensureMatched(db: Database, matched: MatchedProject, now: number): number {
  matched.id ??= ensureProject(db, matched.identity, now).id;
  return matched.id;
}

/** What a person has merged goes before a name. Another work tree was called `repository/tree`: it is the same project. */
function findByName(db: Database, name: string, key: string): Project | null {
  const standing = findProject(db, key);
  if (standing && !standing.key.startsWith(OWN_KEYS)) return standing;
  for (const one of new Set([name, name.split('/', 1)[0] ?? name])) {
    const known = findProjectsNamed(db, one).filter((project) => project.root !== '');
    if (known.length === 1 && known[0]) return known[0];
  }
  return standing;
}

/** As settings and silences know it. */
function describeMatch({ id, key, name, root }: Project): MatchedProject {
  const { mainRoot } = root === '' ? {} : identifyProject(root);
  const identity = { key, name, root, remote: null, ...(mainRoot === undefined ? {} : { mainRoot }) };
  return { id, identity };
}

// Which project a folder belongs to by git and by the settings, and all the names under which settings and silences may speak of it.

import type { Database } from 'bun:sqlite';
import { basename, isAbsolute } from 'node:path';
import type { Config } from '../config.ts';
import { AskError } from '../core/ask-error.ts';
import { asPart, findPart, foldersUpTo, type ProjectIdentity, type ProjectNames, settingsFor, wholeKeyOf } from '../core/project.ts';
import { canonical } from '../git/git-dir.ts';
import { identifyProject } from '../git/identity.ts';
import { listAliases, listFormerPlaces } from './keys.ts';
import {
  asKnown,
  findGlobalProject,
  findPartAmong,
  findProject,
  findProjectBy,
  findProjectsNamed,
  findWholeOf,
  listProjectNames,
  type Project,
} from './projects.ts';

type PlaceSettings = Partial<Pick<Config, 'subprojects' | 'projects'>>;

/** The repository, or the folder of it that the settings make a project of its own. */
export function identifyPlace(cwd: string, { subprojects = [], projects = {} }: PlaceSettings): ProjectIdentity {
  const whole = identifyProject(cwd);
  if (subprojects.length === 0 && Object.keys(projects).length === 0) return whole;
  const own = settingsFor({ subprojects, projects }, whole);
  const part = own.subprojects.length > 0 ? findPart(canonical(cwd), whole.root, own.subprojects) : null;
  return part === null ? whole : asPart(whole, part);
}

/** As the store knows it, if it does, with all that it was ever called. */
export function nameProject(db: Database, identity: ProjectIdentity): ProjectNames {
  const project = findProjectBy(db, identity);
  const { root, mainRoot } = identity;
  if (!project) return { ...identity, others: namesOfWhole(db, identity) };
  return { ...nameKnown(db, project, identity), root, mainRoot };
}

/** The project of a session, as it is met in the session's own work tree. */
export function nameKnown(db: Database, project: Project, here: ProjectIdentity): ProjectNames {
  const { key, name } = project;
  const others = [here.key, here.name, ...namesFromBefore(db, project.id), ...namesOfWhole(db, { ...here, key })];
  return { key, name, root: here.root, mainRoot: here.mainRoot, others: [...new Set(others)] };
}

function namesOfWhole(db: Database, part: { key: string; root: string }): string[] {
  const key = wholeKeyOf(part);
  if (key === null) return [];
  const whole = findProject(db, key);
  return whole ? [key, whole.key, whole.name, ...namesFromBefore(db, whole.id)] : [key];
}

/** Where it was before it moved it had the name of that folder. */
const namesFromBefore = (db: Database, projectId: number): string[] => [
  ...listAliases(db, projectId),
  ...listFormerPlaces(db, projectId).map(nameOfPath),
];

function nameOfPath(key: string): string {
  const [root = '', part] = key.split('#');
  return part === undefined ? basename(root) : `${basename(root)}/${part}`;
}

/** `all` goes before `project`, and that before `cwd`, which a client sends along with any question. */
export type ScopeParameters = { cwd?: string; project?: string; all?: boolean };

export type Scope = {
  name: string | null;
  /** Null for every project, and for a folder of which nothing is known yet. */
  project: Project | null;
  /** The projects to look in, with the repository of a part and the one that holds everywhere. Null: all. */
  projectIds: number[] | null;
};

const EVERY_PROJECT: Scope = { name: null, project: null, projectIds: null };

export function resolveScope(db: Database, { cwd, project, all }: ScopeParameters): Scope {
  if (all) return EVERY_PROJECT;
  if (project !== undefined) return scopeOf(db, findNamed(db, project));
  if (cwd === undefined) {
    throw new AskError('invalid', 'It is not said where to look.', 'Give cwd, project or all=true.');
  }
  const { identity, project: known } = findFolder(db, cwd);
  return known ? scopeOf(db, known) : { ...scopeOf(db, null), name: identity.name };
}

type Folder = {
  identity: ProjectIdentity;
  project: Project | null;
  /** What is to be looked in for what is known of it: a part of a repository, and the whole. */
  projectIds: number[];
};

/** The project that a folder belongs to as far as the store knows: that of its repository, or of a folder in there. */
export function findFolder(db: Database, cwd: string): Folder {
  const identity = asKnown(db, identifyFolder(cwd));
  const whole = findProjectBy(db, identity);
  const folders = foldersUpTo(canonical(cwd), identity.root);
  const part = folders.length > 0 ? findPartAmong(db, whole?.key ?? identity.key, folders) : null;
  const projectIds = [part, whole].flatMap((one) => (one ? [one.id] : []));
  return { identity, project: part ?? whole, projectIds };
}

/** For lists, which are of everything unless asked otherwise. */
export function resolveListScope(db: Database, parameters: ScopeParameters): Scope {
  const isNamed = parameters.cwd !== undefined || parameters.project !== undefined;
  return isNamed ? resolveScope(db, parameters) : EVERY_PROJECT;
}

/** A path of another machine would do; a relative one would be the worker's own folder. */
export function identifyFolder(cwd: string) {
  if (!isAbsolute(cwd)) throw new AskError('invalid', 'cwd is not an absolute path.', 'Give the whole path.');
  return identifyProject(cwd);
}

export function findNamed(db: Database, name: string): Project {
  const all = findProjectsNamed(db, name);
  // What a team published of one with that name is meant only by its key.
  const own = all.filter(({ key }) => !key.startsWith('sync:'));
  const [found, ...others] = own.length > 0 ? own : all;
  if (found && others.length === 0) return found;
  if (!found) {
    const known = listProjectNames(db);
    const hint = known.length > 0 ? `Known: ${known.join(', ')}.` : 'Nothing is remembered of any project yet.';
    throw new AskError('unknown', `No project is called "${name.slice(0, 100)}".`, hint, known);
  }
  const keys = [found, ...others].map(({ key }) => key);
  throw new AskError('ambiguous', `${keys.length} projects are called "${found.name}".`, 'Give one of the candidates.', keys);
}

function scopeOf(db: Database, project: Project | null): Scope {
  const everywhere = findGlobalProject(db);
  const whole = project && findWholeOf(db, project.id);
  const ids = [project, whole, everywhere].flatMap((one) => (one ? [one.id] : []));
  return { name: project?.name ?? null, project, projectIds: [...new Set(ids)] };
}

// The routes of projects: which there are, which are one, and what they are called.
import type { Database } from 'bun:sqlite';
import { stat } from 'node:fs/promises';
import { z } from 'zod';
import { AskError } from '../../../core/ask-error.ts';
import { oneLine } from '../../../core/one-line.ts';
import type {
  MergeAnswer,
  ProjectIdentity,
  ProjectsAnswer,
  RenameAnswer,
  SeparateAnswer,
} from '../../../core/project.ts';
import { identifyProject } from '../../../git/identity.ts';
import { mergeProjects } from '../../../store/projects/merge-projects.ts';
import { listAliases } from '../../../store/projects/project-keys.ts';
import { admit, listOtherRoots, placeOf } from '../../../store/projects/project-roots.ts';
import {
  findGlobalProject,
  findProject,
  findProjectBy,
  findProjectsNamed,
  isReservedName,
  type Project,
} from '../../../store/projects/projects.ts';
import { renameProject } from '../../../store/projects/renamed-projects.ts';
import { separateRoot } from '../../../store/projects/separate-root.ts';
import { findHolder, listSessionRoots } from '../../../store/projects/settled-projects.ts';
import { listProjects } from '../../../store/sessions/session-lists.ts';
import { findFolder, findNamed } from '../../projects/scope.ts';
import { pageShape } from '../answers.ts';
import { type Api, addRoute } from '../route.ts';
import {
  MergeAnswerSchema,
  ProjectsAnswerSchema,
  RenameAnswerSchema,
  SeparateAnswerSchema,
} from '../schemas/project.ts';

export type ProjectRoutesDeps = {
  db: Database;
  clock: () => number;
  /** Documents are to learn another name of their project. */
  onRenamed?: () => void;
};

const DEFAULT_PAGE = 50;
const sayProject = (which: string) => z.string().min(1).max(4096).describe(`${which}: its name, its key or a folder`);

export function addProjectRoutes(api: Api, deps: ProjectRoutesDeps): void {
  addListRoute(api, deps);
  addMergeRoute(api, deps);
  addSeparateRoute(api, deps);
  addRenameRoute(api, deps);
}

function addListRoute(api: Api, { db }: ProjectRoutesDeps): void {
  const spec = {
    method: 'GET',
    path: '/api/projects',
    about: 'Projects, the latest used first.',
    query: pageShape(DEFAULT_PAGE),
    answers: { 200: ProjectsAnswerSchema },
  } as const;
  addRoute(api, spec, async ({ query, c }) => {
    const { items, ...page } = listProjects(db, query);
    const rows = items.map(async (item) => ({
      ...item,
      aliases: listAliases(db, findProject(db, item.key)?.id ?? 0),
      isGone: item.root !== '' && (await isGone(item.root)),
      maybe: findHolder(db, item.key),
    }));
    return c.json({ items: await Promise.all(rows), ...page } satisfies ProjectsAnswer);
  });
}

function addMergeRoute(api: Api, { db, clock, onRenamed }: ProjectRoutesDeps): void {
  const spec = {
    method: 'POST',
    path: '/api/projects/merge',
    about: 'Makes all of one project part of another, for good.',
    body: { from: sayProject('The one that ends'), into: sayProject('The one that stays') },
    answers: { 200: MergeAnswerSchema },
  } as const;
  addRoute(api, spec, ({ body: said, c }) => {
    const [from, into] = [findSaid(db, said.from), findSaid(db, said.into)];
    if (from.id === into.id) throw new AskError('conflict', `"${from.name}" is that project already.`, 'Give two.');
    const moved = db.transaction(() => mergeAsSaid(db, { from, into }, clock())).immediate();
    onRenamed?.();
    return c.json({ from: from.name, project: into.name, key: into.key, moved } satisfies MergeAnswer);
  });
}

/** A person's word: the place of a repository that had no proof counts from then on, whatever comes to lie there. */
function mergeAsSaid(db: Database, { from, into }: { from: Project; into: Project }, now: number) {
  const place = from.key.startsWith('/') ? identifyProject(from.key) : null;
  const moved = mergeProjects(db, { from, into }, now);
  if (place && placeOf(place) === from.key) admit(db, into.id, place, 'merged');
  return moved;
}

function addSeparateRoute(api: Api, { db, clock, onRenamed }: ProjectRoutesDeps): void {
  const spec = {
    method: 'POST',
    path: '/api/projects/separate',
    about: 'Makes a folder that is one of several places of a project a project of its own, with what was done there.',
    body: { folder: z.string().min(1).max(4096).startsWith('/').describe('Its whole path') },
    answers: { 200: SeparateAnswerSchema },
  } as const;
  addRoute(api, spec, ({ body: { folder }, c }) => {
    const here = identifyProject(folder);
    const from = findProjectBy(db, here);
    if (!from) throw new AskError('unknown', `Nothing is remembered of ${folder}.`, 'See claude-mem projects.');
    if (here.isPlain || from.key === placeOf(here) || listOtherRoots(db, from.id, here).length === 0)
      throw new AskError('conflict', `${folder} is a project of its own already.`, 'Nothing was changed.');
    const { project, moved } = separateRoot(db, { from, here, roots: listTrees(db, from, here) }, clock());
    onRenamed?.();
    return c.json({ from: from.name, project: project.name, key: project.key, moved } satisfies SeparateAnswer);
  });
}

const MOST_TREES = 1000;

/** The work trees of the repository that lies there. One that is gone counts for nothing. */
const listTrees = (db: Database, { id }: Project, here: ProjectIdentity): string[] => {
  const known = listSessionRoots(db, id, MOST_TREES).filter((root) => placeOf(identifyProject(root)) === placeOf(here));
  return [...new Set([here.root, placeOf(here), ...known])];
};

function addRenameRoute(api: Api, { db, clock, onRenamed }: ProjectRoutesDeps): void {
  const spec = {
    method: 'PATCH',
    path: '/api/projects',
    about: 'Calls a project otherwise.',
    body: { project: sayProject('Which'), name: z.string().min(1).max(200).describe('Its new name') },
    answers: { 200: RenameAnswerSchema },
  } as const;
  addRoute(api, spec, ({ body: said, c }) => {
    const project = findSaid(db, said.project);
    const name = oneLine(said.name.trim(), 100);
    if (name === '') throw new AskError('invalid', 'The name is empty.', 'Give one.');
    refuseName(db, project, name);
    renameProject(db, project.id, name, clock());
    onRenamed?.();
    return c.json({ project: name, key: project.key, before: project.name } satisfies RenameAnswer);
  });
}

/** By its name a project is asked for: it must be its alone. */
function refuseName(db: Database, { id }: Project, name: string): void {
  if (isReservedName(name))
    throw new AskError('conflict', `"${name}" means every project.`, 'Take another name. Nothing was changed.');
  const other = findProjectsNamed(db, name).find((project) => project.id !== id);
  if (!other) return;
  throw new AskError(
    'conflict',
    `Another project is called "${name}" already: ${other.key}.`,
    'Take another name, or make the two one: claude-mem projects merge. Nothing was changed.',
  );
}

/** By a name, a key, or a folder. What holds everywhere is nobody's to give away. */
function findSaid(db: Database, said: string): Project {
  const here = said.startsWith('/') ? (findProject(db, said) ?? findFolder(db, said).project) : null;
  const project = here ?? findNamed(db, said);
  if (project.id !== findGlobalProject(db)?.id) return project;
  throw new AskError('conflict', 'What holds everywhere stays what it is.', 'Give another project.');
}

/** A disk that is not there may never answer. */
const LOOK_MS = 500;

async function isGone(root: string): Promise<boolean> {
  const look = stat(root).then(
    () => false,
    (error) => error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'),
  );
  return Promise.race([look, Bun.sleep(LOOK_MS).then(() => false)]);
}

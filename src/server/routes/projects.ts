// The routes of projects: which there are, which are one, and what they are called.
import type { Database } from 'bun:sqlite';
import { stat } from 'node:fs/promises';
import { z } from 'zod';
import { AskError } from '../../core/ask-error.ts';
import { pageShape } from '../../core/shapes/asked.ts';
import { MergeAnswerSchema, ProjectsAnswerSchema, RenameAnswerSchema, SeparateAnswerSchema } from '../../core/shapes/project.ts';
import { oneLine } from '../../core/text.ts';
import { identifyProject } from '../../git/identity.ts';
import { listProjects } from '../../memory/session-page.ts';
import { admit, listAliases, listOtherRoots, placeOf } from '../../projects/keys.ts';
import { mergeProjects, renameProject, separateRoot } from '../../projects/merge.ts';
import { findFolder, findNamed } from '../../projects/place.ts';
import { findGlobalProject, findProject, findProjectBy, findProjectsNamed, isReservedName, type Project } from '../../projects/projects.ts';
import { findHolder, listSessionRoots } from '../../projects/settle.ts';
import { scrubSecrets } from '../../secrets/scrub.ts';
import { type Route, route } from '../http/route.ts';
import type { RouteDeps } from './index.ts';

const which = (one: string) => z.string().min(1).max(4096).describe(`${one}: its name, its key or a folder`);

export function projectRoutes({ db, clock, onRenamed }: Pick<RouteDeps, 'db' | 'clock' | 'onRenamed'>): Route[] {
  const changed = <Answer>(answer: Answer): Answer => {
    onRenamed?.();
    return answer;
  };
  return [
    route(
      'GET /api/projects',
      'Projects, the latest used first.',
      {
        query: { ...pageShape(50), sizes: z.stringbool().default(false).describe('With how much is kept of each') },
        answer: ProjectsAnswerSchema,
      },
      async ({ query }) => {
        const { items, ...page } = listProjects(db, { ...query, now: clock() });
        const rows = items.map(async (item) => {
          const aliases = listAliases(db, findProject(db, item.key)?.id ?? 0);
          return { ...item, aliases, isGone: item.root !== '' && (await isGone(item.root)), maybe: findHolder(db, item.key) };
        });
        return { items: await Promise.all(rows), ...page };
      },
    ),
    route(
      'POST /api/projects/merge',
      'Makes all of one project part of another, for good.',
      { body: { from: which('The one that ends'), into: which('The one that stays') }, answer: MergeAnswerSchema },
      ({ body }) => changed(merge(db, findSaid(db, body.from), findSaid(db, body.into), clock())),
    ),
    route(
      'POST /api/projects/separate',
      'Makes a folder that is one of several places of a project a project of its own, with what was done there.',
      { body: { folder: z.string().min(1).max(4096).startsWith('/').describe('Its whole path') }, answer: SeparateAnswerSchema },
      ({ body: { folder } }) => changed(separate(db, folder, clock())),
    ),
    route(
      'PATCH /api/projects',
      'Renames a project.',
      { body: { project: which('Which'), name: z.string().min(1).max(200).describe('Its new name') }, answer: RenameAnswerSchema },
      ({ body }) => changed(rename(db, findSaid(db, body.project), oneLine(scrubSecrets(body.name.trim()).text, 100))),
    ),
  ];
}

/** A person's word: the place of a repository that had no proof counts from then on, whatever comes to lie there. */
function merge(db: Database, from: Project, into: Project, now: number) {
  if (from.id === into.id) throw new AskError('conflict', `"${from.name}" is that project already.`, 'Give two.');
  const place = from.key.startsWith('/') ? identifyProject(from.key) : null;
  const join = () => {
    const moved = mergeProjects(db, { from, into }, now);
    if (place && placeOf(place) === from.key) admit(db, into.id, place, 'merged');
    return moved;
  };
  return { from: from.name, project: into.name, key: into.key, moved: db.transaction(join).immediate() };
}

const MOST_TREES = 1000;

function separate(db: Database, folder: string, now: number) {
  const here = identifyProject(folder);
  const from = findProjectBy(db, here);
  if (!from) throw new AskError('unknown', `Nothing is remembered of ${folder}.`, 'See claude-mem projects.');
  if (here.isPlain || from.key === placeOf(here) || listOtherRoots(db, from.id, here).length === 0)
    throw new AskError('conflict', `${folder} is a project of its own already.`, 'Nothing was changed.');
  // The work trees of the repository that lies there. One that is gone counts for nothing.
  const trees = listSessionRoots(db, from.id, MOST_TREES).filter((root) => placeOf(identifyProject(root)) === placeOf(here));
  const { project, moved } = separateRoot(db, { from, here, roots: [...new Set([here.root, placeOf(here), ...trees])] }, now);
  return { from: from.name, project: project.name, key: project.key, moved };
}

/** By its name a project is asked for: it must be its alone. */
function rename(db: Database, { id, key, name: before }: Project, name: string) {
  if (name === '') throw new AskError('invalid', 'The name is empty.', 'Give one.');
  if (isReservedName(name)) throw new AskError('conflict', `"${name}" means every project.`, 'Take another name. Nothing was changed.');
  const other = findProjectsNamed(db, name).find((project) => project.id !== id);
  if (other)
    throw new AskError(
      'conflict',
      `Another project is called "${name}" already: ${other.key}.`,
      'Take another name, or make the two one: claude-mem projects merge. Nothing was changed.',
    );
  renameProject(db, id, name);
  return { project: name, key, before };
}

/** By a name, a key, or a folder. What holds everywhere is nobody's to give away. */
function findSaid(db: Database, said: string): Project {
  const here = said.startsWith('/') ? (findProject(db, said) ?? findFolder(db, said).project) : null;
  const project = here ?? findNamed(db, said);
  if (project.id !== findGlobalProject(db)?.id) return project;
  throw new AskError('conflict', 'What applies everywhere stays what it is.', 'Give another project.');
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

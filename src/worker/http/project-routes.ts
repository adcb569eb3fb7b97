// The routes of projects: which there are, which are one, and what they are called.
import type { Database } from 'bun:sqlite';
import { stat } from 'node:fs/promises';
import type { Hono } from 'hono';
import { z } from 'zod';
import { AskError } from '../../core/ask-error.ts';
import { oneLine } from '../../core/one-line.ts';
import type { MergeAnswer, ProjectsAnswer, RenameAnswer } from '../../core/project.ts';
import { mergeProjects } from '../../store/merge-projects.ts';
import { listAliases } from '../../store/project-keys.ts';
import { findGlobalProject, findProject, type Project } from '../../store/projects.ts';
import { renameProject } from '../../store/renamed-projects.ts';
import { listProjects } from '../../store/session-lists.ts';
import { findFolder, findNamed } from '../scope.ts';
import { pageShape, readBody, readQuery } from './answers.ts';

export type ProjectRoutesDeps = {
  db: Database;
  clock: () => number;
  /** Documents are to learn another name of their project. */
  onRenamed?: () => void;
};

const DEFAULT_PAGE = 50;
const Said = z.string().min(1).max(4096);

export function addProjectRoutes(app: Hono, { db, clock, onRenamed }: ProjectRoutesDeps): void {
  app.get('/api/projects', async (c) => {
    const { items, ...page } = listProjects(db, readQuery(c, pageShape(DEFAULT_PAGE)));
    const rows = items.map(async (item) => ({
      ...item,
      aliases: listAliases(db, findProject(db, item.key)?.id ?? 0),
      isGone: item.root !== '' && (await isGone(item.root)),
    }));
    return c.json({ items: await Promise.all(rows), ...page } satisfies ProjectsAnswer);
  });

  app.post('/api/projects/merge', async (c) => {
    const said = await readBody(c, { from: Said, into: Said });
    const [from, into] = [findSaid(db, said.from), findSaid(db, said.into)];
    if (from.id === into.id) throw new AskError('conflict', `"${from.name}" is that project already.`, 'Give two.');
    const moved = mergeProjects(db, { from, into }, clock());
    onRenamed?.();
    return c.json({ from: from.name, project: into.name, key: into.key, moved } satisfies MergeAnswer);
  });

  app.patch('/api/projects', async (c) => {
    const said = await readBody(c, { project: Said, name: z.string().min(1).max(200) });
    const project = findSaid(db, said.project);
    const name = oneLine(said.name.trim(), 100);
    if (name === '') throw new AskError('invalid', 'The name is empty.', 'Give one.');
    renameProject(db, project.id, name, clock());
    onRenamed?.();
    return c.json({ project: name, key: project.key, before: project.name } satisfies RenameAnswer);
  });
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

// The route of a file's history: every memory that read or changed it.
import type { Database } from 'bun:sqlite';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { canonical } from '../../../git/git-dir.ts';
import { identifyProject } from '../../../git/identity.ts';
import { findEarlierNames } from '../../../git/renames.ts';
import { readFileHistory } from '../../../search/file-history.ts';
import { findProjectAround } from '../../../store/projects/projects.ts';
import { findFolder, resolveScope, type ScopeParameters } from '../../projects/scope.ts';
import { requireOwnProjects } from '../agent-limit.ts';
import { pageShape, ScopeShape } from '../answers.ts';
import { type Api, addRoute } from '../route.ts';
import { FileHistoryAnswerSchema } from '../schemas/memory.ts';

const DEFAULT_PAGE = 40;

export function addFileHistoryRoutes(api: Api, { db }: { db: Database }): void {
  const spec = {
    method: 'GET',
    path: '/api/observations/by-file',
    about: 'Every memory that read or changed a file, under any of its names.',
    query: {
      ...ScopeShape,
      ...pageShape(DEFAULT_PAGE),
      path: z.string().min(1).max(4096).describe('Of the file: absolute, or below cwd or the project'),
    },
    answers: { 200: FileHistoryAnswerSchema },
  } as const;
  addRoute(api, spec, async ({ query: { path: given, limit, offset, ...asked }, c }) => {
    // Memories know files by their real paths.
    const path = isAbsolute(given) ? join(canonical(dirname(given)), basename(given)) : given;
    const { projectIds, cwd, root } = findPlace(db, path, asked);
    requireOwnProjects(c.get('own'), projectIds);
    const query = { path, cwd, root, projectIds, limit, offset };
    const answer = await readFileHistory(db, query, (name) =>
      root && !isAbsolute(name) ? findEarlierNames({ root, path: name }) : Promise.resolve([]),
    );
    return c.json(answer);
  });
}

type Place = { projectIds: number[] | null; cwd: string | null; root: string | null };

function findPlace(db: Database, path: string, asked: ScopeParameters): Place {
  // A project that was named is elsewhere: what the asker's folder says of paths does not hold there.
  if (asked.project !== undefined || asked.all) {
    const { project, projectIds } = resolveScope(db, asked);
    return { projectIds, cwd: null, root: project?.root ?? null };
  }
  if (asked.cwd !== undefined || !isAbsolute(path)) {
    const { projectIds } = resolveScope(db, asked);
    const cwd = asked.cwd === undefined ? null : canonical(asked.cwd);
    return { projectIds, cwd, root: cwd && identifyProject(cwd).root };
  }
  // An absolute path says by itself where to look.
  const { identity, project, projectIds } = findFolder(db, dirname(path));
  if (project) return { projectIds, cwd: null, root: identity.root };
  const around = findProjectAround(db, path);
  return { projectIds: around ? [around.id] : [], cwd: null, root: around?.root ?? identity.root };
}

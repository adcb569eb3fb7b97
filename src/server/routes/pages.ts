// The routes of the context (what the next session would get and why, what one got, the same as plain Markdown) and of the viewer's
// pages: the overview and its open steps, the decisions of a project, one memory with all that is known of it.
import { z } from 'zod';
import { listDecisions, readState } from '../../context/decisions.ts';
import { type PreviewDeps, previewContext, replaySession } from '../../context/preview.ts';
import { AskError } from '../../core/ask-error.ts';
import { formatRef } from '../../core/memory.ts';
import { By, PreviewShape, ProjectName, readRef, StartShape, wholeNumber } from '../../core/shapes/asked.ts';
import { PreviewAnswerSchema, ReplayAnswerSchema } from '../../core/shapes/context.ts';
import { DecisionsSchema, OverviewSchema, WholeMemorySchema } from '../../core/shapes/pages.ts';
import { requirePerson } from '../../memory/edit.ts';
import { tickStep } from '../../memory/open-steps.ts';
import { readOverview } from '../../memory/overview.ts';
import { listOwners } from '../../memory/read.ts';
import { findFolder, findNamed, resolveListScope } from '../../projects/place.ts';
import { findProjectsNamed, getProject } from '../../projects/projects.ts';
import { readWhole } from '../../search/about.ts';
import { resolveOwnScope } from '../http/agent-limit.ts';
import { type Route, readNumber, route } from '../http/route.ts';
import type { RouteDeps } from './index.ts';

const OverviewShape = {
  project: ProjectName,
  days: wholeNumber(1, 366).default(7).describe('How many days are counted, with today'),
  shown: wholeNumber(1, 366).default(91).describe('How many days are counted one by one'),
};

export function pageRoutes(deps: Pick<RouteDeps, 'db' | 'clock' | 'checkFreshness'>): Route[] {
  const { db, clock } = deps;
  return [
    route(
      'GET /api/overview',
      'What the memory did in the last days, what was worked on, and what is left to do.',
      { query: OverviewShape, answer: OverviewSchema },
      ({ query: { days, shown: shownDays, ...scope } }) =>
        readOverview(db, { projectIds: resolveListScope(db, scope).projectIds, now: clock(), days, shownDays }),
    ),
    route(
      'POST /api/steps/:id',
      'A person says that an open step is done, or that it is not after all.',
      {
        parts: { id: 'The number of an open step' },
        body: { isDone: z.boolean().describe('False: it is open again'), by: By },
        answer: z.object({ text: z.string(), isDone: z.boolean() }),
      },
      ({ body: { isDone, by }, param }) => {
        requirePerson(by);
        return db
          .transaction(() =>
            tickStep(db, readNumber(param('id'), 'an open step', 'GET /api/overview lists them.'), { isDone, at: clock() }),
          )
          .immediate();
      },
    ),
    route(
      'GET /api/decisions',
      'The decisions and rules of a project: what applies, with the state of the code, and what was replaced.',
      { query: { project: z.string().min(1).max(4096).describe('By its name or its key') }, answer: DecisionsSchema },
      ({ query }) => listDecisions(deps, findNamed(db, query.project)),
    ),
    route(
      'GET /api/memories/:id',
      'One memory with the record of its turn, the state of its files, what it replaced and which sessions were given it.',
      { parts: { id: 'Like 123, S12 and P34' }, answer: WholeMemorySchema },
      async ({ param }) => {
        const ref = readRef(param('id'));
        const whole = readWhole(db, ref);
        const [owner] = listOwners(db, [ref]);
        const project = owner ? getProject(db, owner.projectId) : null;
        return { ...whole, state: await readState(deps, formatRef(ref), project) };
      },
    ),
  ];
}

/** As long as a session that starts waits for what was done just before. */
const WAIT_MS = 500;

export function contextRoutes(deps: PreviewDeps & Pick<RouteDeps, 'finishProject'>): Route[] {
  const { db, finishProject } = deps;
  return [
    route(
      'GET /api/context/preview',
      'Exactly what the next session would get, and why.',
      { query: PreviewShape, answer: PreviewAnswerSchema },
      ({ query, c }) => {
        resolveOwnScope(db, c, query);
        return previewContext(deps, query);
      },
    ),
    route(
      'GET /api/context/replay',
      'What a session got, and when.',
      {
        query: { session: z.string().min(1).max(200).describe("The agent's id of a session, or the beginning of it") },
        answer: ReplayAnswerSchema,
      },
      ({ query }) => replaySession(db, query.session),
    ),
    route(
      'GET /api/context/inject',
      'What a session of this folder or project gets at its start; empty when there is nothing.',
      { query: StartShape, answer: 'text/markdown' },
      async ({ query: { cwd, project }, c }) => {
        const markdown = (text: string) => c.body(text, 200, { 'content-type': 'text/markdown; charset=utf-8' });
        const [named] = cwd === undefined && project !== undefined ? findProjectsNamed(db, project) : [];
        // Whoever asks puts the answer before a model, whatever it is: of a project that is new there is nothing to say.
        if (cwd === undefined && project !== undefined && !named) return markdown('');
        if (cwd === undefined && !named) throw new AskError('invalid', 'cwd is missing.', 'Give cwd, or project.');
        const known = cwd === undefined ? named : findFolder(db, cwd).project;
        if (known) await finishProject?.(known.id, WAIT_MS);
        const { text } = await previewContext(deps, cwd === undefined ? { project } : { cwd });
        return markdown(text);
      },
    ),
  ];
}

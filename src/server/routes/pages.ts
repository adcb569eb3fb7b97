// The routes of the viewer's pages: the overview and its open steps, the decisions of a project, one memory with all that is known of it.
import type { Database } from 'bun:sqlite';
import { z } from 'zod';
import { listDecisions, readState } from '../../context/decisions.ts';
import type { TellDeps } from '../../context/tell.ts';
import { AskError } from '../../core/ask-error.ts';
import { formatRef } from '../../core/memory.ts';
import { By, ProjectName, readRef, wholeNumber } from '../../core/shapes/asked.ts';
import { DecisionsSchema, OverviewSchema, WholeMemorySchema } from '../../core/shapes/pages.ts';
import { requirePerson } from '../../memory/edit.ts';
import { tickStep } from '../../memory/open-steps.ts';
import { readOverview } from '../../memory/overview.ts';
import { listOwners } from '../../memory/read.ts';
import { findNamed, resolveListScope } from '../../projects/place.ts';
import { getProject } from '../../projects/projects.ts';
import { readWhole } from '../../search/about.ts';
import { type Route, route } from '../http/route.ts';

export type PagesDeps = TellDeps & { db: Database; clock: () => number };

const OverviewShape = {
  project: ProjectName,
  days: wholeNumber(1, 366).default(7).describe('How many days are counted, with today'),
  shown: wholeNumber(1, 366).default(91).describe('How many days are counted one by one'),
};

export function pageRoutes(deps: PagesDeps): Route[] {
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
        return db.transaction(() => tickStep(db, readNumber(param('id')), { isDone, at: clock() })).immediate();
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

function readNumber(id: string): number {
  if (/^\d{1,15}$/.test(id)) return Number(id);
  throw new AskError('invalid', `"${id.slice(0, 60)}" is not the number of an open step.`, 'GET /api/overview lists them.');
}

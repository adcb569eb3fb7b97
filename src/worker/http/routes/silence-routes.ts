// The routes of silence: begin one, end some, list them; and the few figures of the status line.
import type { Database } from 'bun:sqlite';
import { z } from 'zod';
import type { Config } from '../../../config.ts';
import { AskError } from '../../../core/ask-error.ts';
import type { ProjectNames } from '../../../core/project-settings.ts';
import { announceSilence, type ResumeAnswer, type SilenceAnswer } from '../../../core/silence.ts';
import { findProjectsNamed } from '../../../store/projects/projects.ts';
import { beginSilence, endAllSilences, endSilences, type SilenceRow } from '../../../store/sessions/silences.ts';
import { nameKnown } from '../../projects/identify-place.ts';
import { findFolder, findNamed } from '../../projects/scope.ts';
import { findSilence, listSilences } from '../../silence/silence.ts';
import { readStatusline, type StatuslineDeps } from '../../telling/statusline.ts';
import { type Api, addRoute } from '../route.ts';
import { ResumeAnswerSchema, SilenceAnswerSchema, StatuslineAnswerSchema } from '../schemas/silence.ts';

export type SilenceDeps = { db: Database; config: () => Config; clock: () => number };

const EndShape = {
  minutes: z.number().positive().max(5_256_000).optional().describe('For so long; without an end until it is ended'),
  until: z.string().max(100).optional().describe('An ISO time'),
};

const WhoseShape = {
  session: z.string().min(1).max(200).optional().describe("Of this session, by the host's id"),
  cwd: z.string().min(1).max(4096).optional().describe('Of the project of this folder'),
  project: z.string().min(1).max(4096).optional().describe('Of this project, by its name or its key'),
};

const PAUSE = {
  method: 'POST',
  path: '/api/silence',
  about: 'Begins a pause, of everything unless something is named.',
  body: { ...EndShape, ...WhoseShape },
  answers: { 201: SilenceAnswerSchema },
} as const;

const RESUME = {
  method: 'DELETE',
  path: '/api/silence',
  about: 'Ends pauses; what a setting turns off stays off.',
  query: { ...WhoseShape, all: z.stringbool().optional().describe('Every pause') },
  answers: { 200: ResumeAnswerSchema },
} as const;

const STATUSLINE = {
  method: 'GET',
  path: '/api/statusline',
  about: 'The few figures of a status line.',
  query: { cwd: WhoseShape.cwd, session: WhoseShape.session },
  answers: { 200: StatuslineAnswerSchema },
} as const;

export function addSilenceRoutes(api: Api, { db, config, clock }: SilenceDeps): void {
  const list = (): SilenceAnswer => ({ silences: listSilences(db, config(), clock()) });

  // What an agent wants to be remembered is part of what happens; a person who says it in a pause means it. Comes before the route.
  api.app.use('/api/memory/save', async (c, next) => {
    const said = Said.safeParse(await c.req.json().catch(() => 'not JSON: the route says so'));
    if (said.success && said.data.by !== 'user') refuseInSilence({ db, settings: config(), now: clock() }, said.data);
    await next();
  });

  addRoute(
    api,
    { method: 'GET', path: '/api/silence', about: 'What is paused or off.', answers: { 200: SilenceAnswerSchema } },
    ({ c }) => c.json(list()),
  );
  addRoute(api, PAUSE, ({ body: { minutes, until, ...whose }, c }) => {
    const since = clock();
    db.transaction(() => {
      beginSilence(db, { ...findWhose(db, whose), since, until: readEnd({ minutes, until }, since) });
    }).immediate();
    return c.json(list(), 201);
  });
  addRoute(api, RESUME, ({ query: { all, ...whose }, c }) => {
    const ended = db
      .transaction(() => (all ? endAllSilences(db, clock()) : endSilences(db, findWhose(db, whose), clock())))
      .immediate();
    const answer: ResumeAnswer = { ended, ...list() };
    return c.json(answer);
  });
  addRoute(api, STATUSLINE, ({ query, c }) => c.json(readStatusline({ db, settings: config(), now: clock() }, query)));
}

const Said = z.object({ by: z.string().optional(), cwd: z.string().optional(), project: z.string().optional() });

function refuseInSilence({ db, settings, now }: StatuslineDeps, { cwd, project }: Whose): void {
  const named = project === undefined ? undefined : findProjectsNamed(db, project)[0];
  const place = named ?? (cwd?.startsWith('/') ? nameFolder(db, cwd) : { key: '', name: '', root: '' });
  const silence = findSilence(db, settings, { session: null, cwd: cwd ?? '', project: place, at: now });
  if (silence)
    throw new AskError('conflict', announceSilence(silence, now), 'Only the user can say it now: claude-mem remember.');
}

function nameFolder(db: Database, cwd: string): ProjectNames {
  const { identity, project } = findFolder(db, cwd);
  return project ? nameKnown(db, project, identity) : identity;
}

type Whose = { session?: string; cwd?: string; project?: string };

/** A folder of which nothing is known yet can be paused, too. */
function findWhose(db: Database, { session, cwd, project }: Whose): Pick<SilenceRow, 'scope' | 'key'> {
  if (session !== undefined) return { scope: 'session', key: session };
  if (project !== undefined) return { scope: 'project', key: findNamed(db, project).key };
  if (cwd !== undefined) return { scope: 'project', key: nameFolder(db, cwd).key };
  return { scope: 'everything', key: '' };
}

function readEnd({ minutes, until }: { minutes?: number; until?: string }, now: number): number | null {
  if (minutes !== undefined && until !== undefined)
    throw new AskError('conflict', 'minutes and until are both given.', 'Give one of them.');
  if (minutes !== undefined) return Math.round(now + minutes * 60_000);
  if (until === undefined) return null;
  const end = Date.parse(until);
  if (Number.isNaN(end))
    throw new AskError('invalid', 'until is not an ISO time.', 'For example 2026-01-05T18:00:00Z.');
  if (end <= now) throw new AskError('invalid', 'until is in the past.', 'Give a time that is yet to come.');
  return end;
}

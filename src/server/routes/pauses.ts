// The routes of pauses: begin one, end some, list them; and the few figures of the status line.
import type { Database } from 'bun:sqlite';
import { z } from 'zod';
import { isStuck, readQueue } from '../../capture/queue.ts';
import { findSession } from '../../capture/sessions.ts';
import { beginSilence, endSilences, findSilence, holdSilences, listSilences, type SilenceRow } from '../../capture/silence.ts';
import { AskError } from '../../core/ask-error.ts';
import type { ProjectNames } from '../../core/project.ts';
import { EndShape, type Whose, WhoseShape } from '../../core/shapes/asked.ts';
import { ResumeAnswerSchema, SilenceAnswerSchema, StatuslineAnswerSchema } from '../../core/shapes/silence.ts';
import { announceSilence } from '../../core/silence.ts';
import { countMemoriesOf } from '../../memory/injections.ts';
import { countProjectObservations } from '../../memory/observations.ts';
import { findFolder, findNamed, identifyPlace, nameKnown, nameProject } from '../../projects/place.ts';
import { findProjectBy, findProjectsNamed } from '../../projects/projects.ts';
import { type Route, route } from '../http/route.ts';
import type { RouteDeps } from './index.ts';

type PauseDeps = Pick<RouteDeps, 'db' | 'config' | 'clock'>;

export function pauseRoutes({ db, config, clock }: PauseDeps): Route[] {
  const list = () => {
    holdSilences(db, clock());
    return { silences: listSilences(db, config(), clock()) };
  };
  const end = (all: boolean | undefined, whose: Whose) => {
    holdSilences(db, clock());
    return endSilences(db, clock(), all ? undefined : findWhose(db, whose));
  };
  const aliases = ['/api/silence'];
  return [
    route('GET /api/pauses', 'What is paused or off.', { aliases, answer: SilenceAnswerSchema }, list),
    route(
      'POST /api/pauses',
      'Begins a pause, of everything unless something is named.',
      { aliases, body: { ...EndShape, ...WhoseShape }, answer: SilenceAnswerSchema, status: 201 },
      ({ body: { minutes, until, ...whose } }) => {
        const since = clock();
        const pause = { ...findWhose(db, whose), since, until: readEnd({ minutes, until }, since) };
        db.transaction(() => beginSilence(db, pause)).immediate();
        return list();
      },
    ),
    route(
      'DELETE /api/pauses',
      'Ends pauses; what a setting turns off stays off.',
      { aliases, query: { ...WhoseShape, all: z.stringbool().optional().describe('Every pause') }, answer: ResumeAnswerSchema },
      ({ query: { all, ...whose } }) => ({ ended: db.transaction(() => end(all, whose)).immediate(), ...list() }),
    ),
    route(
      'GET /api/statusline',
      'The few figures of a status line.',
      { query: { cwd: WhoseShape.cwd, session: WhoseShape.session }, answer: StatuslineAnswerSchema },
      ({ query: { cwd, session = null } }) => {
        const [settings, at] = [config(), clock()];
        const identity = cwd === undefined ? NO_FOLDER : identifyPlace(cwd, settings);
        const project = findProjectBy(db, identity);
        const known = session === null ? null : findSession(db, session);
        return {
          observations: project ? countProjectObservations(db, project.id) : 0,
          given: known ? countMemoriesOf(db, known.id) : 0,
          waiting: readQueue(db, at).depth,
          isHealthy: !isStuck(db, at),
          silence: findSilence(db, settings, { session, cwd: cwd ?? '', project: nameProject(db, identity), at }),
        };
      },
    ),
  ];
}

export function refuseWhilePaused({ db, config, clock }: PauseDeps, { session, cwd, project }: Whose): void {
  const named = project === undefined ? undefined : findProjectsNamed(db, project)[0];
  const place = named ?? (cwd?.startsWith('/') ? nameFolder(db, cwd) : { key: '', name: '', root: '' });
  const silence = findSilence(db, config(), { session: session ?? null, cwd: cwd ?? '', project: place, at: clock() });
  if (silence) throw new AskError('conflict', announceSilence(silence, clock()), 'Only the user can say it now: claude-mem remember.');
}

function nameFolder(db: Database, cwd: string): ProjectNames {
  const { identity, project } = findFolder(db, cwd);
  return project ? nameKnown(db, project, identity) : identity;
}

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
  if (end > now) return end;
  throw new AskError('invalid', 'until is not an ISO time that is yet to come.', 'For example 2026-01-05T18:00:00Z.');
}

/** No project is called so. */
const NO_FOLDER = { key: '', name: '', root: '', remote: null };

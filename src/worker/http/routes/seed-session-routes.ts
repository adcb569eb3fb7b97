// The session routes by our own number of a session, as the first worker had them.
import type { Context } from 'hono';
import { AskError } from '../../../core/ask-error.ts';
import { countSessionQueue } from '../../../store/events/session-queue.ts';
import { projectName } from '../../../store/projects/projects.ts';
import { getSession, type Session } from '../../../store/sessions/sessions.ts';
import { type AbortDeps, abortSession } from '../../intake/abort-session.ts';
import { createSessionDoor } from '../../intake/session-door.ts';
import type { Said } from '../../intake/session-envelope.ts';
import { type Api, addRoute } from '../route.ts';
import {
  AbortedSchema,
  InitAnswerSchema,
  QueuedSchema,
  SessionStatusSchema,
  SetAsideSchema,
} from '../schemas/told-session.ts';
import type { HostSessionDeps } from './host-session-routes.ts';
import {
  InitShape,
  ObservationShape,
  readInit,
  readObservation,
  readSummarize,
  SummarizeShape,
} from './session-bodies.ts';
import { showInit, showTold } from './show-told.ts';

export type SeedSessionDeps = HostSessionDeps & AbortDeps;

export function addSeedSessionRoutes(api: Api, deps: SeedSessionDeps): void {
  addTellingRoutes(api, deps);
  addRunRoutes(api, deps);
}

const A_SESSION = { id: 'Our own number of a session, as init answers it' };

const POST = { method: 'POST', isLoose: true } as const;

function addTellingRoutes(api: Api, deps: SeedSessionDeps): void {
  const door = createSessionDoor(deps);
  /** Never refused: a number that nobody has may be a mistake, but what happened did. */
  const queue = async (c: Context, id: number, said: Said) => {
    const session = findOfAgent(deps, id);
    if (!session) return c.json(showTold('quarantined', door.setAside(id, said)), 202);
    return c.json(showTold('queued', await door.tell(session.hostSessionId, said)));
  };
  addRoute(
    api,
    {
      ...POST,
      path: '/sessions/:id/init',
      about: 'A user has said something in a session.',
      parts: A_SESSION,
      body: InitShape,
      answers: { 200: InitAnswerSchema },
    },
    async ({ param, body, c }) => {
      const { hostSessionId } = findNumbered(deps, param('id'));
      return c.json(showInit(hostSessionId, await door.tell(hostSessionId, readInit(body)), deps.port()));
    },
  );
  addRoute(
    api,
    {
      ...POST,
      path: '/sessions/:id/observations',
      about: 'A tool has been used in a session. 202: kept, but there is no such session.',
      parts: A_SESSION,
      body: ObservationShape,
      answers: { 200: QueuedSchema, 202: SetAsideSchema },
    },
    ({ param, body, c }) => queue(c, readNumber(param('id')), readObservation(body)),
  );
  addRoute(
    api,
    {
      ...POST,
      path: '/sessions/:id/summarize',
      about: 'The agent has come to rest: what it did is distilled. 202: kept, but there is no such session.',
      parts: A_SESSION,
      body: SummarizeShape,
      answers: { 200: QueuedSchema, 202: SetAsideSchema },
    },
    ({ param, body, c }) => queue(c, readNumber(param('id')), readSummarize(body)),
  );
}

function addRunRoutes(api: Api, deps: SeedSessionDeps): void {
  addRoute(
    api,
    {
      method: 'GET',
      path: '/sessions/:id/status',
      about: 'How a session is, and how much of it waits.',
      parts: A_SESSION,
      answers: { 200: SessionStatusSchema },
    },
    ({ param, c }) => c.json(showStatus(deps, findNumbered(deps, param('id')))),
  );
  addRoute(
    api,
    {
      method: 'DELETE',
      path: '/sessions/:id',
      about: 'Ends the work on a session at once. What is kept and what waits stays.',
      parts: A_SESSION,
      answers: { 200: AbortedSchema },
    },
    async ({ param, c }) => {
      const { id } = findNumbered(deps, param('id'));
      await abortSession(deps, id);
      return c.json({ status: 'aborted', sessionDbId: id, queueLength: countSessionQueue(deps.db, id) });
    },
  );
}

function readNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const hint = "By the host's own id: POST /sessions/observations with sessionId.";
  throw new AskError('invalid', `"${text.slice(0, 60)}" is not the number of a session.`, hint);
}

function findNumbered({ db }: SeedSessionDeps, text: string): Session {
  const session = findOfAgent({ db }, readNumber(text));
  if (session) return session;
  throw new AskError('unknown', `There is no session ${text}.`, 'POST /sessions/init with sessionId creates one.');
}

function showStatus({ db }: SeedSessionDeps, session: Session) {
  const { id: sessionDbId, hostSessionId: sessionId, status, projectId, promptCounter: promptNumber } = session;
  const queueLength = countSessionQueue(db, sessionDbId);
  const project = projectName(db, projectId);
  return {
    status,
    sessionDbId,
    queueLength,
    sessionId,
    sdkSessionId: null,
    project,
    promptNumber,
    pendingMessages: queueLength,
  };
}

/** Those of our own bookkeeping have numbers, too, and are nobody's. */
function findOfAgent({ db }: Pick<SeedSessionDeps, 'db'>, id: number): Session | null {
  const session = getSession(db, id);
  return session && !/^(claude-mem|git):/.test(session.hostSessionId) ? session : null;
}

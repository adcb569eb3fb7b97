// The session routes by the host's own id of a session, which creates it: what an IDE extension tells.
import { createSessionDoor, type SessionDoorDeps } from '../../intake/session-door.ts';
import { type Api, addRoute } from '../route.ts';
import { CompletedSchema, InitAnswerSchema, QueuedSchema } from '../schemas/told-session.ts';
import {
  CompleteShape,
  InitShape,
  ObservationShape,
  readComplete,
  readInit,
  readObservation,
  readSummarize,
  readWho,
  SummarizeShape,
  WhoShape,
} from './session-bodies.ts';
import { showInit, showTold } from './show-told.ts';

export type HostSessionDeps = SessionDoorDeps & {
  /** Of the web door; null while there is none. */
  port: () => number | null;
};

export function addHostSessionRoutes(api: Api, deps: HostSessionDeps): void {
  // Both are written in the wild.
  for (const prefix of ['/api/sessions', '/sessions']) addUnder(prefix, api, deps);
}

function addUnder(prefix: string, api: Api, deps: HostSessionDeps): void {
  const door = createSessionDoor(deps);
  const post = { method: 'POST', isLoose: true } as const;

  addRoute(
    api,
    {
      ...post,
      path: `${prefix}/init`,
      about: 'A user has said something in a session, or a session begins.',
      body: { ...WhoShape, ...InitShape },
      answers: { 200: InitAnswerSchema },
    },
    async ({ body, c }) => {
      const session = readWho(body);
      return c.json(showInit(session, await door.tell(session, readInit(body)), deps.port()));
    },
  );
  addRoute(
    api,
    {
      ...post,
      path: `${prefix}/observations`,
      about: 'A tool has been used in a session.',
      body: { ...WhoShape, ...ObservationShape },
      answers: { 200: QueuedSchema },
    },
    async ({ body, c }) => c.json(showTold('queued', await door.tell(readWho(body), readObservation(body)))),
  );
  addRoute(
    api,
    {
      ...post,
      path: `${prefix}/summarize`,
      about: 'The agent has come to rest: what it did is distilled.',
      body: { ...WhoShape, ...SummarizeShape },
      answers: { 200: QueuedSchema },
    },
    async ({ body, c }) => c.json(showTold('queued', await door.tell(readWho(body), readSummarize(body)))),
  );
  addRoute(
    api,
    {
      ...post,
      path: `${prefix}/complete`,
      about: 'A session has ended.',
      body: { ...WhoShape, ...CompleteShape },
      answers: { 200: CompletedSchema },
    },
    async ({ body, c }) => c.json(showTold('completed', await door.tell(readWho(body), readComplete(body)))),
  );
}

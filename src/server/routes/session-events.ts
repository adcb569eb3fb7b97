// The routes by which programs report what happens in a session: by the agent's own id of it, which creates it, or by our number.

import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { AGENTS } from '../../agents/agents.ts';
import { readJson } from '../../agents/json.ts';
import { countSessionQueue } from '../../capture/queue.ts';
import { failSession, getSession, type Session } from '../../capture/sessions.ts';
import { type ReportDeps, type Said, setAside, type Told, tellRest, tellSession } from '../../capture/told-session.ts';
import { AskError } from '../../core/ask-error.ts';
import type { HookCommand } from '../../core/envelope.ts';
import { stripPrivate } from '../../core/privacy.ts';
import { SessionStatusSchema } from '../../core/shapes/project.ts';
import { keepLocal } from '../../model/rules-stand.ts';
import { projectName } from '../../projects/projects.ts';
import { scrubSecrets } from '../../secrets/scrub.ts';
import { listWaitingBatchesOf } from '../../store/batches.ts';
import { type Route, readNumber, route } from '../http/route.ts';
import type { RouteDeps } from './index.ts';

const Name = z.union([z.string().min(1).max(200), z.number()]).nullish();
const Short = z.string().max(4096).nullish();
const Words = z.string().nullish();
/** Some count from nought until there is a prompt. */
const PromptNumber = z.int().min(0).max(1_000_000).nullish();

export const WhoShape = {
  sessionId: Name.describe("The agent's id of the session"),
  claudeSessionId: Name.describe('The same as sessionId'),
  session_id: Name.describe('The same as sessionId'),
};

const CommonShape = {
  cwd: Short.describe('The folder that the session works in, absolute'),
  project: Short.describe('Instead of a folder: the name of a project'),
  host: z
    .enum(AGENTS.map(({ name }) => name))
    .nullish()
    .describe('Whose words these are; else claude-code'),
  promptNumber: PromptNumber.describe('To which prompt of the session it belongs; else the latest'),
  prompt_number: PromptNumber.describe('The same as promptNumber'),
  prompt_id: Short.describe("The agent's id of that prompt"),
  timestamp: z
    .union([z.string().max(100), z.number()])
    .nullish()
    .describe('When it happened; else now'),
};

const InitShape = {
  ...CommonShape,
  userPrompt: Words.describe('What the user said; without it the session only begins, or goes on'),
  prompt: Words.describe('The same as userPrompt'),
};

const ObservationShape = {
  ...CommonShape,
  tool_name: z.string().min(1).max(200).describe('Which tool was used'),
  tool_input: z.unknown().optional().describe('What it was given: an object, or JSON in a string'),
  tool_response: z.unknown().optional().describe('What it answered: an object, a text, or JSON in a string'),
  tool_output: z.unknown().optional().describe('The same as tool_response'),
  tool_use_id: Short.describe("The agent's id of this use: sent twice, it is kept once"),
  error: Words.describe('What a tool that failed said'),
};

const SummarizeShape = {
  ...CommonShape,
  last_assistant_message: Words.describe('What the agent said in the end'),
  last_user_message: Words.describe('What the user said, if it was not said before'),
};

const CompleteShape = { ...CommonShape, reason: Short.describe('Why it ended') };

type Read<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>;

type SessionEventDeps = ReportDeps & Pick<RouteDeps, 'stopSession' | 'timeoutMs' | 'port'>;

const A_SESSION = { id: 'Our own number of a session, as init answers it' };
const SAID = 'A user has said something in a session, or a session begins.';
const USED = 'A tool has been used in a session.';
const RESTED = 'The agent has come to rest: what it did is processed.';
const KEPT = '202: kept, but there is no such session.';
const ABORT = 'Ends the work on a session at once. What is kept and what waits stays.';

const SessionFields = { sessionDbId: z.int().nullable(), queueLength: z.int() };

/** `skipped` comes with why nothing is made of it. */
const answerOf = <Status extends string>(status: Status) =>
  z.object({ status: z.enum([status, 'skipped']), reason: z.enum(['private', 'skipped-tool', 'left-out']).optional(), ...SessionFields });

const Init = answerOf('initialized')
  .extend({
    sessionId: z.string(),
    project: z.string().nullable(),
    promptNumber: z.int(),
    port: z.int().nullable().describe('Of the viewer; null while there is none'),
  })
  .meta({ id: 'SessionInit' });
const Queued = answerOf('queued').meta({ id: 'SessionQueued' });
const SetAside = answerOf('quarantined').meta({ id: 'SessionSetAside' });
const Completed = answerOf('completed').meta({ id: 'SessionCompleted' });
const Aborted = z.object({ status: z.literal('aborted'), ...SessionFields }).meta({ id: 'SessionAborted' });
const Status = z
  .object({
    status: SessionStatusSchema,
    ...SessionFields,
    sessionId: z.string(),
    sdkSessionId: z.null().describe('There is no session of a model that lasts'),
    project: z.string(),
    promptNumber: z.int(),
    pendingMessages: z.int().describe('The same as queueLength'),
  })
  .meta({ id: 'SessionStatus' });

export function sessionEventRoutes(deps: SessionEventDeps): Route[] {
  const { port } = deps;
  const init = async (session: string, body: Read<typeof InitShape>) => {
    const told = await tellSession(deps, session, readInit(body));
    return { ...show('initialized', told), sessionId: session, project: told.project, promptNumber: told.promptNumber, port: port() };
  };
  /** Never refused: a number that nobody has may be a mistake, but what happened did. */
  const queue = async (id: number, said: Said, prompt: Said | null = null) => {
    const session = getSession(deps.db, id);
    if (!session) return Response.json(show('quarantined', setAside(deps, id, said)), { status: 202 });
    return show('queued', await tellRest(deps, session.hostSessionId, prompt, said));
  };
  const numbered = { parts: A_SESSION, isLoose: true };
  const kept = { answer: Queued, others: { 202: SetAside } };
  return [
    route('POST /sessions/:id/init', SAID, { ...numbered, body: InitShape, answer: Init }, ({ param, body }) =>
      init(findNumbered(deps, param('id')).hostSessionId, body),
    ),
    route('POST /sessions/:id/observations', `${USED} ${KEPT}`, { ...numbered, body: ObservationShape, ...kept }, ({ param, body }) =>
      queue(readId(param('id')), readObservation(body)),
    ),
    route('POST /sessions/:id/summarize', `${RESTED} ${KEPT}`, { ...numbered, body: SummarizeShape, ...kept }, ({ param, body }) =>
      queue(readId(param('id')), readSummarize(body), readLastPrompt(body)),
    ),
    route('POST /api/sessions/init', SAID, { ...named('init'), body: { ...WhoShape, ...InitShape }, answer: Init }, ({ body }) =>
      init(readWho(body), body),
    ),
    route(
      'POST /api/sessions/observations',
      USED,
      { ...named('observations'), body: { ...WhoShape, ...ObservationShape }, answer: Queued },
      async ({ body }) => show('queued', await tellSession(deps, readWho(body), readObservation(body))),
    ),
    route(
      'POST /api/sessions/summarize',
      RESTED,
      { ...named('summarize'), body: { ...WhoShape, ...SummarizeShape }, answer: Queued },
      async ({ body }) => show('queued', await tellRest(deps, readWho(body), readLastPrompt(body), readSummarize(body))),
    ),
    route(
      'POST /api/sessions/complete',
      'A session has ended.',
      { ...named('complete'), body: { ...WhoShape, ...CompleteShape }, answer: Completed },
      async ({ body }) =>
        show('completed', await tellSession(deps, readWho(body), say('cleanup', body, { reason: body.reason || 'other' }))),
    ),
    ...runRoutes(deps),
  ];
}

function runRoutes(deps: SessionEventDeps): Route[] {
  const { db } = deps;
  return [
    route('GET /sessions/:id/status', 'How a session is, and how much waits.', { parts: A_SESSION, answer: Status }, ({ param }) => {
      const { id: sessionDbId, hostSessionId: sessionId, status, projectId, promptCounter } = findNumbered(deps, param('id'));
      const queueLength = countSessionQueue(db, sessionDbId);
      const counts = { promptNumber: promptCounter, pendingMessages: queueLength };
      return { status, sessionDbId, queueLength, sessionId, sdkSessionId: null, project: projectName(db, projectId), ...counts };
    }),
    route('DELETE /sessions/:id', ABORT, { parts: A_SESSION, answer: Aborted }, async ({ param }) => {
      const { id, status } = findNumbered(deps, param('id'));
      const waiting = listWaitingBatchesOf(db, id);
      if (status === 'failed' && waiting.length === 0)
        throw new AskError('unknown', `Nothing is at work for session ${id}: it was aborted, or failed.`, 'Its next event opens it again.');
      // First: what does not wait for a model any more is not asked again, and an answer that comes now is not kept.
      db.transaction(() => {
        for (const batchId of waiting) keepLocal(db, batchId, 'the session was aborted');
        failSession(db, id);
      }).immediate();
      await Promise.race([deps.stopSession(id), Bun.sleep(deps.timeoutMs())]);
      return { status: 'aborted' as const, sessionDbId: id, queueLength: countSessionQueue(db, id) };
    }),
  ];
}

/** Both are written in the wild. */
const named = (what: string) => ({ aliases: [`/sessions/${what}`], isLoose: true });

function show<Status extends string>(status: Status, { whyNot, session, queueLength }: Told) {
  const fields = { sessionDbId: session?.id ?? null, queueLength };
  return whyNot === null ? { status, ...fields } : { status: 'skipped' as const, reason: whyNot, ...fields };
}

const readId = (text: string) => readNumber(text, 'a session', "By the agent's own id: POST /sessions/observations with sessionId.");

function findNumbered(deps: Pick<SessionEventDeps, 'db'>, text: string): Session {
  const session = getSession(deps.db, readId(text));
  if (session) return session;
  throw new AskError('unknown', `There is no session ${text}.`, 'POST /sessions/init with sessionId creates one.');
}

/** What nobody knew the session of is kept in sessions of these names. */
const OWN_SESSION = /^unknown:/;

/** It says where things are kept, and so is kept before the rest is looked at. */
const makeClean = (text: string) => scrubSecrets(stripPrivate(text).text).text.trim();

function readWho({ sessionId, claudeSessionId, session_id }: Read<typeof WhoShape>): string {
  const name = makeClean(String(sessionId ?? claudeSessionId ?? session_id ?? ''));
  if (OWN_SESSION.test(name)) throw new AskError('conflict', 'Sessions of this name are our own.', "Give the agent's id of the session.");
  if (name !== '') return name;
  throw new AskError('invalid', 'sessionId is missing.', 'Also understood: claudeSessionId, session_id.');
}

/** Without a prompt a session only begins, or goes on. */
function readInit(body: Read<typeof InitShape>): Said {
  const prompt = body.userPrompt ?? body.prompt;
  return typeof prompt === 'string' ? say('new', body, { prompt }) : say('context', body, {});
}

function readObservation(body: Read<typeof ObservationShape>): Said {
  const { tool_name, error } = body;
  return say('save', body, {
    hook_event_name: error ? 'PostToolUseFailure' : 'PostToolUse',
    tool_name,
    tool_input: unwrapJson(body.tool_input),
    tool_response: unwrapJson(body.tool_response ?? body.tool_output),
    ...(body.tool_use_id && { tool_use_id: body.tool_use_id }),
    ...(error && { error }),
  });
}

const readLastPrompt = (body: Read<typeof SummarizeShape>): Said | null =>
  body.last_user_message?.trim() ? say('new', body, { prompt: body.last_user_message }) : null;

const readSummarize = (body: Read<typeof SummarizeShape>): Said =>
  say('summary', body, { last_assistant_message: body.last_assistant_message ?? '' });

function say(command: HookCommand, body: Read<typeof CommonShape>, fields: Said['fields']): Said {
  const { host, cwd, project, prompt_id, timestamp } = body;
  if (cwd && !isAbsolute(cwd)) throw new AskError('invalid', 'cwd is not an absolute path.', 'Give the whole path.');
  const more = { ...(prompt_id && { prompt_id }), ...(timestamp !== null && timestamp !== undefined && { timestamp }) };
  return {
    host: host ?? 'claude-code',
    command,
    cwd: cwd ?? '',
    project: makeClean(project ?? ''),
    promptNumber: body.promptNumber ?? body.prompt_number ?? null,
    fields: { ...fields, ...more },
  };
}

/** To parse more would keep hooks waiting. */
const MOST_UNWRAPPED = 256 * 1024;

/** Tool data may come as JSON inside a string. Other text is as good: the tool simply said that. */
function unwrapJson(value: unknown): unknown {
  if (typeof value !== 'string' || value.length > MOST_UNWRAPPED) return value;
  const read = readJson(value);
  return typeof read === 'object' && read !== null ? read : value;
}

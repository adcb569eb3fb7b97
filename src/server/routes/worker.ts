// The routes about the worker itself: health, figures, log, index, jobs, the stream of what happens, and the token.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { AskError } from '../../core/ask-error.ts';
import { JOB_KINDS } from '../../core/job.ts';
import { Id, listOf, ProjectName, pageShape, readRef, wholeNumber } from '../../core/shapes/asked.ts';
import { ErrorSchema } from '../../core/shapes/fields.ts';
import { ImportAnswerSchema, ImportShape, JobSchema, JobsAnswerSchema } from '../../core/shapes/job.ts';
import { ProcessingSchema, STREAM_TYPES, StreamMessageSchema } from '../../core/shapes/stream.ts';
import { PUBLISHED_KINDS, SyncStatusSchema } from '../../core/shapes/sync.ts';
import { HealthSchema, IndexStateSchema, ReindexAnswerSchema, StatsSchema, StatusSchema } from '../../core/shapes/worker.ts';
import { parseWhen } from '../../core/time.ts';
import { previewImport } from '../../import/import.ts';
import { LOG_LEVELS } from '../../log.ts';
import { listFolder } from '../../own-files.ts';
import { scrubSecrets, scrubValue } from '../../secrets/scrub.ts';
import { publishProject, takeDown } from '../../sync/links.ts';
import { readHealth } from '../health.ts';
import { type Route, readNumber, route } from '../http/route.ts';
import { makeLink } from '../http/token.ts';
import { readStats, readStatus } from '../status.ts';
import type { RouteDeps } from './index.ts';
import { WhoShape } from './session-events.ts';

export const workerRoutes = (deps: RouteDeps): Route[] => [
  ...stateRoutes(deps),
  ...jobRoutes(deps),
  ...streamRoutes(deps),
  ...tokenRoutes(deps),
];

const STATS = 'What is kept, day by day; what the model cost, how long things took, what waits, and how large the files are.';

const LogShape = {
  level: z.enum(LOG_LEVELS).default('debug').describe('This one and graver ones'),
  query: z.string().max(200).default('').describe('Words that an entry holds, whatever the case'),
  limit: wholeNumber(1, 500).default(100).describe('At most so many'),
  before: z.string().max(60).optional().describe('The `next` of the page before'),
};

const PublishShape = {
  project: z.string().min(1).max(500).describe('Its name or key'),
  kinds: z.array(z.enum(PUBLISHED_KINDS)).describe('Types of observations, and rule'),
  by: z.enum(['user', 'agent']).default('agent').describe('Who asks'),
};
const TakeDownShape = { id: Id.describe('Of the memory here'), by: PublishShape.by };
const PublishAnswerSchema = z.object({ project: z.string(), space: z.string(), kinds: z.array(z.string()) });

function stateRoutes({ facts, retry, index, paths, sync, db }: RouteDeps): Route[] {
  return [
    route(
      'GET /health',
      'Whether the worker is there and all is well; with the token also what is wrong, and the facts.',
      { access: 'anyone', answer: HealthSchema },
      ({ c }) => readHealth(facts, c.env?.isTrusted === true),
    ),
    route(
      'POST /api/retry',
      'Tries the failed events again: those that could not be stored or processed.',
      { answer: z.object({ events: z.int().describe('How many wait again') }) },
      () => ({ events: retry() }),
    ),
    route('GET /api/status', 'How the worker is: what it does, what waits, what is wrong.', { answer: StatusSchema }, () =>
      readStatus({ ...facts, index: index.status }),
    ),
    route('GET /api/stats', STATS, { answer: StatsSchema }, () => readStats(facts)),
    route('GET /api/logs', 'What the worker wrote into its log, newest first.', { query: LogShape, answer: LogSchema }, ({ query }) =>
      readLog(paths.logs, query),
    ),
    route(
      'POST /api/sync/publish',
      'Gives memories of a project to the team, by kind; without kinds takes them back. For a person at a terminal.',
      { access: 'socket', body: PublishShape, answer: PublishAnswerSchema },
      async ({ body: { project, kinds, by } }) => {
        if (by !== 'user') throw new AskError('conflict', 'Only a person may publish.', 'Ask them to run: claude-mem team publish');
        const done = await publishProject({ db, path: paths.sync }, project, kinds);
        await sync.now();
        return done;
      },
    ),
    route(
      'POST /api/sync/delete',
      'Deletes for everybody what a member of the team published. For an admin of the team at a terminal.',
      { access: 'socket', body: TakeDownShape, answer: z.object({ id: z.string(), author: z.string() }) },
      async ({ body: { id, by } }) => {
        if (by !== 'user') throw new AskError('conflict', 'Only a person may delete.', 'Ask them to run: claude-mem team delete');
        const done = await takeDown({ db, path: paths.sync, now: facts.clock() }, readRef(id));
        await sync.now();
        return done;
      },
    ),
    route('POST /api/sync', 'Exchanges what changed with the hub, now.', { answer: SyncStatusSchema }, () => sync.now()),
    route('GET /api/index', 'How far the index is.', { answer: IndexStateSchema }, () => index.status()),
    route(
      'POST /api/reindex',
      'Rebuilds the search index.',
      {
        query: { words: z.stringbool().default(false).describe('Also that of the words, whatever it looks like') },
        answer: ReindexAnswerSchema,
        status: 202,
      },
      ({ query }) => ({ job: index.reindex({ withWords: query.words }) }),
    ),
  ];
}

const JobShape = {
  kind: z.enum(JOB_KINDS).describe('What to do'),
  parameters: z.record(z.string(), z.unknown()).default({}).describe('What that job takes'),
};
const ImportQuery = {
  path: ImportShape.path,
  agent: ImportShape.agent,
  project: ImportShape.project,
  claudeDir: ImportShape.claudeDir,
  since: z.string().max(100).optional(),
};

/** Those that name files to read and to write are for the socket alone. */
function jobRoutes({ jobs, choosing, clock }: RouteDeps): Route[] {
  const one = { parts: { id: 'The number of a job' }, answer: JobSchema };
  return [
    route('GET /api/jobs', 'The latest jobs, newest first.', { query: pageShape(20), answer: JobsAnswerSchema }, ({ query }) =>
      jobs.list(query),
    ),
    route('POST /api/jobs', 'Starts a job.', { access: 'socket', body: JobShape, answer: JobSchema, status: 202 }, ({ body }) =>
      jobs.start(body.kind, body.parameters),
    ),
    route('GET /api/jobs/:id', 'How far a job is.', one, ({ param }) => jobs.read(readId(param('id')))),
    route('DELETE /api/jobs/:id', 'Ends a job soon; what it did stays.', one, ({ param }) => jobs.cancel(readId(param('id')))),
    route(
      'GET /api/import',
      'What an import would read; the import itself is a job.',
      { access: 'socket', query: ImportQuery, answer: ImportAnswerSchema },
      ({ query: { since, ...wanted } }) =>
        previewImport(choosing, { ...wanted, ...(since === undefined ? {} : { since: parseWhen(since, 'since', clock()) }) }),
    ),
  ];
}

const readId = (id: string) => readNumber(id, 'a job', '`claude-mem jobs` lists them.');

const StreamShape = {
  last_event_id: z.string().max(100).optional().describe('The id of the last message that was heard: what came after it is sent first'),
  types: listOf(STREAM_TYPES).describe('Only messages of these types; reset in any case'),
  project: ProjectName.describe('Only what is about the project of this name, or about none'),
};
const STREAM_HEADERS = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-accel-buffering': 'no' };

function streamRoutes({ stream, processing }: RouteDeps): Route[] {
  return [
    route(
      'GET /stream',
      'What happens, as it happens, as server-sent events.',
      { query: StreamShape, answer: 'text/event-stream', others: { 503: ErrorSchema }, messages: StreamMessageSchema },
      ({ query: { types = null, project = null, last_event_id }, c }) => {
        // Nobody reads what a HEAD would open.
        if (c.req.method === 'HEAD') return new Response(null, { headers: STREAM_HEADERS });
        // A browser that lost the connection sends the header by itself, and it is newer.
        const body = stream.open({ types, project, lastId: c.req.header('last-event-id') || last_event_id || null });
        if (body) return new Response(body, { headers: STREAM_HEADERS });
        const error = `${stream.count()} streams are open already.`;
        return c.json({ error, hint: 'Close some of the pages that watch, and try again.' }, 503, { 'retry-after': '10' });
      },
    ),
    route(
      'POST /api/processing',
      'An agent says that it works, or that it does not any more. Believed for ten minutes.',
      {
        body: { ...WhoShape, isProcessing: z.boolean().describe('True: it works; false: not any more') },
        isLoose: true,
        answer: ProcessingSchema,
      },
      ({ body: { isProcessing, sessionId, claudeSessionId, session_id } }) => {
        processing.say(isProcessing, String(sessionId ?? claudeSessionId ?? session_id ?? ''));
        return processing.read();
      },
    ),
    route('GET /api/processing-status', 'Whether anything is worked on.', { answer: ProcessingSchema }, () => processing.read()),
  ];
}

function tokenRoutes({ token, links, address }: RouteDeps): Route[] {
  return [
    route(
      'POST /api/token/exchange',
      'Turns the code of a link, once, into the token.',
      {
        access: 'anyone',
        body: { code: z.string().min(1).max(200).describe('What stands behind #t= in a link') },
        answer: z.object({ token: z.string() }),
      },
      ({ body, c }) => (links.redeem(body.code) ? { token: token.read() } : c.json(BAD_LINK, 401)),
    ),
    route(
      'POST /api/token/link',
      'A link that opens the viewer, once and soon.',
      { access: 'socket', answer: z.object({ url: z.string(), expiresAt: z.string() }) },
      async () => makeLink(links, await address()),
    ),
    route(
      'POST /api/token/rotate',
      'A new token; the old one is dead at once, and so is what was opened with it.',
      { access: 'socket', answer: z.object({ address: z.string().nullable() }) },
      async () => {
        token.rotate();
        return { address: await address() };
      },
    ),
  ];
}

const BAD_LINK = {
  error: 'The link was used before or is too old.',
  hint: 'Run `claude-mem viewer` for a new one; if someone else used it, `claude-mem token rotate`.',
};

// The worker's log from its end: entries newest first, over the files of several days, page by page.

const LogSchema = z.object({
  entries: z.array(
    z.object({
      at: z.string(),
      level: z.enum(LOG_LEVELS),
      message: z.string(),
      details: z.record(z.string(), z.unknown()).nullable(),
    }),
  ),
  next: z.string().nullable().describe('For `before`, to go on; null when there is nothing more'),
});
type LogPage = z.output<typeof LogSchema>;
type LogEntry = LogPage['entries'][number];

type LogQuery = z.output<z.ZodObject<typeof LogShape>>;

/** Of one question, however many entries do not match; a file has at most five megabytes. */
const MOST_BYTES = 1024 * 1024;

export function readLog(folder: string, { level, query, limit, before }: LogQuery): LogPage {
  const from = before === undefined ? null : readPlace(before);
  const [least, wanted] = [LOG_LEVELS.indexOf(level), query.toLowerCase()];
  const entries: LogEntry[] = [];
  let bytes = 0;
  for (const day of listDays(folder).filter((one) => from === null || one <= from.day)) {
    if (bytes >= MOST_BYTES) return { entries, next: `${day}.${Number.MAX_SAFE_INTEGER}` };
    const file = readFileSync(`${folder}/worker-${day}.log`).subarray(0, from?.day === day ? from.offset : undefined);
    bytes += file.length;
    for (const { offset, text } of splitEntries(file)) {
      const entry = text.toLowerCase().includes(wanted) ? parseEntry(text, least) : null;
      if (!entry) continue;
      entries.push(entry);
      if (entries.length === limit) return { entries, next: `${day}.${offset}` };
    }
  }
  return { entries, next: null };
}

function readPlace(text: string): { day: string; offset: number } {
  const [, day, offset] = /^(\d{4}-\d\d-\d\d)\.(\d{1,16})$/.exec(text) ?? [];
  if (day !== undefined) return { day, offset: Number(offset) };
  throw new AskError('invalid', 'before is not the end of a page.', 'Give the `next` of an earlier answer.');
}

function listDays(folder: string): string[] {
  return listFolder(folder)
    .flatMap((name) => /^worker-(\d{4}-\d\d-\d\d)\.log$/.exec(name)?.[1] ?? [])
    .sort()
    .reverse();
}

/** What begins an entry; other lines, such as those of a stack, go on with the one before. */
const BEGINNING = /^\d{4}-\d\d-\d\dT[\d:.]+Z (?:DEBUG|INFO|WARN|ERROR) /gm;

function splitEntries(file: Buffer): { offset: number; text: string }[] {
  // One character for each byte, so that places in it are places in the file.
  const starts = [...file.toString('latin1').matchAll(BEGINNING)].map(({ index }) => index);
  return starts.map((offset, at) => ({ offset, text: file.toString('utf8', offset, starts[at + 1] ?? file.length).trimEnd() })).reverse();
}

function parseEntry(text: string, least: number): LogEntry | null {
  const [, at, name, rest] = /^(\S+) (\S+) (.*)$/s.exec(text) ?? [];
  const level = LOG_LEVELS.slice(least).find((one) => one === name?.toLowerCase());
  if (at === undefined || rest === undefined || level === undefined) return null;
  const { message, details } = splitDetails(rest);
  // It was scrubbed when it was written; what a newer rule finds must not leave either.
  return { at, level, message: scrubSecrets(message).text, details: details && scrubValue(details).value };
}

/** A message may hold a brace itself: so many are tried. */
const MOST_BRACES = 20;

function splitDetails(rest: string): { message: string; details: Record<string, unknown> | null } {
  if (!rest.endsWith('}')) return { message: rest, details: null };
  let at = rest.indexOf(' {');
  for (let tried = 0; at >= 0 && tried < MOST_BRACES; tried++) {
    try {
      return { message: rest.slice(0, at), details: JSON.parse(rest.slice(at + 1)) };
    } catch {
      // A brace of the message: the details begin at a later one.
      at = rest.indexOf(' {', at + 1);
    }
  }
  return { message: rest, details: null };
}

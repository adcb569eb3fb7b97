// MCP over HTTP ("streamable HTTP", without streams): each message is a POST of its own, and no session is kept. Its tools ask the other
// routes: whoever may not call those may not call this one, and an agent is an agent by either way.
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { agentHeader } from '../../core/agent-header.ts';
import { readLimited } from '../../core/models.ts';
import type { SaveParameters, SearchParameters } from '../../core/search.ts';
import type { StatuslineAnswer } from '../../core/shapes/silence.ts';
import { announceSilence } from '../../core/silence.ts';
import { errorLine, INVALID_REQUEST, isObject, PARSE_ERROR } from '../../mcp/json-rpc.ts';
import { createMcpServer, type McpServer } from '../../mcp/server.ts';
import type { Calls } from '../../mcp/tool.ts';
import { Folder, ProjectName, SessionName } from '../http/parameters.ts';
import { type Route, route } from '../http/route.ts';

export type McpDeps = {
  version: string;
  clock: () => number;
  /** A client that asks is there: the worker does not end on it. */
  onActivity: () => void;
};

/** More than any message in earnest. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Of clients of an older protocol, which send several at once. */
const MOST_MESSAGES = 50;

/** Where a client is, as the address that it was given says. */
const PlaceShape = {
  cwd: Folder.describe('The folder whose project is meant when none is named'),
  project: ProjectName,
  session: SessionName.describe("The agent's id of the session: while it is paused nothing is kept"),
};
type Place = { cwd?: string; project?: string; session?: string };

const Rpc = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]).nullable(),
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }).optional(),
});

const ASK = 'One JSON-RPC message of the Model Context Protocol, or an array of them; 202 when there is nothing to answer.';
const answers = { answer: z.union([Rpc, z.array(Rpc)]), others: { 202: 'text/plain', 400: Rpc, 413: Rpc } as const };
const none = { query: PlaceShape, answer: 'text/plain', others: { 405: Rpc } } as const;

export const mcpRoutes = ({ version, clock, onActivity }: McpDeps): Route[] => [
  route('POST /mcp', ASK, { query: PlaceShape, ...answers }, async ({ query, c, fetch }) => {
    onActivity();
    const known = c.req.header('mcp-protocol-version');
    if (known !== undefined && !/^\d{4}-\d\d-\d\d$/.test(known)) return answerLine(refusal('MCP-Protocol-Version is no version.'));
    const body = c.req.raw.body ? await readLimited(c.req.raw.body, MAX_BYTES) : '';
    if (body === null) return answerLine(TOO_LARGE, 413);
    const headers = agentHeader(query);
    const ask: Ask = (path, init) => fetch(new Request(`http://localhost${path}`, { ...init, headers }));
    const server = createMcpServer({ calls: createCalls(ask, query, clock), cwd: '', version });
    return answerLine(await answerBody(server, body));
  }),
  route('GET /mcp', 'Always 405: nothing is ever said unasked.', none, () => answerLine(ONLY_POST, 405)),
  route('DELETE /mcp', 'Always 405: there is no session to end.', none, () => answerLine(ONLY_POST, 405)),
];

const refusal = (message: string) => errorLine(null, { code: INVALID_REQUEST, message });
const TOO_LARGE = errorLine(null, { code: PARSE_ERROR, message: `A message has at most ${MAX_BYTES} bytes.` });
const TOO_MANY = refusal(`From 1 to ${MOST_MESSAGES} messages at once.`);
const ONLY_POST = refusal('Only POST is known here.');

/** An error that is no answer to any request is one of HTTP, too. */
function answerLine(line: string | null, status?: 405 | 413): Response {
  if (line === null) return new Response(null, { status: 202 });
  const headers = { 'content-type': 'application/json', ...(status === 405 ? { allow: 'POST' } : {}) };
  return new Response(line, { status: status ?? (line.startsWith('{"jsonrpc":"2.0","id":null,') ? 400 : 200), headers });
}

/** Null when nothing is to be said. */
async function answerBody(server: McpServer, body: string): Promise<string | null> {
  const messages = readArray(body);
  if (messages === null) return server.answer(body);
  if (messages.length === 0 || messages.length > MOST_MESSAGES) return TOO_MANY;
  const answers = await Promise.all(messages.map((message) => server.answer(writeMessage(message))));
  const said = answers.filter((answer) => answer !== null);
  return said.length === 0 ? null : `[${said.join(',')}]`;
}

function readArray(body: string): unknown[] | null {
  if (!body.trimStart().startsWith('[')) return null;
  try {
    return JSON.parse(body);
  } catch {
    // The server says what is wrong with it.
    return null;
  }
}

function writeMessage(message: unknown): string {
  if (!isObject(message)) return 'null';
  try {
    return JSON.stringify(message);
  } catch {
    // Nested deeper than can be written down again: no message of anybody.
    return '';
  }
}

type Ask = (path: string, init?: { method: string; body?: string }) => Promise<Response>;

/** Calls take their place from the address unless they name a project; without any they look everywhere. */
function createCalls(fetch: Ask, place: Place, clock: () => number): Calls {
  const ask = async <Answer>(path: string, init?: { method: string; body?: string }) => readAnswer<Answer>(await fetch(path, init));
  return {
    search: (asked) => ask(withQuery('/api/search', { ...asked, ...findScope(asked, place) })),
    readTimeline: (asked) => ask(withQuery('/api/timeline', { ...asked, ...findScope(asked, place) })),
    readMemories: (ids, { full = false } = {}) => ask('/api/observations/batch', { method: 'POST', body: JSON.stringify({ ids, full }) }),
    readFileHistory: ({ path }) => ask(withQuery('/api/observations/by-file', { path, ...findFileScope(path, place) })),
    remember: async (said) => {
      const body = JSON.stringify({ ...said, ...findOwner(said, place), by: 'agent' });
      if (place.session !== undefined) {
        const { silence } = await ask<StatuslineAnswer>(withQuery('/api/statusline', { session: place.session }));
        if (silence) throw new Error(`${announceSilence(silence, clock())} Only the user can say it now.`);
      }
      return ask('/api/memory/save', { method: 'POST', body });
    },
    hide: (ids) => ask(`/api/observations/${encodeURIComponent(ids.join(','))}`, { method: 'DELETE' }),
  };
}

type Scope = Pick<SearchParameters, 'cwd' | 'project' | 'all'>;

function findScope({ project, all }: Scope, place: Place): Scope {
  if (all) return { all, project: undefined, cwd: undefined };
  if (project) return { project, cwd: undefined };
  if (place.cwd !== undefined) return { cwd: place.cwd };
  return place.project === undefined ? { all: true, cwd: undefined } : { project: place.project, cwd: undefined };
}

/** An absolute path says by itself where to look. */
const findFileScope = (path: string, { cwd, project }: Place): Scope =>
  cwd === undefined && project === undefined && isAbsolute(path) ? {} : findScope({}, { cwd, project });

function findOwner({ global }: SaveParameters, { cwd, project }: Place): Pick<SaveParameters, 'cwd' | 'project'> {
  if (cwd !== undefined) return { cwd };
  if (project !== undefined || global) return { cwd: undefined, project };
  throw new Error(
    'It is not known which project this is about. Give `global` if it applies in every project, or the ' +
      'user adds ?cwd=/path/of/the/project to the address of this server.',
  );
}

/** The search itself reads no more. */
const MOST_QUERY = 4000;

/** What is not said is left out; lists are separated by commas. */
function withQuery(path: string, parameters: Record<string, string | number | boolean | string[] | undefined>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined || value === false || value === '') continue;
    query.set(name, name === 'query' ? String(value).slice(0, MOST_QUERY).toWellFormed() : String(value));
  }
  return `${path}?${query}`;
}

const Problem = z.object({ error: z.string(), hint: z.string(), candidates: z.array(z.string()).default([]) });

/** Rejects with what is wrong and what to do, as one text for the model. */
async function readAnswer<Answer>(response: Response): Promise<Answer> {
  const body: unknown = await response.json();
  // The API is our own: its answers are trusted to keep to their contract.
  if (response.ok) return body as Answer;
  const { error, hint, candidates } = Problem.parse(body);
  const others = candidates.filter((candidate) => !hint.includes(candidate)).join(', ');
  throw new Error([error, hint, others].filter(Boolean).join(' '));
}

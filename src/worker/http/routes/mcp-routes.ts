// MCP over HTTP ("streamable HTTP", without streams): each message is a POST of its own, and no session is kept.
import type { Context } from 'hono';
import { z } from 'zod';
import { agentHeader } from '../../../core/agent-header.ts';
import { readLimited } from '../../../core/read-limited.ts';
import { errorLine, INVALID_REQUEST, isObject, PARSE_ERROR } from '../../../mcp/json-rpc.ts';
import { createMcpServer, type McpServer } from '../../../mcp/server.ts';
import { type Api, type ApiEnv, addRoute } from '../route.ts';
import { createCalls, type McpPlace } from './mcp-calls.ts';

export type McpRoutesDeps = {
  version: string;
  clock: () => number;
  /** A client that asks is there: the worker does not end on it. */
  onActivity: () => void;
};

/** More than any message in earnest. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Of clients of an older protocol, which send several at once. */
const MOST_MESSAGES = 50;

const PlaceShape = {
  cwd: z.string().min(1).max(4096).optional().describe('The folder whose project is meant when none is named'),
  project: z.string().min(1).max(4096).optional().describe('The same, by the name of the project'),
  session: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe("The host's id of the session: in a silence it keeps nothing"),
};

const RpcSchema = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]).nullable(),
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }).optional(),
});

const ASK = {
  method: 'POST',
  path: '/mcp',
  about:
    'One JSON-RPC message of the Model Context Protocol, or an array of them; 202 when there is nothing to answer.',
  query: PlaceShape,
  answers: { 200: z.union([RpcSchema, z.array(RpcSchema)]), 202: 'text/plain', 400: RpcSchema, 413: RpcSchema },
} as const;

const WATCH = {
  method: 'GET',
  path: '/mcp',
  about: 'Always 405: nothing is ever said unasked.',
  query: PlaceShape,
  answers: { 405: RpcSchema },
} as const;

const LEAVE = {
  method: 'DELETE',
  path: '/mcp',
  about: 'Always 405: there is no session to end.',
  query: PlaceShape,
  answers: { 405: RpcSchema },
} as const;

/** Tools ask the other routes: whoever may not call those may not call this one, and an agent is an agent by either way. */
export function addMcpRoutes(api: Api, { version, clock, onActivity }: McpRoutesDeps): void {
  const askApi = (place: McpPlace) => async (route: string, init?: RequestInit) => {
    const request = new Request(`http://localhost${route}`, { ...init, headers: agentHeader(place) });
    return api.app.fetch(request, { door: 'socket', isTrusted: true });
  };

  addRoute(api, ASK, async ({ query, c }) => {
    onActivity();
    const known = c.req.header('mcp-protocol-version');
    if (known !== undefined && !/^\d{4}-\d\d-\d\d$/.test(known))
      return answerLine(c, errorLine(null, { code: INVALID_REQUEST, message: 'MCP-Protocol-Version is no version.' }));
    const body = c.req.raw.body ? await readLimited(c.req.raw.body, MAX_BYTES) : '';
    if (body === null) return answerLine(c, TOO_LARGE, 413);
    const server = createMcpServer({ calls: createCalls(askApi(query), query, clock), cwd: '', version });
    return answerLine(c, await answerBody(server, body));
  });
  addRoute(api, WATCH, ({ c }) => refuseMethod(c));
  addRoute(api, LEAVE, ({ c }) => refuseMethod(c));
}

const TOO_LARGE = errorLine(null, { code: PARSE_ERROR, message: `A message has at most ${MAX_BYTES} bytes.` });
const TOO_MANY = errorLine(null, { code: INVALID_REQUEST, message: `From 1 to ${MOST_MESSAGES} messages at once.` });

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

/** An error that is no answer to any request is one of HTTP, too. */
function answerLine(c: Context<ApiEnv>, line: string | null, status?: 413): Response {
  if (line === null) return c.body(null, 202);
  const headers = { 'content-type': 'application/json' };
  return c.body(line, status ?? (line.startsWith('{"jsonrpc":"2.0","id":null,') ? 400 : 200), headers);
}

function refuseMethod(c: Context<ApiEnv>): Response {
  const headers = { 'content-type': 'application/json', allow: 'POST' };
  return c.body(errorLine(null, { code: INVALID_REQUEST, message: 'Only POST is known here.' }), 405, headers);
}

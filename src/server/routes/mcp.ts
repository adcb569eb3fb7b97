// MCP over HTTP ("streamable HTTP", without streams): each message is a POST of its own, and no session is kept. Its tools ask the other
// routes: whoever may not call those may not call this one, and an agent is an agent by either way.
import { z } from 'zod';
import { readJson } from '../../agents/json.ts';
import { readAnswer } from '../../client/api.ts';
import { createCalls } from '../../client/memory-api.ts';
import { readLimited } from '../../core/models.ts';
import { agentHeader } from '../../core/search.ts';
import { Folder, ProjectName, SessionName } from '../../core/shapes/asked.ts';
import { errorLine, INVALID_REQUEST, PARSE_ERROR, readLine, readMessage } from '../../mcp/json-rpc.ts';
import { createMcpServer, type McpServer } from '../../mcp/server.ts';
import { type Route, route } from '../http/route.ts';
import type { RouteDeps } from './index.ts';

/** More than any message in earnest. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Of clients of an older protocol, which send several at once. */
const MOST_MESSAGES = 50;

const PlaceShape = {
  cwd: Folder.describe('The folder whose project is meant when none is named'),
  project: ProjectName,
  session: SessionName.describe("The agent's id of the session: while it is paused nothing is kept"),
};

const scopeOf = ({ cwd, project }: { cwd?: string; project?: string }) =>
  cwd !== undefined ? { cwd } : project !== undefined ? { project } : { all: true as const };

const Rpc = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]).nullable(),
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }).optional(),
});

const ASK = 'One JSON-RPC message of the Model Context Protocol, or an array of them; 202 when there is nothing to answer.';
const answers = { answer: z.union([Rpc, z.array(Rpc)]), others: { 202: 'text/plain', 400: Rpc, 413: Rpc } as const };
const none = { query: PlaceShape, answer: 'text/plain', others: { 405: Rpc } } as const;

export const mcpRoutes = ({ version, onActivity }: Pick<RouteDeps, 'version' | 'onActivity'>): Route[] => [
  route('POST /mcp', ASK, { query: PlaceShape, ...answers }, async ({ query, c, fetch }) => {
    onActivity();
    const known = c.req.header('mcp-protocol-version');
    if (known !== undefined && !/^\d{4}-\d\d-\d\d$/.test(known)) return answerLine(refusal('MCP-Protocol-Version is no version.'));
    const body = c.req.raw.body ? await readLimited(c.req.raw.body, MAX_BYTES) : '';
    if (body === null) return answerLine(TOO_LARGE, 413);
    const headers = agentHeader(query);
    const calls = createCalls(async (path, { method = 'GET', body } = {}) => {
      const said = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await fetch(new Request(`http://localhost${path}`, { method, headers, ...said }));
      return readAnswer({ status: response.status, text: await response.text() }, path);
    });
    const server = createMcpServer({ calls, scope: scopeOf(query), version });
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

async function answerBody(server: McpServer, body: string): Promise<string | null> {
  const messages = body.trimStart().startsWith('[') ? readJson(body) : null;
  if (!Array.isArray(messages)) return server.answer(readLine(body));
  if (messages.length === 0 || messages.length > MOST_MESSAGES) return TOO_MANY;
  const answers = await Promise.all(messages.map((message) => server.answer(readMessage(message))));
  const said = answers.filter((answer) => answer !== null);
  return said.length === 0 ? null : `[${said.join(',')}]`;
}

// A request over HTTP goes to one place, reads a bounded answer, and tells a broken one from a whole one.
import { afterEach, describe, expect, test } from 'bun:test';
import { createServer, type Server, type Socket } from 'node:net';
import { NOTHING_USED } from '../../../src/core/models.ts';
import { createAnthropic } from '../../../src/model/providers/anthropic.ts';
import { type AskModel, ModelError } from '../../../src/model/providers/contract.ts';
import { createOpenAi } from '../../../src/model/providers/openai.ts';
import { type FakeServer, startFakeServer } from './fake-server.ts';

const QUESTION = { instructions: 'Observe.', prompt: 'What?', maxOutputTokens: 100, deadlineMs: 5000 };

let cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups) cleanup();
  cleanups = [];
});

describe.each([
  ['anthropic', (server: FakeServer) => createAnthropic({ model: 'm', baseUrl: server.url, key: keyOf(server) })],
  ['openai', (server: FakeServer) => createOpenAi({ model: 'm', baseUrl: server.url, key: keyOf(server) })],
])('%s', (_, create) => {
  test.each([301, 302, 303, 307, 308])('follows no redirect, so that the key stays: %d', async (status) => {
    const [first, other] = [startServer(), startServer()];
    first.replyWith(() => new Response(null, { status, headers: { location: `${other.url}/v1/messages` } }));
    expect(await failureOf(create(first)).then(({ kind }) => kind)).toBe('unrecoverable');
    expect([first.requests.length, other.requests.length]).toEqual([1, 0]);
  });

  test('is transient when nobody is there', async () => {
    const gone = startFakeServer();
    gone.close();
    expect(await failureOf(create(gone))).toMatchObject({ kind: 'transient', usage: NOTHING_USED });
  });

  test('repeats no key that the server repeats', async () => {
    const server = startServer();
    server.replyWith(({ headers }) => Response.json({ error: { message: `No: ${headers.authorization}` } }, { status: 401 }));
    const { message } = await failureOf(create(server));
    expect(message).toContain('answered 401');
    expect(message).not.toContain('sk-secret-0123456789');
  });

  test('asks nobody when the key is for another host', async () => {
    const server = startServer();
    const key = { value: 'sk-secret-0123456789', host: 'api.example' };
    const ask = create({ ...server, host: key.host });
    expect(await failureOf(ask)).toMatchObject({ kind: 'auth' });
    expect(server.requests).toHaveLength(0);
  });
});

const JSON_HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';

test.each([
  ['less than the length it names', `${JSON_HEAD}content-length: 100\r\n\r\n{"a":1}`],
  ['more than the length it names', `${JSON_HEAD}content-length: 3\r\n\r\n{"a":1}`],
  ['no last chunk', `${JSON_HEAD}transfer-encoding: chunked\r\n\r\n7\r\n{"a":1}\r\n`],
  ['no HTTP', 'hello\r\n\r\n'],
  ['nothing', ''],
])('is transient when a server sends %s', async (_, sent) => {
  const { url, connections } = await startRawServer((socket) => socket.end(sent));
  expect(await failureOf(createOpenAi({ model: 'm', baseUrl: url, key: null }))).toMatchObject({ kind: 'transient' });
  expect(connections()).toBe(1);
});

test('stops reading at 1 MB', async () => {
  let sentBytes = 0;
  const chunk = 'x'.repeat(64 * 1024);
  const { url } = await startRawServer((socket) => {
    socket.write(`${JSON_HEAD}\r\n`);
    const push = () => {
      while (!socket.destroyed && sentBytes < 50 * 1024 * 1024) {
        sentBytes += chunk.length;
        if (!socket.write(chunk)) return;
      }
    };
    socket.on('drain', push);
    push();
  });
  expect(await failureOf(createOpenAi({ model: 'm', baseUrl: url, key: null }))).toMatchObject({ kind: 'bad-answer' });
  // What was on its way when we hung up is in the buffers of the two sockets.
  expect(sentBytes).toBeLessThan(25 * 1024 * 1024);
});

async function failureOf(ask: AskModel): Promise<ModelError> {
  const error = await ask(QUESTION).catch((error) => error);
  return error instanceof ModelError ? error : expect.unreachable(`not a ModelError: ${error}`);
}

function keyOf({ host }: FakeServer) {
  return { value: 'sk-secret-0123456789', host };
}

function startServer(): FakeServer {
  const server = startFakeServer();
  cleanups.push(server.close);
  return server;
}

async function startRawServer(onRequest: (socket: Socket) => void) {
  let count = 0;
  const server: Server = createServer((socket) => {
    count++;
    socket.on('error', () => socket.destroy());
    socket.once('data', () => onRequest(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : expect.unreachable();
  return { url: `http://127.0.0.1:${port}/v1`, connections: () => count };
}

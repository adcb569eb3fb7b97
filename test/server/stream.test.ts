import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workerRoutes } from '../../src/server/routes/worker.ts';
import { Stream } from '../../src/server/stream.ts';
import { type StreamClient, watch } from '../support/stream-client.ts';
import { createTestApi } from '../support/test-api.ts';
import { until } from '../support/until.ts';

let folder: string;
let stream: Stream;
let server: Bun.Server<undefined>;
const clients: StreamClient[] = [];

const socket = () => join(folder, 'http.sock');

function serve(limits: ConstructorParameters<typeof Stream>[0]['limits'] = {}): void {
  stream = new Stream({ clock: Date.now, limits: { flushMs: 5, ...limits } });
  const { app } = createTestApi(workerRoutes({ stream } as never)).api;
  server = Bun.serve({ unix: socket(), fetch: (request) => app.fetch(request, { isTrusted: true }) });
}

async function open(options: { query?: string; lastId?: string } = {}): Promise<StreamClient> {
  const client = await watch(socket(), options);
  clients.push(client);
  return client;
}

const removed = (id: number | string) => stream.publish({ type: 'removed', data: { ids: [String(id)] } });
const inProject = (project: string) =>
  stream.publish({ type: 'session', data: { session: 's', project, status: 'active', title: null, at: 1 } });
const idsOf = (client: StreamClient) => client.heard.map(({ data }) => data.ids?.[0] ?? data.project);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cmem-stream-'));
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  stream.close();
  await server.stop(true);
  rmSync(folder, { recursive: true });
});

test('says first where it stands, then each message once and in order to all', async () => {
  serve();
  const all = await Promise.all([open(), open(), open()]);
  for (let at = 0; at < 100; at++) removed(at);
  for (const client of all) {
    await until(() => client.heard.length === 100);
    expect(idsOf(client)).toEqual(Array.from({ length: 100 }, (_, at) => String(at)));
    expect(client.lastId()).toBe(all[0]?.lastId() ?? '');
  }
});

test('whoever comes back hears exactly what it missed', async () => {
  serve();
  const first = await open();
  removed(1);
  await until(() => first.heard.length === 1);
  first.close();
  await until(() => stream.count() === 0);
  removed(2);
  removed(3);
  const byHeader = await open({ lastId: first.lastId() });
  const byQuery = await open({ query: `?last_event_id=${first.lastId()}` });
  removed(4);
  for (const client of [byHeader, byQuery]) {
    await until(() => client.heard.length >= 3);
    expect(idsOf(client)).toEqual(['2', '3', '4']);
  }
});

test('what is pending when somebody joins is told to each once', async () => {
  serve({ flushMs: 50 });
  const first = await open();
  const start = first.lastId();
  removed(1);
  const second = await open({ lastId: start });
  removed(2);
  for (const client of [first, second]) {
    await client.next('removed', ({ data }) => data.ids[0] === '2');
    expect(idsOf(client)).toEqual(['1', '2']);
  }
});

test.each(['nonsense', 'abc-17', 'abc--1'])(
  'the id %s, of another worker or nobody, is answered with the word to ask again',
  async (lastId) => {
    serve();
    const client = await open({ lastId });
    expect(await client.next('reset')).toMatchObject({ data: { reason: expect.any(String) } });
    expect(client.lastId()).not.toBe(lastId);
  },
);

test('only the wanted types and the wanted project come, and every reset', async () => {
  serve();
  const client = await open({ query: '?types=session,spend&project=shop' });
  removed(1);
  inProject('shop');
  inProject('bank');
  stream.publish({ type: 'reset', data: { reason: 'x' } });
  await client.next('reset');
  expect(client.heard.map(({ type, data }) => [type, data.project])).toEqual([
    ['session', 'shop'],
    ['reset', undefined],
  ]);
});

test.each(['?types=nonsense', '?types=', '?tpyes=event'])('refuses %s', async (query) => {
  serve();
  expect((await open({ query })).status).toBe(400);
  expect(stream.count()).toBe(0);
});

test('with too many open, the next is refused and says why; one that leaves makes room', async () => {
  serve({ streams: 2 });
  const [first] = [await open(), await open()];
  const refused = await fetch('http://localhost/stream', { unix: socket() });
  expect([refused.status, await refused.json()]).toEqual([503, { error: '2 streams are open already.', hint: expect.any(String) }]);
  first.close();
  await until(() => stream.count() === 1);
  expect((await open()).status).toBe(200);
});

test('a heartbeat tells the newest id also to whoever wants little', async () => {
  serve({ heartbeatMs: 20 });
  const client = await open({ query: '?types=spend' });
  const start = client.lastId();
  removed(1);
  await until(() => client.lastId() !== start);
  expect(client.heard).toEqual([]);
});

test('all are closed in order, with what was still to be told', async () => {
  serve({ flushMs: 1000 });
  const client = await open();
  removed(1);
  stream.close();
  await until(client.isEnded);
  expect([idsOf(client), stream.count()]).toEqual([['1'], 0]);
});

test('whoever does not read is cut off, keeps nobody else waiting, and catches up', async () => {
  serve({ bufferedBytes: 200_000 });
  const other = await open();
  const slow = net.connect(socket());
  slow.write('GET /stream HTTP/1.1\r\nhost: localhost\r\n\r\n');
  slow.pause();
  await until(() => stream.count() === 2);
  const start = other.lastId();
  const words = 'x'.repeat(10_000);
  let sent = 0;
  await until(() => {
    // Not faster than the other reads, or it would be cut off as well.
    if (other.heard.length < sent) return false;
    for (let at = 0; at < 10; at++) removed(`${sent++} ${words}`);
    return stream.count() === 1;
  });
  // It reads again, and learns that it was cut off.
  slow.resume();
  await until(() => slow.closed);
  await until(() => other.heard.length === sent);
  const back = await open({ lastId: start });
  await until(() => back.heard.length === sent);
  expect(idsOf(back)).toEqual(idsOf(other));
});

test.each([
  ['many', { kept: 10 }, 12, ''],
  ['large', { keptBytes: 4000 }, 5, 'x'.repeat(1500)],
])('what came is not known any more when too %s messages came since', async (_, limits, count, words) => {
  serve(limits);
  const client = await open();
  const start = client.lastId();
  for (let at = 0; at < count; at++) removed(`${at} ${words}`);
  await until(() => client.heard.length === count);
  await (await open({ lastId: start })).next('reset');
  const last = await open({ lastId: client.heard.at(-2)?.id ?? '' });
  await until(() => last.heard.length === 1);
  expect(last.heard[0]?.type).toBe('removed');
});

test('when the last one leaves, messages are made on for a while; then nothing is kept, and it does not pretend that nothing happened', async () => {
  serve({ graceMs: 30 });
  const said: string[] = [];
  stream.onWatched({ begin: () => said.push('begin'), end: () => said.push('end') });
  removed(0);
  const client = await open();
  removed(1);
  await until(() => client.heard.length === 1);
  client.close();
  await until(() => said.includes('end'));
  expect([said, stream.isWatched()]).toEqual([['begin', 'end'], false]);
  removed(2);
  await (await open({ lastId: client.lastId() })).next('reset');
});

// MCP over HTTP: the official client against the app on a port, and whatever else may come.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { loadConfig } from '../../../src/config.ts';
import { findPaths } from '../../../src/paths.ts';
import { createFinder } from '../../../src/search/find.ts';
import { findBest } from '../../../src/search/find-best.ts';
import { beginSilence } from '../../../src/store/silences.ts';
import { createForget } from '../../../src/worker/forget.ts';
import { addMcpRoutes } from '../../../src/worker/http/mcp-routes.ts';
import { addMemoryRoutes } from '../../../src/worker/http/memory-routes.ts';
import { addSilenceRoutes } from '../../../src/worker/http/silence-routes.ts';
import { seededRandom } from '../../core/seeded-random.ts';
import { openShelf } from '../../support/memories.ts';
import { createTestStore, type TestStore } from '../../support/store.ts';
import { createTestApi, type TestApi } from '../../support/test-api.ts';

const NOW = Date.parse('2026-03-18T12:00:00Z');
const AT = NOW - 86_400_000;
const ROOT = '/home/dev/shop';

let store: TestStore;
let memory: TestApi;
let server: Bun.Server<undefined>;
let activity: number;
const open: Client[] = [];

beforeEach(() => {
  store = createTestStore();
  activity = 0;
  const { db } = store;
  const clock = () => NOW;
  const { config } = loadConfig('/nowhere/config.json', {});
  const nothing = async () => undefined;
  memory = createTestApi((api) => {
    const finder = createFinder({ db, models: () => [], clock });
    const silent = { debug: nothing, info: nothing, warn: nothing, error: nothing };
    addSilenceRoutes(api, { db, config: () => config, clock });
    addMemoryRoutes(api, {
      db,
      clock,
      finder,
      findBest: (query, scope) => findBest(finder, query, scope),
      onStored: () => undefined,
      onRenamed: () => undefined,
      forget: createForget({
        db,
        paths: findPaths('/nowhere'),
        clock,
        index: { removeDropped: () => true, wake: () => undefined },
        drainSpool: nothing,
        log: silent,
      }),
    });
    addMcpRoutes(api, { version: '1.2.3', clock, onActivity: () => activity++ });
  });
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => memory.api.app.fetch(request, { door: 'web', isTrusted: true }),
  });
  const shop = openShelf(db, ROOT, 'session-1');
  shop.ask('Make the upload queue survive a restart', AT);
  shop.observe('The upload queue is kept on disk', AT + 1000, { type: 'decision', filesModified: ['src/queue.ts'] });
  openShelf(db, '/home/dev/other', 'session-2').observe('The upload page is blue', AT + 2000);
});

afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
  await server.stop(true);
  store.close();
});

async function connect(query = `?cwd=${ROOT}`): Promise<Client> {
  const client = new Client({ name: 'a client', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`/mcp${query}`, server.url)) as never);
  open.push(client);
  return client;
}

async function use(client: Client, name: string, given: Record<string, unknown> = {}) {
  const { content, isError } = await client.callTool({ name, arguments: given });
  return { text: (content as { text: string }[])[0]?.text ?? '', isError: isError === true };
}

const post = (body: string, headers: Record<string, string> = {}) =>
  fetch(new URL('/mcp', server.url), { method: 'POST', body, headers });
const request = (method: string, params: object = {}, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params });

describe('the official client', () => {
  test('connects, and finds the six tools', async () => {
    const client = await connect();
    expect(client.getServerVersion()).toMatchObject({ name: 'claude-mem', version: '1.2.3' });
    expect(client.getInstructions()).toContain('claude-mem remembers earlier sessions');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'search',
      'timeline',
      'get_observations',
      'file_history',
      'remember',
      'forget',
    ]);
    await client.ping();
  });

  test('uses all six of them', async () => {
    const client = await connect();
    expect((await use(client, 'search', { query: 'upload queue' })).text).toContain('#1');
    expect((await use(client, 'timeline', { anchor: '1' })).text).toContain('The upload queue is kept on disk');
    expect((await use(client, 'timeline', { query: 'upload queue' })).isError).toBe(false);
    expect((await use(client, 'get_observations', { ids: ['1', 'P1'] })).text).toContain('survive a restart');
    expect((await use(client, 'file_history', { path: 'src/queue.ts' })).text).toContain('Changed it:');
    const kept = await use(client, 'remember', { text: 'Deploy on Tuesdays only.' });
    expect(kept.text).toStartWith('Remembered as #3 in shop');
    expect((await use(client, 'forget', { ids: ['3'] })).text).toStartWith('Hidden: #3.');
    expect((await use(client, 'get_observations', { ids: ['3'] })).text).toContain('Not there');
    expect(memory.problems).toEqual([]);
  });

  test('is an agent: what it says is believed as that, and what it forgets is only hidden', async () => {
    const client = await connect();
    await use(client, 'remember', { text: 'Deploy on Tuesdays only.', by: 'user' });
    await use(client, 'forget', { ids: ['3'], erase: true });
    const row = store.db.query('SELECT origin, hidden_at IS NOT NULL AS isHidden FROM observations WHERE id = 3').get();
    expect(row).toEqual({ origin: 'agent', isHidden: 1 });
    const again = await use(client, 'remember', { text: 'Deploy on Tuesdays only.' });
    expect(again.isError).toBe(true);
  });

  test('hears what is wrong and what to do', async () => {
    const client = await connect();
    expect(await use(client, 'search', { query: 'upload', project: 'nope' })).toEqual({
      text: 'No project is called "nope". Known: shop, other.',
      isError: true,
    });
    expect((await use(client, 'juggle')).text).toContain('There is no tool juggle.');
    expect((await use(client, 'timeline', { anchor: '999' })).text).toContain('There is no memory 999.');
    await expect(client.request({ method: 'resources/list' }, {} as never)).rejects.toThrow(
      'There is no resources/list',
    );
  });

  test('counts as activity', async () => {
    const client = await connect();
    const before = activity;
    await client.ping();
    expect(activity).toBe(before + 1);
  });
});

describe('the place of a client', () => {
  test.each([
    ['?cwd=/home/dev/shop', true, false],
    ['?project=other', false, true],
    ['', true, true],
  ])('by "%s" decides what is searched', async (query, findsShop, findsOther) => {
    const { text } = await use(await connect(query), 'search', { query: 'upload' });
    expect(text.includes('queue is kept on disk')).toBe(findsShop);
    expect(text.includes('page is blue')).toBe(findsOther);
  });

  test('gives way to a project that is named, and to all', async () => {
    const client = await connect();
    expect((await use(client, 'search', { query: 'upload', project: 'other' })).text).toContain('page is blue');
    const everywhere = await use(client, 'search', { query: 'upload', all: true });
    expect(everywhere.text).toContain('page is blue');
    expect(everywhere.text).toContain('kept on disk');
  });

  test('unknown: a file is looked for everywhere, a memory needs a project or all of them', async () => {
    const client = await connect('');
    expect((await use(client, 'file_history', { path: 'src/queue.ts' })).text).toContain('Changed it:');
    expect((await use(client, 'file_history', { path: `${ROOT}/src/queue.ts` })).isError).toBe(false);
    expect((await use(client, 'timeline', { anchor: '1' })).isError).toBe(false);
    expect((await use(client, 'remember', { text: 'Tuesdays.' })).text).toContain('?cwd=/path/of/the/project');
    expect((await use(client, 'remember', { text: 'Tuesdays.', global: true })).isError).toBe(false);
  });

  test('must be a whole path', async () => {
    const { text } = await use(await connect('?cwd=shop'), 'search', { query: 'upload' });
    expect(text).toBe('cwd is not an absolute path. Give the whole path.');
  });

  test('of another kind is refused', async () => {
    for (const query of ['?cwd=', '?where=/tmp', '?cwd=/a&cwd=/b'])
      expect((await fetch(new URL(`/mcp${query}`, server.url), { method: 'POST', body: '{}' })).status).toBe(400);
  });
});

describe('a silence', () => {
  test.each([
    ['everything', '', '?cwd=/home/dev/shop'],
    ['project', ROOT, '?cwd=/home/dev/shop'],
    ['project', ROOT, '?project=shop'],
    ['session', 'session-9', '?cwd=/home/dev/shop&session=session-9'],
  ] as const)('of %s %s refuses what an agent wants to be remembered', async (scope, key, query) => {
    beginSilence(store.db, { scope, key, since: NOW - 1000, until: null });
    const client = await connect(query);
    const { text, isError } = await use(client, 'remember', { text: 'Deploy on Tuesdays only.' });
    expect(isError).toBe(true);
    expect(text).toContain('nothing is kept or told');
    expect((await use(client, 'search', { query: 'Tuesdays' })).text).not.toContain('Deploy');
  });
});

describe('over HTTP', () => {
  test('a request is answered as JSON, whatever is accepted', async () => {
    for (const accept of ['application/json, text/event-stream', 'application/json', '*/*', 'text/event-stream']) {
      const response = await post(JSON.stringify(request('ping')), { accept, 'mcp-protocol-version': '2025-06-18' });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('application/json');
      expect(await response.json()).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    }
  });

  test('a notification is accepted without a word', async () => {
    const response = await post(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
    expect(response.status).toBe(202);
    expect(await response.text()).toBe('');
  });

  test('several at once get their answers at once', async () => {
    const notice = { jsonrpc: '2.0', method: 'notifications/initialized' };
    const response = await post(JSON.stringify([request('ping', {}, 'a'), notice, request('nope', {}, 'b'), 5]));
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject([
      { id: 'a', result: {} },
      { id: 'b', error: { code: -32601 } },
      { id: null, error: { code: -32600 } },
    ]);
    expect((await post(JSON.stringify([notice, notice]))).status).toBe(202);
    expect((await post('[]')).status).toBe(400);
    expect((await post(JSON.stringify(Array(51).fill(notice)))).status).toBe(400);
  });

  test.each(['GET', 'DELETE'])('%s is not allowed: there is no stream and no session', async (method) => {
    const response = await fetch(new URL('/mcp?cwd=/home/dev/shop', server.url), { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
  });

  test.each(['', '{', 'null', '5', '"x"', '{}', '[', '['.repeat(100_000), '{"a":'.repeat(100_000), '\u0000'])(
    'a body that is no message is a 400',
    async (body) => {
      const response = await post(body);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { message: expect.any(String) } });
    },
  );

  test('what is nested beyond reason is answered, too', async () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    expect((await post(deep)).status).toBeLessThan(500);
    expect((await post(`[{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":${deep}}}]`)).status).toBeLessThan(500);
  });

  test('a message without an end is not read to the end', async () => {
    const response = await post('x'.repeat(9 * 1024 * 1024));
    expect(response.status).toBe(413);
  });

  test('a version that is none is refused', async () => {
    expect((await post(JSON.stringify(request('ping')), { 'mcp-protocol-version': 'latest' })).status).toBe(400);
  });

  test('a thousand bodies of any shape get an answer each', async () => {
    const random = seededRandom(5);
    const values: unknown[] = [
      null,
      true,
      0,
      -1,
      1e308,
      '',
      'S1',
      '\ud800',
      '記憶',
      '%00',
      [],
      {},
      ['1', {}],
      'a'.repeat(3000),
    ];
    const fields = ['query', 'ids', 'path', 'anchor', 'text', 'limit', 'type', 'all', 'project', 'since', '__proto__'];
    const tools = ['search', 'timeline', 'get_observations', 'file_history', 'remember', 'forget', 'nope'];
    const given = () =>
      Object.fromEntries(Array.from({ length: random.below(5) }, () => [random.of(fields), random.of(values)]));
    const call = () =>
      request(
        'tools/call',
        { name: random.of(tools), arguments: random.of([given(), random.of(values)]) },
        random.of([1, 'x', null]),
      );
    for (let round = 0; round < 1000; round++) {
      const text = JSON.stringify(random.of([call(), call(), [call(), random.of(values)], random.of(values)]));
      const body = random.below(5) === 0 ? text.slice(0, random.below(text.length)) : text;
      const response = await memory.api.app.request(`/mcp?cwd=${ROOT}`, { method: 'POST', body });
      expect([200, 202, 400]).toContain(response.status);
      if (response.status !== 202) expect(await response.text()).toMatch(/^[[{]/);
    }
    expect(memory.problems).toEqual([]);
  }, 60_000);
});

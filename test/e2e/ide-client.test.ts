// An IDE extension of some thirty lines has a memory: over HTTP alone, from the first window to the second.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createIdeClient } from '../support/ide-client.ts';
import { until } from '../support/until.ts';
import { createTestWorker, type TestWorker } from '../support/worker-app.ts';

let worker: TestWorker;
let cwd: string;
let baseUrl: string;

beforeEach(async () => {
  worker = createTestWorker();
  cwd = join(worker.paths.dataDir, 'work/shop');
  mkdirSync(cwd, { recursive: true });
  await worker.start();
  baseUrl = (await worker.call('GET', '/api/status')).body.web.address;
});
afterEach(() => worker.dispose());

const openWindow = (sessionId: string) =>
  createIdeClient({ baseUrl, token: readFileSync(worker.paths.token, 'utf8').trim(), cwd, sessionId });

test('what one window did, the next is told', async () => {
  const first = openWindow('window-1');
  expect(await first.activate()).toBe('');
  const panel = openWindow('panel').watch();
  const remembered = panel.next();
  expect(await first.prompt('The orders are cached for too long')).toMatchObject({ status: 'initialized', project: 'shop' });
  expect(await first.save(join(cwd, 'src/cache.ts'), 'const TTL = 3600;', 'const TTL = 60;')).toMatchObject({
    status: 'queued',
    queueLength: 2,
  });
  // A turn that goes on waits for its end: there is nothing to wait for yet.
  expect(await first.isBusy()).toBe(false);
  await first.idle('We decided to cache orders for 60 seconds, because they change every minute.');
  expect(await first.deactivate()).toMatchObject({ status: 'completed' });

  const told = await openWindow('window-2').activate();
  expect(told).toContain('src/cache.ts');
  expect(told).toContain('60 seconds');
  await until(async () => !(await first.isBusy()));
  expect((await remembered).value).toContain('cache');
  await panel.return(undefined);
});

test('the examples of the first documents work as written, once the token is added', async () => {
  const headers = { authorization: `Bearer ${readFileSync(worker.paths.token, 'utf8').trim()}` };
  // What `fetch` of node and of an editor says of a body that has no type of its own; Bun's says nothing.
  const plain = { ...headers, 'content-type': 'text/plain;charset=UTF-8' };
  const post = (route: string, body: object) => fetch(baseUrl + route, { method: 'POST', headers: plain, body: JSON.stringify(body) });
  const sessionId = 'window-3';
  expect((await post('/sessions/init', { sessionId, project: 'shop', userPrompt: 'Round the prices' })).status).toBe(200);
  const saved = {
    claudeSessionId: sessionId,
    tool_name: 'FileSave',
    tool_input: { path: join(cwd, 'src/price.ts') },
    tool_response: 'File saved successfully',
  };
  expect(await (await post('/api/sessions/observations', saved)).json()).toMatchObject({ status: 'queued' });
  const [event] = worker.rows<{ payload: string }>("SELECT payload FROM events WHERE kind = 'tool'");
  expect(JSON.parse(event?.payload ?? '')).toMatchObject({ tool: 'FileSave', action: { type: 'edit', file: join(cwd, 'src/price.ts') } });
  const context = await fetch(`${baseUrl}/api/context/inject?project=shop`, { headers });
  expect(context.headers.get('content-type')).toContain('text/markdown');
  expect((await fetch(`${baseUrl}/sessions/init`, { method: 'POST', body: '{}' })).status).toBe(401);
});

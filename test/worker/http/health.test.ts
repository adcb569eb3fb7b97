// Health: that it is there is for anybody, how it is for whoever it trusts.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { Hono } from 'hono';
import { openStore } from '../../../src/store/open.ts';
import type { Api, ApiEnv } from '../../../src/worker/http/route.ts';
import { addHealthRoute } from '../../../src/worker/http/routes/health-route.ts';
import { createQueueTrend } from '../../../src/worker/watch/queue-trend.ts';
import { nextId, userPrompt } from '../../support/payloads.ts';
import { createTestWorker, type TestWorker } from '../../support/worker-app.ts';

let worker: TestWorker;

beforeEach(async () => {
  worker = createTestWorker();
  await worker.start();
});
afterEach(() => worker.dispose());

test('the socket is told all of it', async () => {
  await worker.send('new', userPrompt(nextId('s'), '/work/shop', 'Cache the orders'));
  const { status, body } = await worker.call('GET', '/health');
  expect(status).toBe(200);
  expect(body).toEqual({
    status: 'ok',
    port: expect.any(Number),
    pid: process.pid,
    version: 'test',
    activeSessions: 1,
    uptimeMs: expect.any(Number),
    rss: expect.any(Number),
    queue: { depth: 1, oldestMs: expect.any(Number), slope: expect.any(Number) },
  });
});

test('whoever has not shown the token is told that it is there, and nothing else', async () => {
  await worker.stop();
  const db = openStore(worker.paths.database);
  const queue = createQueueTrend({ db, clock: Date.now });
  const api: Api = { app: new Hono<ApiEnv>(), routes: [] };
  addHealthRoute(api, { db, version: 'test', startedAt: Date.now(), port: () => 37777, queue, clock: Date.now });
  const ask = async (isTrusted: boolean) =>
    (await api.app.request('/health', {}, { door: 'web', isTrusted })).json() as Promise<object>;
  expect(await ask(false)).toEqual({ status: 'ok' });
  expect(await ask(true)).toMatchObject({ status: 'ok', port: 37777 });
  queue.close();
  db.close();
});

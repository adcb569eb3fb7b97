// Health: that it is there is for anybody, how it is for whoever it trusts.
import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Hono } from 'hono';
import { loadConfig } from '../../../src/config.ts';
import { openStore } from '../../../src/store/open.ts';
import type { Api, ApiEnv } from '../../../src/worker/http/route.ts';
import { addHealthRoute } from '../../../src/worker/http/routes/health-route.ts';
import { findProblems } from '../../../src/worker/watch/health.ts';
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
    problems: [],
    port: expect.any(Number),
    pid: process.pid,
    version: 'test',
    activeSessions: 1,
    uptimeMs: expect.any(Number),
    rss: expect.any(Number),
    queue: { depth: 1, oldestMs: expect.any(Number), slope: expect.any(Number) },
  });
});

test('what is wrong is named, and the status is not ok then', async () => {
  mkdirSync(join(worker.paths.spool, 'bad'), { recursive: true });
  writeFileSync(join(worker.paths.spool, 'bad', '1.json'), '{');
  const { body } = await worker.call('GET', '/health');
  expect(body).toMatchObject({ status: 'degraded', problems: [{ check: 'bad input' }] });
  expect(body.problems[0].problem).toContain('1 event could not be read');
});

test('a fact that cannot be looked up is a problem, not silence', () => {
  const db = new Database(':memory:');
  db.close();
  const { config } = loadConfig('/nowhere/config.json', {});
  const problems = findProblems({ db, paths: worker.paths, config: () => config, clock: Date.now });
  expect(problems).toContainEqual({ check: 'database', problem: expect.stringContaining('cannot be looked up') });
});

test('whoever has not shown the token is told that it is there, and nothing else', async () => {
  await worker.stop();
  const db = openStore(worker.paths.database);
  const queue = createQueueTrend({ db, clock: Date.now });
  const api: Api = { app: new Hono<ApiEnv>(), routes: [] };
  const { config } = loadConfig('/nowhere/config.json', {});
  const facts = { db, paths: worker.paths, config: () => config, clock: Date.now };
  addHealthRoute(api, { ...facts, version: 'test', startedAt: Date.now(), port: () => 37777, queue });
  const ask = async (isTrusted: boolean) =>
    (await api.app.request('/health', {}, { door: 'web', isTrusted })).json() as Promise<object>;
  expect(await ask(false)).toEqual({ status: 'ok' });
  expect(await ask(true)).toMatchObject({ status: 'ok', port: 37777 });
  queue.close();
  db.close();
});

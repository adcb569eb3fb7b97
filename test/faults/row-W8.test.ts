// W8: a worker that answers and processes nothing is not healthy: health turns red, and a starting session says so.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callApi } from '../../src/client/api.ts';
import { sendLine } from '../../src/client/send.ts';
import { loadConfig } from '../../src/config.ts';
import { findPaths, type Paths } from '../../src/paths.ts';
import { startWorkerApp } from '../../src/server/app.ts';
import { sessionStart, stop, userPrompt } from '../support/payloads.ts';
import { reportFault } from '../support/report-fault.ts';
import { until } from '../support/until.ts';
import { envelopeOf } from '../support/worker-app.ts';

let paths: Paths;
let worker: Awaited<ReturnType<typeof startWorkerApp>>;
let tries = 0;
let ahead = 0;
beforeEach(async () => {
  paths = findPaths(mkdtempSync(join(tmpdir(), 'cmem-zombie-')));
  const { config } = loadConfig('/nowhere/config.json', {});
  const quiet = () => undefined;
  worker = await startWorkerApp({
    paths,
    config: () => config,
    configProblems: () => [],
    fromVariables: [],
    version: 'test',
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    clock: () => Date.now() + ahead,
    onDone: quiet,
    patience: 30,
    // The consumer alone has stopped; hooks and HTTP are answered.
    observe: () => {
      tries++;
      throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' });
    },
  });
});
afterEach(async () => {
  await worker.close();
  rmSync(paths.dataDir, { recursive: true });
});

async function send(event: 'new' | 'summary' | 'context', payload: object): Promise<string> {
  const answer = await sendLine(paths.workerSocket, JSON.stringify(envelopeOf(event, payload)), 20_000);
  return answer.kind === 'answer' ? (JSON.parse(answer.line).output ?? '') : '';
}

test('nothing is processed: said by health and at the start of a session, and nothing is set aside', async () => {
  const since = performance.now();
  await send('new', userPrompt('s', '/work/shop', 'Cache the orders', { prompt_id: 'p1' }));
  await send('summary', stop('s', '/work/shop', 'Cached the orders.', { prompt_id: 'p1' }));
  // More often than a turn may fail by its own fault.
  await until(() => tries > 6);
  ahead = 3 * 60_000;
  const health = (await callApi(paths, '/health')) as { status: string; problems: { check: string }[] };
  const told = await send('context', sessionStart('next', '/work/shop'));
  const isSaid = health.problems.some(({ check }) => check === 'turns') && told.includes('not processed');
  reportFault({ fault: 'W8', runs: 1, lost: 0, twice: 0, silent: isSaid ? 0 : 1, since });
  expect(health.status).toBe('degraded');
  expect(told).toContain('Attention: Turns that ended are not processed');
  expect(health.problems.map(({ check }) => check)).not.toContain('events');
});

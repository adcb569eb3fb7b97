// Health: that it is there and whether all is well is for anybody, what is wrong for whoever it trusts.
import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { closeSync, copyFileSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { noteDamage, rememberStore } from '../../../src/backup/damage.ts';
import { loadConfig } from '../../../src/config.ts';
import type { ModelStatus } from '../../../src/core/shapes/worker.ts';
import { createSpoolList, findProblems, findWarning, type HealthFacts, readHealth } from '../../../src/server/health.ts';
import { createSelfWatch } from '../../../src/server/self-watch.ts';
import { createQueueTrend } from '../../../src/server/status.ts';
import type { StoreState } from '../../../src/server/store-guard.ts';
import { createProbe, openStore } from '../../../src/store/open.ts';
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
    facts: expect.objectContaining({ isFull: false, notKept: 0, sockets: { hooks: true, http: true } }),
  });
});

test('what is wrong is named, and the status is not ok then', async () => {
  mkdirSync(join(worker.paths.spool, 'bad'), { recursive: true });
  writeFileSync(join(worker.paths.spool, 'bad', '1.json'), '{');
  const { body } = await worker.call('GET', '/health');
  expect(body).toMatchObject({ status: 'degraded', problems: [{ check: 'bad input' }] });
  expect(body.problems[0].problem).toContain('1 event could not be read');
});

const WELL: StoreState = { failedWrites: 0, failingSince: null, error: null, isFull: false, hasBallast: true, notKept: 0 };

/** Facts of a worker that is well, but for these. */
function factsOf(db: Database, more: Partial<HealthFacts> = {}): HealthFacts {
  const { config } = loadConfig('/nowhere/config.json', {});
  return {
    db,
    paths: worker.paths,
    config: () => config,
    version: 'test',
    startedAt: Date.now(),
    port: () => 37777,
    queue: { read: () => ({ depth: 0, oldestMs: null, slope: 0 }) },
    settingProblems: () => [],
    isOurs: () => true,
    store: () => WELL,
    sockets: () => ({ hooks: true, http: true }),
    wal: { bytes: () => 0, isTooLarge: () => false },
    clockWatch: { read: () => ({ jumps: 0, backMs: 0 }) },
    lastSuccessAt: () => null,
    spooled: createSpoolList(worker.paths.spool),
    model: { status: () => ({ pause: null, waiting: 0 }) as ModelStatus },
    clock: Date.now,
    ...more,
  };
}

test('a fact that cannot be looked up is a problem, not silence', () => {
  const db = new Database(':memory:');
  db.close();
  const problems = findProblems(factsOf(db));
  expect(problems).toContainEqual({ check: 'turns', level: 'degraded', problem: expect.stringContaining('cannot be looked up') });
});

describe('the database', () => {
  const path = () => worker.paths.database;
  const overwrite = (from: number, to: number) => {
    const file = openSync(path(), 'r+');
    writeSync(file, Buffer.alloc(to - from, 0xde), 0, to - from, from);
    closeSync(file);
  };
  test.each<[string, () => void]>([
    ['is gone', () => rmSync(path())],
    [
      'is another file',
      () => {
        writeFileSync(`${path()}.x`, 'hello'.repeat(1000));
        renameSync(`${path()}.x`, path());
      },
    ],
    [
      'is a copy',
      () => {
        copyFileSync(path(), `${path()}.x`);
        renameSync(`${path()}.x`, path());
      },
    ],
    ['has another header', () => overwrite(0, 100)],
    ['has other pages behind the first', () => overwrite(4096, statSync(path()).size)],
    ['is empty', () => writeFileSync(path(), '')],
  ])('%s under a worker that has it open', async (_, harm) => {
    await worker.stop();
    const db = openStore(path());
    const isOurs = rememberStore(worker.paths);
    db.run('PRAGMA wal_checkpoint(TRUNCATE)');
    expect(findProblems(factsOf(db, { isOurs }))).toEqual([]);
    const ofSessions = factsOf(db, { isOurs, probe: createProbe(path()) });
    expect(findWarning(ofSessions)).toBeNull();
    expect(findWarning(ofSessions)).toBeNull();
    harm();
    expect(findWarning(ofSessions)).toContain(path());
    expect(findWarning(ofSessions)).toContain(path());
    expect(findProblems(factsOf(db, { isOurs }))).toContainEqual({
      check: 'database',
      level: 'damaged',
      problem: expect.stringContaining(path()),
    });
    db.close();
  });
});

describe('what a worker that runs cannot do', () => {
  const find = (more: Partial<HealthFacts>) => {
    const db = openStore(worker.paths.database);
    const problems = findProblems(factsOf(db, more));
    db.close();
    return problems;
  };
  const pausedBy = (kind: string, times: number) => ({
    status: () => ({ waiting: 1, pause: { kind, times, until: 0, untilIso: '', message: 'HTTP 500' } }) as ModelStatus,
  });

  test('store an event', () => {
    const store = () => ({ ...WELL, failingSince: Date.now() - 4000, error: 'database is locked' });
    const problem = expect.stringContaining('cannot be written since 4 s (database is locked)');
    expect(find({ store })).toEqual([{ check: 'writing', level: 'degraded', problem }]);
  });

  test('tell the time, or be found', () => {
    let at = Date.now();
    const nothing = () => undefined;
    const log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
    const db = openStore(':memory:');
    const deps = { db, paths: worker.paths, log, clock: () => at, isOurs: () => true, onRecovered: nothing, onDone: nothing };
    const self = createSelfWatch(deps);
    const { clockWatch } = self.facts;
    clockWatch.look();
    expect(find({ clockWatch })).toEqual([]);
    at -= 600_000;
    clockWatch.look();
    const sockets = () => ({ hooks: false, http: true });
    expect(find({ clockWatch, sockets })).toEqual([
      { check: 'sockets', level: 'degraded', problem: expect.stringContaining('could not be made again') },
      { check: 'clock', level: 'degraded', problem: expect.stringContaining('set back by 10 min') },
    ]);
    self.close();
  });

  test('read its settings', () => {
    expect(find({ settingProblems: () => ['It is broken.'] })).toEqual([
      { check: 'settings', level: 'degraded', problem: 'It is broken.' },
    ]);
  });

  test('reach its model, unless that has failed only once and just now', () => {
    expect(find({ model: pausedBy('transient', 1) })).toEqual([]);
    for (const model of [pausedBy('transient', 2), pausedBy('auth', 1)])
      expect(find({ model })).toEqual([{ check: 'model', level: 'degraded', problem: expect.stringContaining('HTTP 500') }]);
  });
});

test('whoever has not shown the token is told whether all is well, and nothing else', async () => {
  await worker.stop();
  const db = openStore(worker.paths.database);
  const queue = createQueueTrend({ db, clock: Date.now });
  const ask = (isTrusted: boolean) => readHealth(factsOf(db, { queue }), isTrusted);
  expect(ask(false)).toEqual({ status: 'ok' });
  expect(ask(true)).toMatchObject({ status: 'ok', port: 37777 });
  mkdirSync(join(worker.paths.spool, 'bad'), { recursive: true });
  writeFileSync(join(worker.paths.spool, 'bad', '1.json'), '{');
  expect(ask(false)).toEqual({ status: 'degraded' });
  noteDamage(worker.paths, ['2 of 9 pages are not as they were written']);
  expect(ask(false)).toEqual({ status: 'damaged' });
  queue.close();
  db.close();
});

// Sync in the background: a hub that is away for a day changes nothing, and everything catches up by itself; a revoked device says so.
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { loadConfig } from '../../src/config.ts';
import { createHubClient, type Fetch } from '../../src/sync/client.ts';
import { createSyncLoop } from '../../src/sync/loop.ts';
import { writeAccount } from '../../src/sync/state.ts';
import { findSyncProblem, readSyncStatus } from '../../src/sync/status.ts';
import { until } from '../support/until.ts';
import {
  addMachine,
  fetchHub,
  forget,
  HUB_URL,
  loginWith,
  openBlank,
  openMachine,
  openWorld,
  project,
  QUIET_LOG,
  say,
} from './machines.ts';

const DAY_MS = 86_400_000;
const folder = mkdtempSync(`${tmpdir()}/claude-mem-loop-`);
const loops: { close: () => Promise<void> }[] = [];
afterAll(async () => {
  await Promise.all(loops.map((loop) => loop.close()));
  rmSync(folder, { recursive: true, force: true });
});

async function openLoop() {
  const world = await openWorld();
  const direct = fetchHub(world.hub);
  const line = { isDown: false };
  const fetch: Fetch = (url, init) => (line.isDown ? Promise.reject(new TypeError('away')) : direct(url, init));
  const account = await loginWith(direct, world.admin, 'laptop');
  const other = await openMachine('desk', await addMachine(direct, account, 'desk'), { fetch: direct, now: () => ++world.time.now });
  const path = `${folder}/${account.device}.json`;
  const db = openBlank();
  const clock = () => world.time.now;
  const { config } = loadConfig('/nowhere', {});
  const erase = async () => undefined;
  const waits = { away: [] as number[], line: [] as number[] };
  const deps = {
    db,
    path,
    config: () => config,
    clock,
    log: QUIET_LOG as never,
    onStored: () => undefined,
    erase,
    scour: erase,
    fetch,
    waitMs: (ms: number, why: 'away' | 'line') => {
      waits[why].push(ms);
      return Math.min(ms, 5);
    },
  };
  const loop = createSyncLoop(deps);
  loops.push(loop);
  const here = { db, now: () => ++world.time.now };
  const status = () => readSyncStatus(db, path, world.time.now);
  return { ...world, line, loop, path, account, here, other, status, direct, waits };
}

test('without an account nothing is asked or noted', async () => {
  const { loop, here, status } = await openLoop();
  expect((await loop.now()).state).toBe('off');
  say(here, 'A note that stays on this machine');
  expect(here.db.query('SELECT count(*) AS n FROM sync_changes').get()).toEqual({ n: 0 });
  expect(status().state).toBe('off');
});

test('a day without the hub changes nothing here, and afterwards both sides catch up by themselves', async () => {
  const { loop, here, other, line, path, account, time, status } = await openLoop();
  writeAccount(path, account);
  expect((await loop.now()).state).toBe('up to date');
  line.isDown = true;
  for (let hour = 0; hour < 24; hour++) {
    say(here, `Note of hour ${hour}, written while the hub was away`);
    loop.wake();
    time.now += DAY_MS / 24;
  }
  forget(here, say(here, 'A note that is forgotten before anybody got it'));
  say(other, 'A note of the other machine from that day');
  await other.sync.round();
  await until(() => status().error !== null);
  // Nobody is told in the first hour; after a day somebody should be.
  expect(findSyncProblem(here.db, path, time.now)).toBeNull();
  time.now += 2 * 3_600_000;
  expect(findSyncProblem(here.db, path, time.now)).toContain('Nothing is lost');
  expect((project(here) as { memories: unknown[] }).memories).toHaveLength(24);
  line.isDown = false;
  loop.wake();
  await until(() => status().state === 'up to date' && (project(here) as { memories: unknown[] }).memories.length === 25);
  await other.sync.round();
  expect(project(other)).toEqual(project(here));
  expect(findSyncProblem(here.db, path, time.now)).toBeNull();
});

test('what another machine says arrives without a question, and what changes here leaves without one', async () => {
  const { loop, here, other, path, account, status } = await openLoop();
  writeAccount(path, account);
  await loop.now();
  say(other, 'A note that is waited for');
  await other.sync.round();
  await until(() => (project(here) as { memories: unknown[] }).memories.length === 1);
  say(here, 'A note in the other direction');
  loop.wake();
  await until(() => status().pending === 0 && here.db.query('SELECT 1 FROM sync_changes').get() === null);
  await other.sync.round();
  expect(project(other)).toEqual(project(here));
});

test('a hub that is away is asked less and less, at least every few minutes; a line is not filled', async () => {
  const { loop, here, line, path, account, status, waits } = await openLoop();
  writeAccount(path, account);
  line.isDown = true;
  await loop.now();
  await until(() => waits.away.length >= 14);
  const [first = 0, ...later] = waits.away;
  expect(first).toBeLessThanOrEqual(3000);
  // Each twice as long as the one before, give or take half, up to five minutes.
  for (const [at, ms] of later.entries()) {
    const full = Math.min(300_000, 1000 * 2 ** (at + 2));
    expect([ms >= full / 2, ms <= full * 1.5]).toEqual([true, true]);
  }
  line.isDown = false;
  for (let n = 0; n < 300; n++) say(here, `Note ${n} of many: ${'herons and lanterns '.repeat(40)}`);
  await loop.now();
  await until(() => status().state === 'up to date');
  // Two megabytes a second.
  expect(waits.line.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan((300 * 800) / 2000);
});

test('paused nothing is sent; revoked it says so at once', async () => {
  const { loop, here, other, path, account, direct, status, time } = await openLoop();
  writeAccount(path, { ...account, isPaused: true });
  await loop.now();
  say(here, 'A note of a machine that is paused');
  expect((await loop.now()).state).toBe('paused');
  await other.sync.round();
  expect((project(other) as { memories: unknown[] }).memories).toEqual([]);
  await createHubClient({ hub: HUB_URL, token: account.token, fetch: direct }).call('DELETE', `devices/${account.device}`, null);
  writeAccount(path, account);
  await loop.now();
  expect(status()).toMatchObject({ state: 'failed', error: expect.stringContaining('revoked') });
  expect(findSyncProblem(here.db, path, time.now)).toContain('revoked');
});

// F4: a full disk is seen at each step: said at the time by status, health and a starting session, counted, and over by itself when there is room.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { callApi } from '../../src/client/api.ts';
import { spool } from '../../src/hook/spool.ts';
import { bash, nextId, sessionStart, stop, userPrompt } from '../support/payloads.ts';
import { reportFault } from '../support/report-fault.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { createSmallDisk, type SmallDisk, whyNoDisk } from '../support/small-disk.ts';
import { until } from '../support/until.ts';
import { envelopeOf } from '../support/worker-app.ts';

const IS_FULL = Boolean(process.env.CLAUDE_MEM_TEST_FULL);
const EVENTS = IS_FULL ? 40 : 8;
const SPOOLED = IS_FULL ? 400 : 40;

let disk: SmallDisk;
let sandbox: Sandbox;
let cwd: string;
let sent: string[];

const readStatus = () => sandbox.status();
const spooled = () => (existsSync(sandbox.paths.spool) ? readdirSync(sandbox.paths.spool).filter((name) => name.endsWith('.json')) : []);
const ballast = () => (existsSync(sandbox.paths.ballast) ? readdirSync(sandbox.paths.ballast).length : 0);

async function deliver(count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    const id = nextId('toolu');
    sent.push(id);
    const run = await sandbox.hook('save', bash('s', cwd, `echo ${id}`, 'ok', { tool_use_id: id, prompt_id: 'p1' }));
    expect(run.code).toBe(0);
  }
}

/** Whatever was accepted is there in the end, once; whatever was not is counted. */
async function settle(): Promise<{ lost: number; twice: number; notKept: number }> {
  const status = await until(async () => {
    const status = await readStatus();
    return !status.facts.isFull && status.queue.spooled === 0 ? status : null;
  });
  const stored = sandbox.query<{ id: string }>("SELECT id FROM events WHERE kind IN ('tool','start')");
  const ids = new Set(stored.map(({ id }) => id));
  const { notKept } = status.facts;
  expect(sandbox.query('PRAGMA quick_check')).toEqual([{ quick_check: 'ok' }]);
  // A hook that waited in vain counts its event, and the worker may have stored it after all: rather one too many.
  return { lost: Math.max(0, sent.length - notKept - ids.size), twice: stored.length - ids.size, notKept };
}

describe.skipIf(whyNoDisk !== null)('a full disk', () => {
  beforeEach(() => {
    disk = createSmallDisk({ kind: 'ext4', megabytes: 48 });
    sandbox = createSandbox({ within: disk.folder });
    cwd = sandbox.project('shop');
    sent = [];
  });
  afterEach(async () => {
    disk.empty();
    await sandbox.dispose();
    disk.dispose();
  });

  const report = (since: number, step: { lost: number; twice: number }, silent: number) => {
    const { lost, twice } = step;
    reportFault({ fault: 'F4', runs: sent.length, lost, twice, silent, since });
    expect({ lost, twice, silent }).toEqual({ lost: 0, twice: 0, silent: 0 });
  };
  const countSilence = async () => {
    const { problems, facts, health } = await readStatus();
    return health === 'degraded' && facts.isFull && problems[0]?.includes('The disk is full') ? 0 : 1;
  };

  /** By the next session at the latest, which comes well within this. */
  const countSilenceSoon = () => until(async () => (await countSilence()) === 0).then(() => 0, countSilence);

  test('while the worker runs: said at once, counted, and a session hears of it once', async () => {
    const since = performance.now();
    await sandbox.startWorker();
    await deliver(2);
    await until(() => ballast() === 8);
    disk.fill();
    await deliver(EVENTS);
    const silent = await countSilence();
    expect(ballast()).toBe(0);
    expect((await readStatus()).facts.notKept).toBe(EVENTS);
    const start = async () => {
      sent.push('start');
      return (await sandbox.hook('context', sessionStart('s', cwd))).stdout;
    };
    expect(await start()).toContain('Attention: The disk is full');
    expect(await start()).not.toContain('Attention');
    expect((await callApi(sandbox.paths, '/health')) as object).toMatchObject({ status: 'degraded' });
    disk.empty();
    const settled = await settle();
    // The two starts could not be kept either; they were answered.
    expect(settled.notKept).toBe(EVENTS + 2);
    report(since, settled, silent);
    await until(() => ballast() === 8);
    await deliver(1);
    expect((await settle()).lost).toBe(0);
  });

  test('before a worker starts: it starts all the same, by its ballast, and says so', async () => {
    const since = performance.now();
    await sandbox.startWorker();
    await deliver(2);
    await until(() => ballast() === 8);
    await sandbox.cli('stop');
    disk.fill();
    await deliver(EVENTS);
    await readStatus();
    const silent = await countSilenceSoon();
    disk.empty();
    report(since, await settle(), silent);
  });

  test('while the offline queue is stored: what was accepted waits, and nothing is set aside', async () => {
    const since = performance.now();
    for (let at = 0; at < SPOOLED; at++) {
      const id = nextId('toolu');
      sent.push(id);
      const payload = bash('s', cwd, `echo ${id}`, 'x'.repeat(2000), { tool_use_id: id, prompt_id: 'p1' });
      spool(sandbox.paths, envelopeOf('save', payload, { receivedAt: Date.now() + at }));
    }
    disk.fill();
    // No worker ever ran here: there is no ballast and no place to count. A session hears why, and everything stays where it is.
    // The worker may fail later than the first session waits.
    await until(async () => (await sandbox.hook('context', sessionStart('s', cwd))).stdout.includes('claude-mem is off'));
    // The system says it, or SQLite does.
    await until(async () => /no space left|disk is full/.test((await sandbox.cli('status')).stdout));
    expect(spooled().length).toBe(SPOOLED);
    disk.empty();
    await sandbox.cli('start');
    report(since, await settle(), 0);
  });

  test('while something is deleted: that needs no more room than the ballast gives', async () => {
    const since = performance.now();
    await sandbox.startWorker();
    expect((await sandbox.person('remember', 'The zorbliquent key is rotated on Fridays.')).code).toBe(0);
    await until(() => ballast() === 8);
    disk.fill();
    // The worker sees it within a second.
    await until(() => ballast() === 0);
    const { stdout, stderr, code } = await sandbox.person('forget', '1');
    expect({ stdout, stderr, code }).toMatchObject({ code: 0, stdout: expect.stringContaining('Remains of the text found: 0') });
    const files = readdirSync(sandbox.paths.dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const holding = files.filter(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1').includes('zorbliquent'));
    expect(holding.map(({ name }) => name)).toEqual([]);
    const silent = await countSilenceSoon();
    reportFault({ fault: 'F4 forget', runs: 1, lost: 0, twice: 0, silent, since });
    expect(silent).toBe(0);
  });

  test('while a turn is processed: it waits, and is processed when there is room', async () => {
    const since = performance.now();
    await sandbox.startWorker();
    await until(() => ballast() === 8);
    await sandbox.hook('new', userPrompt('s', cwd, 'Make it fast', { prompt_id: 'p1' }));
    await deliver(3);
    await sandbox.hook('summary', stop('s', cwd, 'We decided to cache tokens, because scanning is slow.', { prompt_id: 'p1' }));
    disk.fill();
    const silent = await countSilenceSoon();
    disk.empty();
    await until(() => sandbox.query("SELECT 1 FROM events WHERE status IN ('pending','claimed')").length === 0);
    expect(sandbox.query("SELECT 1 FROM events WHERE status = 'quarantined'")).toEqual([]);
    expect(sandbox.query('SELECT id FROM summaries').length).toBe(1);
    report(since, await settle(), silent);
  });
});

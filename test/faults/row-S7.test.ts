// S7: a write-ahead log that belongs to another time or another database, or a copy made of both while they were written: never taken for
// the memory without a word. That a log is deleted is fault F5.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { copyFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readDamage } from '../../src/backup/damage.ts';
import { compareDumps, type Dump, dumpStore } from '../support/damaged-store.ts';
import { killWorker, work as workOn } from '../support/killed-worker.ts';
import { sessionStart, userPrompt } from '../support/payloads.ts';
import { reportFault } from '../support/report-fault.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

let sandbox: Sandbox;
let cwd: string;
beforeEach(async () => {
  sandbox = createSandbox();
  cwd = sandbox.project('shop');
  await sandbox.startWorker();
});
afterEach(() => sandbox.dispose());

const work = (name: string) => workOn(sandbox, cwd, name);
const kill = () => killWorker(sandbox);

const wal = () => `${sandbox.paths.database}-wal`;
const kept = (name: string) => join(sandbox.home, name);

const MEMORIES = ['observations', 'summaries', 'prompts', 'events', 'turns'];

/** Rows of before that are not there, though nobody says so. A check that runs beside the worker may come a little later. */
async function countSilent(before: Dump): Promise<number> {
  let session = 0;
  const isHeard = async () =>
    /claude-mem repair|has been repaired/.test((await sandbox.hook('context', sessionStart(`s${++session}`, cwd))).stdout);
  const isSaid = async () => (await isHeard()) || readDamage(sandbox.paths) !== null;
  const missing = () => {
    const { lost } = compareDumps(before, dumpStore(sandbox.paths.database));
    return MEMORIES.reduce((sum, table) => sum + (lost.get(table) ?? 0), 0);
  };
  // What happens to have all of it is as good as the one that was there.
  const isWhole = async () => (await sandbox.cli('doctor')).stdout.includes('every page and row is as it was written') && missing() === 0;
  const isClear = await until(async () => (await isSaid()) || (await isWhole()), 40_000).catch(() => false);
  // Whatever is said is true: what is left can be read.
  expect((await sandbox.cli('repair')).code).toBe(0);
  expect(sandbox.query('PRAGMA quick_check')).toEqual([{ quick_check: 'ok' }]);
  return isClear ? 0 : Math.max(1, missing());
}

const FAULTS: [string, () => Promise<void>][] = [
  [
    'the log of another time',
    async () => {
      await work('tokens');
      await kill();
      copyFileSync(wal(), kept('wal'));
      await sandbox.startWorker();
      await sandbox.cli('restart');
      await work('prices');
      await kill();
    },
  ],
  [
    'the log of another database',
    async () => {
      const other = createSandbox();
      const pid = await other.startWorker();
      await other.hook('new', userPrompt('other', cwd, 'Something else'));
      process.kill(pid, 'SIGKILL');
      copyFileSync(`${other.paths.database}-wal`, kept('wal'));
      await other.dispose();
      await work('tokens');
      await sandbox.cli('restart');
      await work('prices');
      await kill();
    },
  ],
];

test.each(FAULTS)(
  '%s lies beside the database',
  async (name, prepare) => {
    const since = performance.now();
    await prepare();
    const before = dumpStore(sandbox.paths.database);
    expect(statSync(kept('wal')).size).toBeGreaterThan(0);
    rmSync(`${sandbox.paths.database}-shm`, { force: true });
    copyFileSync(kept('wal'), wal());
    const silent = await countSilent(before);
    reportFault({ fault: `S7 ${name}`, runs: 1, lost: 0, twice: 0, silent, since });
    expect(silent).toBe(0);
  },
  240_000,
);

test('the database and its log are copied one after the other while they are written', async () => {
  const since = performance.now();
  await work('tokens');
  await sandbox.cli('restart');
  copyFileSync(sandbox.paths.database, kept('db'));
  for (let at = 0; at < 4; at++) await work(`part${at}`);
  await sandbox.cli('restart');
  await work('prices');
  copyFileSync(wal(), kept('wal'));
  const before = dumpStore(sandbox.paths.database);
  await kill();
  copyFileSync(kept('db'), sandbox.paths.database);
  copyFileSync(kept('wal'), wal());
  rmSync(`${sandbox.paths.database}-shm`, { force: true });
  const silent = await countSilent(before);
  reportFault({ fault: 'S7 copied while written', runs: 1, lost: 0, twice: 0, silent, since });
  expect(silent).toBe(0);
});

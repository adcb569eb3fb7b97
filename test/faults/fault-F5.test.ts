// Fault F5: a log that is lost after a kill, and a file that is cut, emptied or older than it was, are said and never taken for a beginning.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { copyFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { runChild } from '../../src/backup/copies.ts';
import { readDamage, readMark } from '../../src/backup/damage.ts';
import { readPageUse } from '../support/damaged-store.ts';
import { killWorker, work as workOn } from '../support/killed-worker.ts';
import { bash } from '../support/payloads.ts';
import { reportFault } from '../support/report-fault.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

const TRIALS = process.env.CLAUDE_MEM_TEST_FULL ? 20 : 2;

let sandbox: Sandbox;
let cwd: string;
beforeEach(() => {
  sandbox = createSandbox();
  cwd = sandbox.project('shop');
});
afterEach(() => sandbox.dispose());

const work = (name: string) => workOn(sandbox, cwd, name);
const kill = () => killWorker(sandbox);

const hear = async () => (await sandbox.hear(cwd)).message;

/** Of the session, of `status` and of the mark: how many do not say it. */
async function countSilence(): Promise<number> {
  const said = await hear();
  const { stdout } = await sandbox.cli('status');
  const isSaid = [
    said.includes('claude-mem repair') && !said.includes('no memory yet'),
    stdout.includes('damaged'),
    readDamage(sandbox.paths)?.howToMend === 'claude-mem repair',
  ];
  return isSaid.filter((is) => !is).length;
}

test(`the log is deleted after kill -9, ${TRIALS} times: the next session hears of it`, async () => {
  const started = performance.now();
  let [lost, silent] = [0, 0];
  for (let trial = 0; trial < TRIALS; trial++) {
    await sandbox.startWorker();
    await work(`tokens${trial}`);
    // Half of the time part of it is in the database itself.
    if (trial % 2 === 1) {
      await sandbox.cli('restart');
      await work(`prices${trial}`);
    }
    await kill();
    for (const suffix of ['-wal', '-shm']) rmSync(`${sandbox.paths.database}${suffix}`, { force: true });
    silent += await countSilence();
    const { code, stdout } = await sandbox.cli('repair', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ isWhole: false });
    lost += trial % 2 === 1 && sandbox.query(`SELECT 1 FROM observations WHERE title LIKE '%tokens%'`).length === 0 ? 1 : 0;
    expect(await hear()).not.toContain('damaged');
    await sandbox.cli('stop');
    rmSync(sandbox.paths.dataDir, { recursive: true, force: true });
  }
  reportFault({ fault: 'F5 log deleted', runs: TRIALS, lost, twice: 0, silent, since: started });
  expect({ lost, silent }).toEqual({ lost: 0, silent: 0 });
}, 300_000);

test('a log of which only changes are lost is noticed by the check at the start', async () => {
  await sandbox.startWorker();
  await work('tokens');
  await sandbox.cli('restart');
  const [before] = sandbox.query<{ n: number }>('SELECT count(*) AS n FROM events');
  await sandbox.hook('save', bash('tokens', cwd, 'ls', 'x'));
  await until(() => sandbox.query<{ n: number }>('SELECT count(*) AS n FROM events')[0]?.n === (before?.n ?? 0) + 1);
  await until(() => readMark(sandbox.paths.mark)?.log);
  await kill();
  for (const suffix of ['-wal', '-shm']) rmSync(`${sandbox.paths.database}${suffix}`, { force: true });
  await hear();
  await until(() => readDamage(sandbox.paths));
  expect(readDamage(sandbox.paths)?.what[0]).toContain('its log is gone');
});

test('a log that another program has copied to the database is no damage', async () => {
  await sandbox.startWorker();
  await work('tokens');
  await kill();
  const lost = readMark(sandbox.paths.mark)?.log?.salts;
  // The last one to close a database copies its log to it.
  const { Database } = await import('bun:sqlite');
  const other = new Database(sandbox.paths.database);
  other.query('SELECT count(*) FROM events').get();
  other.close(true);
  expect(statSync(`${sandbox.paths.database}-wal`, { throwIfNoEntry: false })).toBeUndefined();
  expect(await hear()).toContain('to the context');
  await until(() => sandbox.query('SELECT 1').length === 1);
  const verdict = JSON.parse((await sandbox.cli('repair', '--dry-run', '--json')).stdout);
  expect(verdict.isWhole).toBe(true);
  await hear();
  // The check at the start has forgotten the sums of before, and the next one finds all as it should be.
  await until(() => readMark(sandbox.paths.mark)?.log?.salts !== lost);
  expect(readDamage(sandbox.paths)).toBeNull();
  await sandbox.cli('stop');
  expect((await runChild({ kind: 'check', paths: sandbox.paths, isDeep: true })).damage).toEqual([]);
});

describe('the file itself', () => {
  beforeEach(async () => {
    await sandbox.startWorker();
    await work('tokens');
    await sandbox.cli('stop');
  });

  test('is cut', async () => {
    // Right before what was observed.
    const [page] = [...readPageUse(sandbox.paths.database)].find(([, use]) => use.table === 'observations') ?? expect.unreachable();
    truncateSync(sandbox.paths.database, (page - 1) * 4096);
    expect(await countSilence()).toBe(0);
  });

  test('is emptied', async () => {
    writeFileSync(sandbox.paths.database, '');
    expect(await countSilence()).toBe(0);
  });

  test('is an older one, and what a backup has of the newer comes back', async () => {
    copyFileSync(sandbox.paths.database, `${sandbox.paths.database}.old`);
    await sandbox.startWorker();
    await work('prices');
    expect((await sandbox.cli('backup')).code).toBe(0);
    await sandbox.cli('stop');
    copyFileSync(`${sandbox.paths.database}.old`, sandbox.paths.database);
    expect(await countSilence()).toBe(0);
    const report = JSON.parse((await sandbox.cli('repair', '--json')).stdout);
    expect(report.tables.observations).toMatchObject({ fromBackup: 1, missing: 0 });
    expect(sandbox.query('SELECT id FROM observations')).toHaveLength(2);
  });
});

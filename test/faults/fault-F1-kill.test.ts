// Fault F1, killed: a repair or a backup that dies at any moment leaves the old database or the new one whole, can be run again, and what
// is missing since is told.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listCopies, makeCopy, runChild } from '../../src/backup/copies.ts';
import { describeCopy } from '../../src/backup/copy-store.ts';
import type { RepairReport } from '../../src/backup/damage.ts';
import { listAside } from '../../src/backup/swap.ts';
import type { Paths } from '../../src/paths.ts';
import {
  compareDumps,
  copyStore,
  type Dump,
  dumpStore,
  fillStore,
  judgeRepair,
  type PageUse,
  readPageUse,
  writePage,
} from '../support/damaged-store.ts';
import { sessionStart } from '../support/payloads.ts';
import { reportFault } from '../support/report-fault.ts';
import { createSandbox, runProcess } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

const TRIALS = process.env.CLAUDE_MEM_TEST_FULL ? 100 : 6;
const DIST = join(import.meta.dir, '../../dist');
const CHILD = join(DIST, 'backup.js');

let store: Paths;
/** The same with a backup. */
let backed: ReturnType<typeof copyStore>;
let before: Dump;
let pages: [number, PageUse][];
beforeAll(async () => {
  store = await fillStore(12);
  before = dumpStore(store.database);
  pages = [...readPageUse(store.database)];
  backed = copyStore(store);
  await makeCopy(backed.paths);
});
afterAll(() => {
  backed.dispose();
  rmSync(store.dataDir, { recursive: true, force: true });
});

/** Rows that are not as they were. */
function countMissing(database: string): number {
  const { lost, changed } = compareDumps(before, dumpStore(database));
  return [...lost.values()].reduce((sum, count) => sum + count, 0) + changed.length;
}

/** Starts the process that does it, as the worker does, and kills it at some moment. True when it had not ended by then. */
async function killAt(order: object, moment: number | Promise<unknown>): Promise<boolean> {
  let isDone = false;
  const child = Bun.spawn([process.execPath, CHILD], {
    stdio: ['ignore', 'ignore', 'ignore'],
    ipc: () => {
      isDone = true;
    },
  });
  child.send(order);
  await (typeof moment === 'number' ? Bun.sleep(moment) : moment);
  child.kill('SIGKILL');
  await child.exited;
  return !isDone;
}

const isSwapped = (paths: Paths) => listAside(paths).length > 0 || existsSync(join(paths.dataDir, 'memory.swap'));
/** Looks all the time: it lasts for milliseconds. */
async function untilSwapped(paths: Paths): Promise<void> {
  for (const deadline = performance.now() + 60_000; !isSwapped(paths) && performance.now() < deadline; ) await Bun.sleep(0);
}

/** What the command says of this repair and of those before it. */
async function repairByCommand({ dataDir }: Paths): Promise<RepairReport[]> {
  const env = { HOME: dirname(dataDir), PATH: '/usr/bin:/bin' };
  const { stdout, stderr } = await runProcess([process.execPath, join(DIST, 'cli.js'), 'repair', '--json'], env, '');
  if (!stdout) throw new Error(stderr);
  const { earlier, ...report } = JSON.parse(stdout);
  return [...earlier, report];
}

/** What was done before it was killed is done sooner than was measured: the next one is killed earlier. */
const SOONER = 0.6;

/** How long it takes when nobody kills it. */
async function measure(order: (paths: Paths) => object): Promise<number> {
  const { paths, dispose } = copyStore(store);
  const started = performance.now();
  const done = Promise.withResolvers<void>();
  const child = Bun.spawn([process.execPath, CHILD], { stdio: ['ignore', 'ignore', 'ignore'], ipc: () => done.resolve() });
  child.send(order(paths));
  await done.promise;
  child.kill('SIGKILL');
  await child.exited;
  dispose();
  return performance.now() - started;
}

test.each([
  ['without a backup', false],
  ['with a backup', true],
] as const)(
  `${TRIALS / 2} times killed in the middle of a repair of a random page, %s`,
  async (how, hasBackup) => {
    const started = performance.now();
    const from = hasBackup ? backed.paths : store;
    let ms = await measure((paths) => ({ kind: 'repair', paths }));
    let [killed, swapped, lost, silent] = [0, 0, 0, 0];
    for (let trial = 1; trial <= TRIALS / 2; trial++) {
      const { paths, dispose } = copyStore(from);
      const [page, use] = pages[Math.floor(Math.random() * pages.length)] ?? [1, { table: '', mostRows: 0 }];
      writePage(paths.database, page, (bytes) => bytes.fill(0));
      // Every other one as soon as it is sure that the new database comes: what is told then, the next one has to tell.
      const isLate = trial % 2 === 0;
      const isKilled = await killAt({ kind: 'repair', paths }, isLate ? untilSwapped(paths) : (ms * trial * 2) / TRIALS);
      if (isKilled) killed++;
      else ms *= isLate ? 1 : SOONER;
      // Killed or not, nobody heard what it said.
      if (isSwapped(paths)) swapped++;
      const reports = await repairByCommand(paths);
      const judged = judgeRepair(before, paths.database, use, hasBackup);
      const where = `page ${page} of ${use.table}`;
      expect({ where, amiss: judged.amiss }).toEqual({ where, amiss: [] });
      lost += judged.lost;
      if (reports.every(({ isWhole }) => isWhole) && judged.lost > 0) silent++;
      expect((await runChild({ kind: 'check', paths, isDeep: true })).damage).toEqual([]);
      expect(readdirSync(paths.dataDir).filter((name) => /fresh|swap|memory\.lock/.test(name))).toEqual([]);
      expect(listAside(paths).length > 0).toBe(true);
      dispose();
    }
    console.log(`killed in ${killed} of ${TRIALS / 2} repairs ${how}; in ${swapped} the new database was sure to come`);
    reportFault({ fault: `F1 kill in repair${hasBackup ? ', backup' : ''}`, runs: TRIALS / 2, lost, twice: 0, silent, since: started });
    // On a busy machine most repairs of a small run end before their kill.
    expect(killed).toBeGreaterThanOrEqual(Math.floor(TRIALS / 10));
    expect(swapped).toBeGreaterThan(0);
    expect(silent).toBe(0);
    if (hasBackup) expect(lost).toBe(0);
  },
  600_000,
);

test('killed when the new database has come: status, doctor, one session and one repair tell what is missing', async () => {
  const [page] = pages.find(([, { table, mostRows }]) => table === 'observations' && mostRows > 0) ?? [0];
  for (const heardBy of ['session', 'repair']) {
    const sandbox = createSandbox();
    const { paths } = sandbox;
    cpSync(store.dataDir, paths.dataDir, { recursive: true, filter: (path) => !/\.(sock|lock)$/.test(path) });
    writePage(paths.database, page, (bytes) => bytes.fill(0));
    await killAt({ kind: 'repair', paths }, untilSwapped(paths));
    expect(isSwapped(paths)).toBe(true);
    const missing = /observations: [1-9]\d* missing/;
    expect((await sandbox.cli('status')).stdout).toMatch(missing);
    await sandbox.startWorker();
    expect((await sandbox.cli('status')).stdout).toMatch(missing);
    expect((await sandbox.cli('doctor')).stdout).toMatch(missing);
    const hear = async (id: string) => (await sandbox.hook('context', sessionStart(id, sandbox.project('shop')))).stdout;
    const repair = async (): Promise<RepairReport[]> => JSON.parse((await sandbox.cli('repair', '--json')).stdout).earlier;
    let heard = 0;
    // A session that starts on a busy machine may hear nothing, or too late: then the next one hears it.
    if (heardBy === 'session') await until(async () => missing.test(await hear(`early-${heard++}`)));
    else expect((await repair())[0]?.tables.observations?.missing).toBeGreaterThan(0);
    await until(async () => /systemMessage(?!.*observations: \d)/.test(await hear(`late-${heard++}`)));
    expect(await repair()).toEqual([]);
    expect((await sandbox.cli('status')).stdout).not.toMatch(missing);
    await sandbox.dispose();
  }
});

test(`${TRIALS} times killed in the middle of a backup`, async () => {
  const started = performance.now();
  const { paths, dispose } = copyStore(store);
  const target = `${paths.backups}/memory-20260101-000000.db`;
  const order = { kind: 'copy', database: paths.database, target };
  let ms = await measure((own) => ({ kind: 'copy', database: own.database, target: `${own.dataDir}/a.db` }));
  await runChild({ kind: 'copy', database: paths.database, target: `${paths.backups}/memory-20250101-000000.db` });
  let [killed, lost, silent] = [0, 0, 0];
  for (let trial = 0; trial < TRIALS; trial++) {
    rmSync(target, { force: true });
    if (await killAt(order, (ms * (trial + 1)) / TRIALS)) killed++;
    else ms *= SOONER;
    // Whole or not there, or it says itself that it is not; the one before stays.
    const isWhole = existsSync(target) && describeCopy(target).problem === null;
    if (isWhole) silent += countMissing(target) > 0 ? 1 : 0;
    expect(listCopies(paths).length).toBe(isWhole ? 2 : 1);
    lost += countMissing(paths.database);
  }
  expect(killed).toBeGreaterThan(TRIALS / 4);
  reportFault({ fault: 'F1 kill in backup', runs: TRIALS, lost, twice: 0, silent, since: started });
  expect({ lost, silent }).toEqual({ lost: 0, silent: 0 });
  dispose();
}, 600_000);

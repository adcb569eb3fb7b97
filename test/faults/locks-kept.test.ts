// Whatever the worker does, its locks on the database stay: else the next program that closes the database deletes the log under it.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { bash, stop, userPrompt } from '../support/payloads.ts';
import { reportFault } from '../support/report-fault.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

let sandbox: Sandbox;
let pid: number;
beforeAll(async () => {
  sandbox = createSandbox();
  pid = await sandbox.startWorker();
});
afterAll(() => sandbox.dispose());

/** Of the files of the database, those on which the worker holds a lock. */
const lockedFiles = (): string[] => {
  const held = readFileSync('/proc/locks', 'utf8')
    .split('\n')
    .filter((line) => line.includes(` ${pid} `));
  return ['memory.db', 'memory.db-shm', 'index.db', 'index.db-shm'].filter((name) => {
    const stat = statSync(join(sandbox.paths.dataDir, name), { throwIfNoEntry: false });
    return stat && held.some((line) => line.includes(`:${stat.ino} `));
  });
};

/** As a person or another program does: opened for writing, read and closed. */
function closeByAnother(): void {
  const { exitCode, stderr } = Bun.spawnSync(['sqlite3', sandbox.paths.database, 'SELECT count(*) FROM observations']);
  if (exitCode !== 0) throw new Error(stderr.toString());
}

const ROUNDS: [string, () => Promise<unknown>][] = [
  [
    'hooks',
    async () => {
      const cwd = sandbox.project('shop');
      await sandbox.hook('new', userPrompt('s1', cwd, 'Keep carts for a week'));
      await sandbox.hook('save', bash('s1', cwd, 'npm test', '12 passed'));
      await sandbox.hook('summary', stop('s1', cwd, 'We decided to keep carts for a week because customers come back.'));
      await until(() => sandbox.query("SELECT 1 FROM events WHERE status = 'pending'").length === 0);
    },
  ],
  [
    'forget',
    async () => {
      await sandbox.cli('remember', 'The zorb is blue');
      const [memory] = sandbox.query<{ id: number }>("SELECT id FROM observations WHERE title LIKE '%zorb%'");
      expect((await sandbox.person('forget', String(memory?.id), '--yes')).stdout).toContain('Deleted');
    },
  ],
  ['backup', () => sandbox.cli('backup')],
  ['doctor', () => sandbox.cli('doctor')],
  ['reindex', () => sandbox.cli('reindex', '--words')],
  ['rebuild', () => sandbox.cli('rebuild')],
  ['vacuum', () => sandbox.cli('vacuum')],
  ['export', () => sandbox.cli('export', join(sandbox.home, 'out.jsonl'))],
  ['import', () => sandbox.person('import', '--as-mine', join(sandbox.home, 'out.jsonl'), '--yes')],
];

test.skipIf(process.platform !== 'linux')('nothing that is acknowledged is lost when another program closes the database', async () => {
  const since = performance.now();
  let remembered = 0;
  for (const [name, work] of ROUNDS) {
    await work();
    expect([name, lockedFiles()]).toEqual([name, ['memory.db', 'memory.db-shm', 'index.db', 'index.db-shm']]);
    closeByAnother();
    expect([name, existsSync(`${sandbox.paths.database}-wal`)]).toEqual([name, true]);
    expect((await sandbox.cli('remember', `Thing ${name} number ${++remembered}`)).stdout).toContain('Remembered');
  }
  process.kill(pid, 'SIGKILL');
  await until(async () => (await sandbox.workerPid()) === null);
  const kept = sandbox.query("SELECT 1 FROM observations WHERE title LIKE 'Thing % number %'").length;
  reportFault({ fault: 'locks', runs: ROUNDS.length, lost: remembered - kept, twice: 0, since });
  expect(kept).toBe(remembered);
});

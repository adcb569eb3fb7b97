// Fault F1 as a user meets it: a session hears of damage, status and health name it, one command mends it, and what can be is mended by itself.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { existsSync, readdirSync } from 'node:fs';
import { listCopies } from '../../src/backup/copies.ts';
import { readDamage } from '../../src/backup/damage.ts';
import { pingWorker } from '../../src/client/api.ts';
import { dumpStore, readPageUse, writePage } from '../support/damaged-store.ts';
import { edit, sessionEnd, sessionStart, stop, userPrompt } from '../support/payloads.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

let sandbox: Sandbox;
let cwd: string;
beforeEach(async () => {
  sandbox = createSandbox();
  cwd = sandbox.project('shop');
  await sandbox.startWorker();
  for (const name of ['tokens', 'prices']) {
    await sandbox.hook('new', userPrompt(name, cwd, `Make ${name} fast`));
    await sandbox.hook('save', edit(name, cwd, `src/${name}.ts`, [`-scan(${name})`, `+readOnce(${name})`]));
    const said = `We decided to cache ${name} instead of scanning again, because scanning is slow.`;
    await sandbox.hook('summary', stop(name, cwd, said));
    await sandbox.hook('cleanup', sessionEnd(name, cwd));
  }
  await until(() => sandbox.query('SELECT id FROM observations').length === 2);
});
afterEach(() => sandbox.dispose());

const hear = async () => {
  const { message, context } = await sandbox.hear(cwd);
  return { said: message, told: context };
};

/** While no worker has it open. */
async function damage(table: string, change = (bytes: Buffer) => void bytes.fill(0)): Promise<void> {
  await sandbox.cli('stop');
  const page = [...readPageUse(sandbox.paths.database)].find(([, use]) => use.table === table)?.[0] ?? 0;
  expect(writePage(sandbox.paths.database, page, change)).toBe(true);
}

/** The worker that found it ends, so that the next may repair. */
const untilFound = async () => {
  await until(() => readDamage(sandbox.paths));
  await until(async () => (await pingWorker(sandbox.paths)) === null);
};

test('rows are lost: every session hears it, status and health say damaged, repair says what is missing', async () => {
  await damage('observations');
  const first = await hear();
  expect(first.said).toContain('claude-mem repair');
  await untilFound();
  // It has tried by itself, and asks: what is left is told meanwhile, if anything can be.
  for (let again = 0; again < 2; again++) expect((await hear()).said).toContain('claude-mem repair');
  expect((await sandbox.cli('status')).stdout).toContain('damaged');
  const { stdout, code } = await sandbox.cli('repair', '--json');
  expect(code).toBe(0);
  const report = JSON.parse(stdout);
  expect(report.tables.observations).toEqual({ read: 0, fromBackup: 0, byHash: 0, missing: 2 });
  expect(report.tables.summaries).toEqual({ read: 2, fromBackup: 0, byHash: 0, missing: 0 });
  expect((await hear()).said).not.toContain('damaged');
});

test('a changed word that SQLite cannot see is found by the check at the start, and health says damaged', async () => {
  await damage('prompts', (bytes) => {
    const at = bytes.indexOf('Make tokens fast');
    bytes.write('Fake', at);
  });
  expect((await hear()).said).not.toContain('damaged');
  await until(() => readDamage(sandbox.paths));
  expect(readDamage(sandbox.paths)?.what[0]).toContain('1 of');
  await untilFound();
  expect((await hear()).said).toContain('claude-mem repair');
  await until(() => existsSync(sandbox.paths.httpSocket));
  const health = await fetch('http://localhost/health', { unix: sandbox.paths.httpSocket });
  expect(await health.json()).toMatchObject({ status: 'damaged' });
});

test('nothing is lost: it is repaired by itself, and said until a session heard it', async () => {
  const before = dumpStore(sandbox.paths.database).get('observations');
  await damage('observations_recent');
  // Whoever finds it says so.
  await sandbox.hook('context', sessionStart('first', cwd));
  await untilFound();
  // The worker that repairs it ends before a session starts.
  await sandbox.startWorker();
  await sandbox.cli('stop');
  const { said, told } = await hear();
  expect(said).toContain('has been repaired');
  expect(told).toContain('cache tokens');
  // An answer that took long may not have been heard: then it is said once more.
  await until(async () => !(await hear()).said.includes('repaired'));
  expect(dumpStore(sandbox.paths.database).get('observations')).toEqual(before ?? new Map());
  expect(readdirSync(sandbox.paths.backups).filter((name) => name.startsWith('replaced-'))).toHaveLength(1);
});

test('with a backup nothing is lost, and it is repaired by itself', async () => {
  expect((await sandbox.cli('backup', '--json')).code).toBe(0);
  expect(listCopies(sandbox.paths)).toHaveLength(1);
  await damage('observations');
  // Whoever finds it says so.
  await sandbox.hook('context', sessionStart('first', cwd));
  await untilFound();
  const { said, told } = await hear();
  expect(said).toContain('2 rows of them from a backup');
  expect(told).toContain('cache tokens');
});

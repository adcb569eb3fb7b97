// A data dir that is damaged, lost or in the way: said once, nothing made worse, nothing dies silently.
import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findRefuser } from '../../src/client/api.ts';
import { startBun } from '../../src/start-bun.ts';
import { bash, edit, sessionEnd, stop, userPrompt } from '../support/payloads.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = createSandbox();
});
afterEach(() => sandbox.dispose());

async function work(): Promise<string> {
  const cwd = sandbox.project('shop');
  await sandbox.hook('new', userPrompt('s', cwd, 'Make it fast'));
  await sandbox.hook('save', edit('s', cwd, 'src/tokens.ts', ['-scan(tokens)', '+readOnce(tokens)']));
  await sandbox.hook('summary', stop('s', cwd, 'We decided to cache tokens instead of scanning again, because scanning is slow.'));
  await sandbox.hook('cleanup', sessionEnd('s', cwd));
  await until(() => sandbox.query('SELECT id FROM observations').length > 0);
  return cwd;
}
const isGone = (pid: number) => !existsSync(`/proc/${pid}/exe`) || readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');

describe('a starting session hears that memory is off', () => {
  test('when the database is emptied', async () => {
    await sandbox.startWorker();
    const cwd = await work();
    await sandbox.cli('stop');
    writeFileSync(sandbox.paths.database, '');
    expect((await sandbox.hear(cwd)).message).toContain('is gone or empty');
    expect(readFileSync(sandbox.paths.database)).toHaveLength(0);
  });

  test('when its pages are damaged, and that they were repaired', async () => {
    await sandbox.startWorker();
    const cwd = await work();
    await sandbox.cli('stop');
    const bytes = readFileSync(sandbox.paths.database);
    bytes.fill(7, 100, 4096);
    writeFileSync(sandbox.paths.database, bytes);
    const { message, context } = await sandbox.hear(cwd);
    expect(message).toContain('has been repaired: every row is there');
    expect(context).toContain('cache tokens');
  });

  test('and how to begin anew, which start does at once, whoever refused before', async () => {
    await sandbox.startWorker();
    const cwd = await work();
    await sandbox.cli('stop');
    writeFileSync(sandbox.paths.database, 'nothing that a database would say'.repeat(300));
    const { message: said } = await sandbox.hear(cwd);
    const [command = '', ...more] = /mkdir .* && mv .*(?= && claude-mem start)/.exec(said) ?? [];
    expect(more).toEqual([]);
    expect((await sandbox.cli('start')).stderr).toContain(command);
    expect(Bun.spawnSync(['sh', '-c', command]).exitCode).toBe(0);
    expect(existsSync(join(sandbox.paths.dataDir, 'damaged/memory.born'))).toBe(true);
    expect(await sandbox.cli('start')).toMatchObject({ code: 0, stderr: '' });
  });

  test('when the lock cannot be used', async () => {
    mkdirSync(sandbox.paths.dataDir, { recursive: true });
    writeFileSync(sandbox.paths.ownerLock, 'this is no lock at all'.repeat(300));
    expect((await sandbox.hear(sandbox.project('shop'))).message).toContain('claude-mem is off: ');
  });
});

test('a memory that is not what was stored is not told, and the others are', async () => {
  await sandbox.startWorker();
  const cwd = await work();
  await sandbox.cli('stop');
  const db = new Database(sandbox.paths.database);
  const columns = 'session_id, project_id, prompt_number, type, concepts, origin, trust, tokens, hash, created_at, created_at_epoch';
  db.run(`INSERT INTO observations (title, facts, ${columns}) SELECT 'forged title', 'no json', ${columns} FROM observations LIMIT 1`);
  db.close();
  const { context: told } = await sandbox.hear(cwd);
  expect(told).toContain('cache tokens');
  expect(told).not.toContain('forged');
  expect((await sandbox.status()).counters['damaged-row']).toBeGreaterThan(0);
});

test('something unreadable in the spool is set aside and stops nobody', async () => {
  mkdirSync(join(sandbox.paths.spool, '000-folder.json'), { recursive: true });
  await sandbox.hook('save', bash('s', '/home/dev/shop', 'ls', 'x'));
  await until(() => sandbox.workerPid());
  await until(() => sandbox.query('SELECT id FROM events').length === 1);
  expect(existsSync(join(sandbox.paths.spool, 'bad/000-folder.json'))).toBe(true);
});

test('a start mark from the future does not keep hooks from starting a worker', async () => {
  mkdirSync(sandbox.paths.dataDir, { recursive: true });
  writeFileSync(sandbox.paths.startMarker, '');
  const future = new Date(Date.now() + 86_400_000);
  utimesSync(sandbox.paths.startMarker, future, future);
  expect((await sandbox.hear(sandbox.project('shop'))).message).toContain('no memory yet');
});

test('a worker whose folder was moved away leaves the new one alone and ends', async () => {
  const old = await sandbox.startWorker();
  renameSync(sandbox.paths.dataDir, `${sandbox.paths.dataDir}-old`);
  await sandbox.hook('save', bash('s', '/home/dev/shop', 'ls', 'x', { tool_use_id: 'new_1' }));
  const next = await until(() => sandbox.workerPid());
  expect(next).not.toBe(old);
  // It notices by itself; its last act must not take the new one's sockets away.
  await until(() => isGone(old));
  expect(await sandbox.workerPid()).toBe(next);
  await until(() => sandbox.query("SELECT id FROM events WHERE tool_use_id = 'new_1'").length === 1);
  rmSync(`${sandbox.paths.dataDir}-old`, { recursive: true });
});

describe('a worker whose folder is removed ends, and makes no other', () => {
  test('while it says why it cannot work', async () => {
    mkdirSync(sandbox.paths.database, { recursive: true });
    await sandbox.hear(sandbox.project('shop'));
    const { pid } = await until(() => findRefuser(sandbox.paths));
    rmSync(sandbox.paths.dataDir, { recursive: true });
    await until(() => isGone(pid), 15_000);
    expect(existsSync(sandbox.paths.dataDir)).toBe(false);
  });

  test('while it works', async () => {
    const pid = await sandbox.startWorker();
    rmSync(sandbox.paths.dataDir, { recursive: true });
    await until(() => isGone(pid));
    expect(existsSync(sandbox.paths.dataDir)).toBe(false);
  });

  test('before it has begun', async () => {
    const env = { ...sandbox.env, CLAUDE_MEM_DATA_DIR: sandbox.paths.dataDir };
    expect(Bun.spawnSync(startBun(join(import.meta.dir, '../../dist/worker.js')), { env, timeout: 60_000 }).exitCode).toBe(0);
    expect(existsSync(sandbox.paths.dataDir)).toBe(false);
  });
});

test('a database that another program holds for long does not end the worker', async () => {
  const pid = await sandbox.startWorker();
  // Let go of, whatever comes of the test: the worker has to end.
  using db = new Database(sandbox.paths.database);
  // It may be writing at this moment itself.
  db.run('PRAGMA busy_timeout = 10000');
  db.run('BEGIN IMMEDIATE');
  const run = await sandbox.hook('save', bash('s', '/home/dev/shop', 'ls', 'x'));
  expect(run.code).toBe(0);
  await until(async () => (await sandbox.status()).problems.some((problem) => problem.includes('cannot be written since')));
  db.run('ROLLBACK');
  db.close();
  await until(() => sandbox.query('SELECT id FROM events').length === 1);
  expect(await sandbox.workerPid()).toBe(pid);
});

// Backups: made by a command and by themselves, put back without what was forgotten, and cleaned of it.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listCopies, makeCopy, runChild } from '../../src/backup/copies.ts';
import { describeCopy } from '../../src/backup/copy-store.ts';
import { prune, stampOf } from '../../src/backup/swap.ts';
import { findPaths } from '../../src/paths.ts';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { openStore } from '../../src/store/open.ts';
import { readPageUse, writePage } from '../support/damaged-store.ts';
import { edit, sessionEnd, stop, userPrompt } from '../support/payloads.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { createSmallDisk, whyNoDisk } from '../support/small-disk.ts';
import { until } from '../support/until.ts';

let sandbox: Sandbox;
let cwd: string;
beforeEach(() => {
  sandbox = createSandbox();
  cwd = sandbox.project('shop');
});
afterEach(() => sandbox.dispose());

async function work(name: string): Promise<void> {
  const id = `session-${name.length}`;
  await sandbox.hook('new', userPrompt(id, cwd, `Make ${name} fast`));
  await sandbox.hook('save', edit(id, cwd, `src/${name}.ts`, [`-scan(${name})`, `+readOnce(${name})`]));
  await sandbox.hook('summary', stop(id, cwd, `We decided to cache ${name} instead of scanning, because it is slow.`));
  await sandbox.hook('cleanup', sessionEnd(id, cwd));
  await until(() => sandbox.query(`SELECT 1 FROM observations WHERE title LIKE '%${name}%'`).length > 0);
}

const titles = () => sandbox.query<{ title: string }>('SELECT title FROM observations').map(({ title }) => title);

function forget(name: string) {
  const ids = sandbox.query<{ id: number }>(`SELECT id FROM observations WHERE title LIKE '%${name}%'`).map(({ id }) => String(id));
  return sandbox.person('forget', ...ids, '--related');
}

/** Every file below the data dir that holds the word. */
function filesWith(word: string): string[] {
  const files = readdirSync(sandbox.paths.dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path, 'latin1').toLowerCase().includes(word));
}

describe('claude-mem backup', () => {
  test('makes a verified copy beside a worker, for this user alone', async () => {
    await sandbox.startWorker();
    await work('tokens');
    const { code, stdout } = await sandbox.cli('backup', '--json');
    expect(code).toBe(0);
    const { path, bytes } = JSON.parse(stdout);
    expect(statSync(path)).toMatchObject({ size: bytes });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(sandbox.paths.backups).mode & 0o777).toBe(0o700);
    expect(describeCopy(path)).toEqual({ problem: null, version: MIGRATIONS.at(-1)?.version });
    const own = join(sandbox.home, 'mine.db');
    expect((await sandbox.cli('backup', own)).code).toBe(0);
    expect((await sandbox.cli('backup', own)).stderr).toContain('exists already');
  });

  test('does not copy what is damaged', async () => {
    await sandbox.startWorker();
    await work('tokens');
    await sandbox.cli('stop');
    const bytes = readFileSync(sandbox.paths.database);
    bytes.fill(0, bytes.length - 40 * 4096, bytes.length - 20 * 4096);
    writeFileSync(sandbox.paths.database, bytes);
    expect((await sandbox.cli('backup')).code).toBe(1);
    expect(listCopies(sandbox.paths)).toEqual([]);
  });
});

test('by itself: before the schema changes', async () => {
  mkdirSync(sandbox.paths.dataDir, { recursive: true, mode: 0o700 });
  const older = MIGRATIONS.slice(0, -1);
  openStore(sandbox.paths.database, older).close(true);
  await sandbox.startWorker();
  const [copy] = listCopies(sandbox.paths);
  expect(describeCopy(copy?.path ?? '')).toEqual({ problem: null, version: older.at(-1)?.version ?? 0 });
  expect(sandbox.query('PRAGMA user_version')).toEqual([{ user_version: MIGRATIONS.at(-1)?.version }]);
});

test('seven days and four weeks are kept, the newest always', () => {
  mkdirSync(sandbox.paths.backups, { recursive: true });
  writeFileSync(sandbox.paths.database, 'x');
  for (let hours = 0; hours < 24 * 60; hours += 12) {
    const at = new Date(Date.UTC(2026, 5, 30, 12) - hours * 3_600_000);
    const path = join(sandbox.paths.backups, `memory-${stampOf(at)}.db`);
    writeFileSync(path, 'copy');
    utimesSync(path, at, at);
  }
  writeFileSync(join(sandbox.paths.backups, 'mine.db'), 'not ours');
  prune(sandbox.paths, listCopies(sandbox.paths));
  const kept = listCopies(sandbox.paths);
  expect(kept[0]?.at).toBe(Date.UTC(2026, 5, 30, 12));
  expect(kept.length).toBeGreaterThanOrEqual(9);
  expect(kept.length).toBeLessThanOrEqual(11);
  expect(kept.slice(0, 7).map(({ at }) => new Date(at).getUTCDate())).toEqual([30, 29, 28, 27, 26, 25, 24]);
  expect(existsSync(join(sandbox.paths.backups, 'mine.db'))).toBe(true);
});

test('together they are at most 500 MB, or twice the database; the newest stays, however large', () => {
  mkdirSync(sandbox.paths.backups, { recursive: true });
  const keep = (megabytes: number) => {
    for (let day = 1; day <= 5; day++) {
      const path = join(sandbox.paths.backups, `memory-2026060${day}-000000.db`);
      writeFileSync(path, '');
      truncateSync(path, megabytes * 1e6);
    }
    prune(sandbox.paths, listCopies(sandbox.paths));
    return listCopies(sandbox.paths).map(({ at }) => new Date(at).getUTCDate());
  };
  writeFileSync(sandbox.paths.database, '');
  expect(keep(200)).toEqual([5, 4]);
  expect(keep(900)).toEqual([5]);
  truncateSync(sandbox.paths.database, 400e6);
  expect(keep(200)).toEqual([5, 4, 3, 2]);
});

describe.skipIf(whyNoDisk !== null)('on a small disk', () => {
  test('none is made where less than twice its size is free, and that is said', async () => {
    const disk = createSmallDisk({ kind: 'tmpfs', megabytes: 12 });
    try {
      const paths = findPaths(join(disk.folder, 'data'));
      mkdirSync(paths.dataDir);
      openStore(paths.database).close(true);
      await makeCopy(paths);
      writeFileSync(join(disk.folder, 'other'), Buffer.alloc(disk.freeBytes() - statSync(paths.database).size));
      await expect(makeCopy(paths)).rejects.toThrow(/must be free in .* Make room there/);
      expect(listCopies(paths)).toHaveLength(1);
    } finally {
      disk.dispose();
    }
  });

  test('that holds backups/ alone, a repair keeps the damaged database all the same', async () => {
    const disk = createSmallDisk({ kind: 'tmpfs', megabytes: 12 });
    try {
      const paths = { ...sandbox.paths, backups: disk.folder };
      await sandbox.startWorker();
      await work('tokens');
      await sandbox.cli('stop');
      const before = readFileSync(paths.database);
      const page = [...readPageUse(paths.database)].find(([, { table }]) => table === 'observations')?.[0] ?? 0;
      writePage(paths.database, page, (bytes) => bytes.fill(0));
      const { keptAs, isWhole } = await runChild({ kind: 'repair', paths });
      expect(isWhole).toBe(false);
      expect(readFileSync(keptAs ?? '').length).toBe(before.length);
      expect((await runChild({ kind: 'check', paths, isDeep: true })).damage).toEqual([]);
      expect(readdirSync(disk.folder)).toHaveLength(1);
    } finally {
      disk.dispose();
    }
  });
});

describe('claude-mem restore', () => {
  test('refuses a link to another database, by command and by request', async () => {
    await sandbox.startWorker();
    const own = join(sandbox.home, 'mine.db');
    await sandbox.cli('backup', own);
    mkdirSync(sandbox.paths.backups, { recursive: true });
    const link = join(sandbox.paths.backups, 'memory-20260101-000000.db');
    symlinkSync(own, link);
    symlinkSync(join(sandbox.home, 'gone.db'), join(sandbox.paths.backups, 'memory-20260102-000000.db'));
    expect(listCopies(sandbox.paths).map(({ path }) => path)).not.toContain(link);
    expect(describeCopy(link).problem).toContain('link');
    const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ copy: link, by: 'user' }) };
    const answer = await fetch('http://localhost/api/backups/restore', { unix: sandbox.paths.httpSocket, ...request });
    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('There is no backup')]);
    const { ino } = statSync(sandbox.paths.database);
    const { code, stderr } = await sandbox.person('restore', link);
    expect([code, stderr]).toEqual([1, expect.stringContaining('Nothing was changed')]);
    expect(statSync(sandbox.paths.database).ino).toBe(ino);
    await expect(runChild({ kind: 'restore', paths: sandbox.paths, copy: link })).rejects.toThrow('it is a link');
  });

  test('puts a copy back, keeps the present one, and says from when it is', async () => {
    await sandbox.startWorker();
    await work('tokens');
    await sandbox.cli('backup');
    await work('prices');
    expect((await sandbox.cli('restore', 'latest')).stderr).toContain('Only a person');
    const { code, stdout } = await sandbox.person('restore', 'latest');
    expect(code).toBe(0);
    expect(stdout).toContain('(of ');
    const [aside] = readdirSync(sandbox.paths.backups).filter((name) => name.startsWith('replaced-'));
    expect(stdout).toContain(aside ?? 'no file');
    expect(titles().filter((title) => title.includes('tokens'))).toHaveLength(1);
    expect(titles().filter((title) => title.includes('prices'))).toEqual([]);
    expect(await sandbox.workerPid()).not.toBeNull();
    const { message, context } = await sandbox.hear(cwd);
    expect(context).toContain('cache tokens');
    expect(message).not.toContain('damaged');
  });

  test('what was forgotten since stays forgotten, also from a copy of one’s own', async () => {
    await sandbox.startWorker();
    await work('zorbliquent');
    await work('tokens');
    const own = join(sandbox.home, 'mine.db');
    await sandbox.cli('backup', own);
    expect((await forget('zorbliquent')).code).toBe(0);
    expect((await sandbox.person('restore', own)).code).toBe(0);
    expect(titles().join()).toContain('tokens');
    await sandbox.cli('stop');
    expect(filesWith('zorbliquent')).toEqual([]);
  });
});

test('what is forgotten goes from every backup before the report says so', async () => {
  await sandbox.startWorker();
  await work('zorbliquent');
  await work('tokens');
  await sandbox.cli('backup');
  // One that is just being made, as far as it has come, is given up; one of an older schema cannot be gone through, and is dropped.
  const part = join(sandbox.paths.backups, 'memory-20260101-000000.db.part');
  await makeCopy(sandbox.paths, { target: part });
  const old = join(sandbox.paths.backups, 'memory-20260101-000000.db');
  openStore(old, MIGRATIONS.slice(0, -1)).close(true);
  expect(filesWith('zorbliquent').filter((path) => path.startsWith(sandbox.paths.backups))).toHaveLength(2);
  const { code, stdout } = await forget('zorbliquent');
  expect(code).toBe(0);
  expect(stdout).toContain('Also from 2 backups');
  expect(filesWith('zorbliquent')).toEqual([]);
  const copies = listCopies(sandbox.paths).map(({ path }) => path);
  expect(copies).toEqual([expect.not.stringContaining(old)]);
  expect(describeCopy(copies[0] ?? '').problem).toBeNull();
  expect(readFileSync(copies[0] ?? '', 'latin1')).toContain('cache tokens');
});

test('a session that is forgotten goes from every backup, and stays away when a copy of one’s own is restored', async () => {
  await sandbox.startWorker();
  await work('zorbliquent');
  await work('tokens');
  const own = join(sandbox.home, 'mine.db');
  await sandbox.cli('backup', own);
  await sandbox.cli('backup');
  const session = `session-${'zorbliquent'.length}`;
  const { code, stdout } = await sandbox.person('forget', '--session', session);
  expect([code, stdout]).toEqual([0, expect.stringContaining('Also from 1 backup')]);
  expect(filesWith('zorbliquent')).toEqual([]);
  expect(listCopies(sandbox.paths)).toHaveLength(1);
  expect((await sandbox.person('restore', own)).code).toBe(0);
  expect(titles().join()).toContain('tokens');
  await sandbox.cli('stop');
  expect(filesWith('zorbliquent')).toEqual([]);
});

test('claude-mem repair leaves a sound database as it is, and says so', async () => {
  await sandbox.startWorker();
  await work('tokens');
  await sandbox.cli('stop');
  const { ino } = statSync(sandbox.paths.database);
  const { stdout, code } = await sandbox.cli('repair');
  expect(code).toBe(0);
  expect(stdout).toContain('Nothing is damaged');
  expect(statSync(sandbox.paths.database).ino).toBe(ino);
  expect(JSON.parse((await sandbox.cli('repair', '--json')).stdout)).toMatchObject({ isWhole: true, keptAs: null });
});

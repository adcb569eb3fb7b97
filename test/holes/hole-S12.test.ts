// Our own files in the data dir: no link is followed, and another user's folder is neither used nor changed, but named.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { chownSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readOwnFile, writeOwnFile } from '../../src/own-files.ts';
import type { Paths } from '../../src/paths.ts';
import { bash, sessionStart, userPrompt } from '../support/payloads.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

const IS_ROOT = process.getuid?.() === 0;
const NOBODY = 65_534;

let sandbox: Sandbox;
let project: string;
let elsewhere: string;
beforeEach(() => {
  sandbox = createSandbox();
  project = sandbox.project('shop');
  elsewhere = sandbox.project('elsewhere');
  mkdirSync(sandbox.paths.dataDir, { mode: 0o700 });
});
afterEach(() => sandbox.dispose());

const FILES: (keyof Paths)[] = ['webPort', 'birthMark', 'activityFlag', 'ownerLock', 'database', 'indexDatabase', 'config'];
const FOLDERS: (keyof Paths)[] = ['spool', 'logs', 'observerDir', 'privateMarks'];

describe('hole-S12: a link in the place of a file of ours', () => {
  test.each(FILES)('is not followed but named: %s', async (name) => {
    const victim = join(elsewhere, 'victim');
    writeFileSync(victim, '{}');
    symlinkSync(victim, sandbox.paths[name]);
    expect((await sandbox.hear(project)).message).toContain(`${sandbox.paths[name]} is a link`);
    expect((await sandbox.cli('status')).stdout).toContain('is a link');
    expect((await sandbox.cli('config', 'set', 'contextTokens', '700')).code).toBe(1);
    expect(readFileSync(victim, 'utf8')).toBe('{}');
    expect(readdirSync(elsewhere)).toEqual(['victim']);
    // What happened meanwhile is kept, and there once the link is gone.
    await sandbox.hook('new', userPrompt('s', project, 'Ports are even here.'));
    rmSync(sandbox.paths[name]);
    expect((await sandbox.cli('start')).code).toBe(0);
    await until(() => sandbox.query("SELECT id FROM events WHERE payload LIKE '%Ports are even%'").length === 1);
  });

  test.each(['owner.lock-journal', 'memory.db-journal', 'memory.db-wal', 'index.db-shm'])(
    'is named, too, where SQLite would make one of its own: %s',
    async (name) => {
      const path = join(sandbox.paths.dataDir, name);
      symlinkSync(join(elsewhere, 'nothing-there'), path);
      expect((await sandbox.hear(project)).message).toContain(`${path} is a link`);
      expect((await sandbox.cli('start')).stderr).toContain('is a link');
      expect(readdirSync(elsewhere)).toEqual([]);
      rmSync(path);
    },
  );

  test.each(FOLDERS)('is not entered but named: %s', async (name) => {
    mkdirSync(dirname(sandbox.paths[name]), { recursive: true, mode: 0o700 });
    symlinkSync(elsewhere, sandbox.paths[name]);
    expect((await sandbox.hear(project)).message).toContain(`${sandbox.paths[name]} is a link`);
    await sandbox.hook('save', bash('s', project, 'ls', 'a.txt'));
    expect((await sandbox.cli('start')).stderr).toContain('is a link');
    expect(readdirSync(elsewhere)).toEqual([]);
    rmSync(sandbox.paths[name]);
  });

  test('is not written through by a worker that runs already', async () => {
    await sandbox.startWorker();
    const victim = join(elsewhere, 'victim');
    writeFileSync(victim, 'mine');
    const today = join(sandbox.paths.logs, readdirSync(sandbox.paths.logs)[0] ?? '');
    for (const path of [sandbox.paths.activityFlag, today]) {
      rmSync(path, { force: true });
      symlinkSync(victim, path);
    }
    await sandbox.hook('new', userPrompt('s', project, 'Ports are even here.'));
    await until(() => !lstatSync(sandbox.paths.activityFlag).isSymbolicLink());
    await sandbox.cli('stop');
    expect(readFileSync(victim, 'utf8')).toBe('mine');
  });

  test('a data dir that its person keeps elsewhere by a link is theirs to have', async () => {
    rmSync(sandbox.paths.dataDir, { recursive: true });
    symlinkSync(elsewhere, sandbox.paths.dataDir);
    await sandbox.startWorker();
    expect(existsSync(join(elsewhere, 'memory.db'))).toBe(true);
  });

  test.each(['memory.db', 'index.db', 'owner.lock', 'config.json', 'memory.mark', 'plugin/installed.json'])(
    'nor is a pipe in its place waited for, by any command: %s',
    async (name) => {
      const pipe = join(sandbox.paths.dataDir, name);
      mkdirSync(dirname(pipe), { recursive: true, mode: 0o700 });
      Bun.spawnSync(['mkfifo', pipe]);
      for (const command of [['backup'], ['repair', '--dry-run'], ['restore', pipe, '--yes'], ['status']])
        expect((await sandbox.cli(...command)).code).toBeOneOf([0, 1]);
      const said = await sandbox.cli('doctor');
      expect(said.code).toBeOneOf([0, 1]);
      expect(said.stdout).toContain(name.split('/')[0] ?? name);
      expect((await sandbox.hook('context', sessionStart('s', project))).code).toBe(0);
      rmSync(pipe);
    },
  );

  test('nor is a pipe waited for', () => {
    const pipe = join(elsewhere, 'pipe');
    Bun.spawnSync(['mkfifo', pipe]);
    expect(() => readOwnFile(pipe)).toThrow('it is not a file');
    writeOwnFile(pipe, 'ours');
    expect(readOwnFile(pipe)).toBe('ours');
  });
});

test('hole-S12: a token that is a link, or that another user knows, is replaced', async () => {
  const [known, victim] = ['ab'.repeat(32), join(elsewhere, 'victim')];
  writeFileSync(victim, known, { mode: 0o600 });
  symlinkSync(victim, sandbox.paths.token);
  await sandbox.startWorker();
  await until(() => lstatSync(sandbox.paths.token).isFile());
  expect(readFileSync(sandbox.paths.token, 'utf8')).not.toContain(known);
  expect(readFileSync(victim, 'utf8')).toBe(known);
  await sandbox.cli('stop');
  if (!IS_ROOT) return;
  writeFileSync(sandbox.paths.token, known, { mode: 0o600 });
  chownSync(sandbox.paths.token, NOBODY, NOBODY);
  await sandbox.startWorker();
  await until(() => !readFileSync(sandbox.paths.token, 'utf8').includes(known));
});

describe.skipIf(!IS_ROOT)('hole-S12: what belongs to another user', () => {
  test('a data dir is named with its owner, and nothing in it is touched, by root either', async () => {
    chownSync(sandbox.paths.dataDir, NOBODY, NOBODY);
    const said = /belongs to nobody, and this is root.* Run this as nobody, or set CLAUDE_MEM_DATA_DIR/;
    expect((await sandbox.hear(project)).message).toMatch(said);
    await sandbox.hook('new', userPrompt('s', project, 'Ports are even here.'));
    for (const args of [['start'], ['config', 'set', 'contextTokens', '700'], ['install'], ['search', 'ports']])
      expect((await sandbox.cli(...args)).stderr).toMatch(said);
    expect((await sandbox.cli('status')).stdout).toMatch(said);
    const worker = Bun.spawnSync([process.execPath, join(import.meta.dir, '../../dist/worker.js')], { env: sandbox.env });
    expect({ code: worker.exitCode, said: worker.stderr.toString() }).toEqual({ code: 1, said: expect.stringMatching(said) });
    expect(readdirSync(sandbox.paths.dataDir)).toEqual([]);
    expect(lstatSync(sandbox.paths.dataDir).mode & 0o777).toBe(0o700);
  });

  test('a spool is not written to', async () => {
    mkdirSync(sandbox.paths.spool);
    chownSync(sandbox.paths.spool, NOBODY, NOBODY);
    expect((await sandbox.hear(project)).message).toContain(`${sandbox.paths.spool} belongs to nobody`);
    await sandbox.hook('new', userPrompt('s', project, 'Ports are even here.'));
    expect(readdirSync(sandbox.paths.spool)).toEqual([]);
  });
});

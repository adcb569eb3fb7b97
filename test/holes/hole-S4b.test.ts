// hole-S4b: a pipe where git keeps a file made the worker wait for ever, for all projects, and again after each restart.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { edit, sessionStart, stop, userPrompt } from '../support/payloads.ts';
import { createSandbox, runProcess, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

const IS_FULL = Boolean(process.env.CLAUDE_MEM_TEST_FULL);

let sandbox: Sandbox;
let listeners: { stop: () => void }[] = [];
let count = 0;
beforeAll(async () => {
  sandbox = createSandbox();
  await sandbox.startWorker();
});
afterAll(async () => {
  for (const listener of listeners) listener.stop();
  listeners = [];
  await sandbox.dispose();
});

function git(cwd: string, ...args: string[]): void {
  const env = { PATH: '/usr/bin:/bin', HOME: sandbox.home, GIT_CONFIG_NOSYSTEM: '1' };
  const done = Bun.spawnSync(['git', '-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd, env });
  if (done.exitCode !== 0) throw new Error(done.stderr.toString());
}

function repository(): string {
  const root = sandbox.project(`odd/${++count}/shop`);
  git(root, 'init', '-q', '-b', 'main');
  git(root, 'commit', '-q', '--allow-empty', '-m', 'first');
  git(root, 'remote', 'add', 'origin', `git@forge.test:acme/odd-${count}.git`);
  return root;
}

/** What can lie where a file should. */
const ODD: Record<string, (path: string) => void> = {
  'a pipe': (path) => expect(Bun.spawnSync(['mkfifo', path]).exitCode).toBe(0),
  'a link to a pipe': (path) => {
    Bun.spawnSync(['mkfifo', `${path}-pipe`]);
    symlinkSync(`${path}-pipe`, path);
  },
  'a device': (path) => symlinkSync('/dev/zero', path),
  'a terminal': (path) => symlinkSync('/dev/ptmx', path),
  'a file of the system': (path) => symlinkSync('/proc/kmsg', path),
  'a socket': (path) => {
    // The path of a socket is short.
    const socket = join(sandbox.home, `s${++count}`);
    listeners.push(Bun.listen({ unix: socket, socket: { data: () => undefined } }));
    symlinkSync(socket, path);
  },
  'a folder': (path) => mkdirSync(path),
  'a gigabyte': (path) => {
    writeFileSync(path, '');
    truncateSync(path, 1024 ** 3);
  },
};

const FILES = [
  '.git',
  '.git/config',
  '.git/HEAD',
  '.git/commondir',
  '.git/gitdir',
  '.git/logs/HEAD',
  '.git/packed-refs',
  '.git/refs/heads/main',
  '.git/shallow',
  '.git/index',
  '.git/info/exclude',
  '.git/objects/info/alternates',
  '.gitmodules',
  '.gitignore',
  'CLAUDE.md',
  'CLAUDE.local.md',
  'AGENTS.md',
  'src/a.ts',
];

/** What may set the environment of whoever calls us. */
const SETTINGS = ['.claude/settings.json', '.claude/settings.local.json', '.env', '.env.local', '.gemini/.env', '.qwen/.env'];

const DIST = join(import.meta.dir, '../../dist');
const PATHS = join(import.meta.dir, '../../src/paths.ts');

/** A whole session there; then the worker has stored it and answers another project at once. */
async function expectAlive(cwd: string, more: Record<string, unknown> = {}): Promise<void> {
  const session = `odd-${++count}`;
  await sandbox.hook('context', sessionStart(session, cwd, more));
  await sandbox.hook('new', userPrompt(session, cwd, 'Set the limit to five', more));
  await sandbox.hook('save', edit(session, cwd, 'src/a.ts', ['-limit = 3', '+limit = 5']));
  await sandbox.hook('summary', { ...stop(session, cwd, 'The limit is five now.'), ...more });
  const other = sandbox.project('other');
  const { stdout, ms } = await sandbox.hook('context', sessionStart(`fine-${count}`, other));
  expect(stdout).toContain('"continue":true');
  expect(ms).toBeLessThan(5000);
  const isKept = `SELECT 1 FROM events e JOIN sessions s ON s.id = e.session_id WHERE e.kind = 'stop' AND s.host_session_id = '${session}'`;
  await until(() => sandbox.query(isKept).length > 0);
  await until(() => sandbox.query(`SELECT 1 FROM sessions WHERE host_session_id = 'fine-${count}'`).length > 0);
}

describe('hole-S4b', () => {
  /** Those that are not among all of them below, and some alone: what fails first must not hide another. */
  const alone = FILES.filter((file, at) => IS_FULL || file === 'src/a.ts' || at % 3 === 0);
  test.each(alone)('a pipe as %s stops nobody', async (file) => {
    const root = repository();
    rmSync(join(root, file), { recursive: true, force: true });
    mkdirSync(dirname(join(root, file)), { recursive: true });
    ODD['a pipe']?.(join(root, file));
    await expectAlive(root);
  });

  test.each(Object.keys(ODD))('%s as any of them stops nobody', async (kind) => {
    const root = repository();
    for (const file of FILES.filter((name) => name !== '.git' && name !== 'src/a.ts')) {
      rmSync(join(root, file), { recursive: true, force: true });
      mkdirSync(dirname(join(root, file)), { recursive: true });
      ODD[kind]?.(join(root, file));
    }
    await expectAlive(root);
  });

  test.each(Object.keys(ODD))('nor does %s as what an agent reads settings and variables from', async (kind) => {
    const root = repository();
    for (const file of SETTINGS) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      ODD[kind]?.(join(root, file));
    }
    const session = `odd-${++count}`;
    // Both say the same: whichever it is that counts, the memory of whoever runs this is never it.
    const [CLAUDE_MEM_DATA_DIR, CLAUDE_MEM_INSTALLED] = [sandbox.paths.dataDir, sandbox.paths.dataDir];
    const env = {
      ...sandbox.env,
      CLAUDECODE: '1',
      CLAUDE_PROJECT_DIR: root,
      CLAUDE_MEM_FOLDER: root,
      CLAUDE_MEM_DATA_DIR,
      CLAUDE_MEM_INSTALLED,
    };
    const call = (args: string[], stdin = '') => runProcess([process.execPath, `--cwd=${DIST}`, ...args], env, stdin, root);
    const hook = await call([join(DIST, 'hook.js'), 'new'], JSON.stringify(userPrompt(session, root, 'Set the limit to five')));
    expect(hook).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('"continue":true') });
    await until(() => sandbox.query(`SELECT 1 FROM sessions WHERE host_session_id = '${session}'`).length > 0);
    expect(await call([join(DIST, 'cli.js'), 'status'])).toMatchObject({ code: 0, stderr: '' });
  });

  test('nor do settings that are long to read', async () => {
    const root = repository();
    const long = ['\n'.repeat(200_000), '['.repeat(200_000), `${'{"a":'.repeat(40_000)}`, 'export '.repeat(30_000)];
    for (const [at, file] of SETTINGS.entries()) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), long[at % long.length] ?? '');
    }
    const env = { ...sandbox.env, CLAUDECODE: '1', CLAUDE_PROJECT_DIR: root, CLAUDE_MEM_DATA_DIR: sandbox.paths.dataDir };
    const ask = `const { homeDir, findDataDir } = await import(${JSON.stringify(PATHS)}); homeDir(); console.log(findDataDir());`;
    const { stdout, ms } = await runProcess([process.execPath, '-e', ask], env, '', root);
    expect(stdout).toBe(`${sandbox.paths.dataDir}\n`);
    expect(ms).toBeLessThan(5000);
  });

  test('nor do settings that are cut while they are read', async () => {
    const root = repository();
    const file = join(root, '.claude/settings.json');
    mkdirSync(dirname(file));
    const whole = JSON.stringify({ env: {}, text: 'x'.repeat(500_000) });
    writeFileSync(file, whole);
    const ask = `const { homeDir } = await import(${JSON.stringify(PATHS)}); for (const end = Date.now() + 1500; Date.now() < end; ) homeDir();`;
    const env = { ...sandbox.env, CLAUDECODE: '1', CLAUDE_PROJECT_DIR: root };
    const reader = Bun.spawn([process.execPath, '-e', ask], { cwd: root, env, stderr: 'pipe' });
    while (reader.exitCode === null && reader.signalCode === null) {
      truncateSync(file, 0);
      writeFileSync(file, whole);
      await new Promise(setImmediate);
    }
    expect({ code: reader.exitCode, signal: reader.signalCode, said: await reader.stderr.text() }).toEqual({
      code: 0,
      signal: null,
      said: '',
    });
  });

  test('nor does a pipe where a work tree or a submodule says where it belongs', async () => {
    const root = repository();
    git(root, 'worktree', 'add', '-q', `${root}-tree`);
    for (const file of ['gitdir', 'commondir', 'HEAD']) {
      const path = join(root, '.git/worktrees/shop-tree', file);
      rmSync(path);
      ODD['a pipe']?.(path);
      await expectAlive(`${root}-tree`);
    }
  });

  test.each(Object.keys(ODD))('nor does %s as the transcript that a hook names', async (kind) => {
    const path = join(sandbox.home, '.claude/projects/x', `t${++count}.jsonl`);
    mkdirSync(dirname(path), { recursive: true });
    ODD[kind]?.(path);
    await expectAlive(repository(), { transcript_path: path });
  });

  test('a transcript of gigabytes without a line end is given up, counted, and left alone until it changes', async () => {
    const path = join(sandbox.home, '.claude/projects/x', `t${++count}.jsonl`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '');
    truncateSync(path, 6e9);
    const counted = () =>
      sandbox.query<{ value: number }>("SELECT value FROM counters WHERE name = 'dropped:no-transcript'")[0]?.value ?? 0;
    const before = counted();
    const cwd = repository();
    await expectAlive(cwd, { transcript_path: path });
    await until(() => sandbox.query(`SELECT 1 FROM transcripts WHERE path = '${path}' AND size = 6e9`).length > 0);
    const once = counted();
    expect(once).toBeGreaterThan(before);
    await sandbox.cli('restart');
    await expectAlive(cwd, { transcript_path: path });
    await until(() => sandbox.query("SELECT 1 FROM events WHERE status = 'pending' AND kind = 'stop'").length === 0);
    expect(counted()).toBe(once);
  });

  test('and after a restart it still answers', async () => {
    await sandbox.cli('restart');
    await expectAlive(repository());
    expect(await sandbox.workerPid()).not.toBeNull();
  });
});

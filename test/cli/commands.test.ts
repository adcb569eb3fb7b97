import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { marketplaceFolder, writeMark } from '../../src/cli/install/plugin-folder.ts';
import { bash } from '../support/payloads.ts';
import { createSandbox, runProcess, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = createSandbox();
});
afterEach(() => sandbox.dispose());

/** A process that has ended may wait for its parent to look; that is not alive. */
const isGone = (pid: number) => {
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : ') Z';
  return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
};

describe('start and stop', () => {
  test('start once, say so twice, and end without a trace', async () => {
    const first = await sandbox.cli('start');
    expect(first.stdout).toMatch(/running \(pid \d+, data in /);
    const pid = Number(await sandbox.workerPid());
    expect((await sandbox.cli('start')).stdout).toContain(`The worker is already running (pid ${pid}).`);
    expect((await sandbox.cli('stop')).stdout).toBe(`The worker stopped (pid ${pid}).\n`);
    await until(() => isGone(pid));
    expect(await sandbox.cli('stop')).toMatchObject({ code: 0, stdout: 'The worker is not running.\n' });
  });

  test('restart gives another process', async () => {
    const before = await sandbox.startWorker();
    expect((await sandbox.cli('restart')).code).toBe(0);
    const after = await sandbox.workerPid();
    expect(after).not.toBe(before);
    await until(() => isGone(before));
  });

  test('start says why it cannot, and leaves a file that is not ours alone', async () => {
    mkdirSync(sandbox.paths.dataDir);
    writeFileSync(sandbox.paths.database, 'somebody else wrote this, and it is no database at all'.repeat(3));
    const run = await sandbox.cli('start');
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('is not a claude-mem memory');
    expect(await Bun.file(sandbox.paths.database).text()).toStartWith('somebody else');
  });
});

describe('status', () => {
  test('of a running worker has what a person and a program need', async () => {
    const pid = await sandbox.startWorker();
    await sandbox.hook('save', bash('s', '/home/dev/shop', 'ls', 'x'));
    const status = JSON.parse((await sandbox.cli('status', '--json')).stdout);
    expect(status).toMatchObject({
      running: true,
      pid,
      queue: { depth: 1, spooled: 0 },
      sessions: { active: 1 },
      lastSuccessAt: null,
    });
    expect(status.uptimeMs).toBeGreaterThanOrEqual(0);
    expect(status.queue.oldestMs).toBeGreaterThanOrEqual(0);
    expect(status.sizes.database + status.sizes.wal).toBeGreaterThan(0);
    expect(status.version).toMatch(/^\d+\.\d+\.\d+$/);
    const { stdout } = await sandbox.cli('status');
    expect(stdout).toContain('1 waiting');
    expect(stdout).toContain('0 observations, 0 summaries, 1 session (1 active)');
  });

  test('without a worker says so and what to do', async () => {
    expect(await sandbox.cli('status')).toMatchObject({ code: 0 });
    expect((await sandbox.cli('status')).stdout).toContain('claude-mem start');
    expect((await sandbox.cli('status')).stdout).toContain('Not installed: run `claude-mem install`');
    expect(JSON.parse((await sandbox.cli('status', '--json')).stdout)).toMatchObject({ running: false });
  });

  test('without a worker leaves its start to a hook only where there is one', async () => {
    writeMark(marketplaceFolder(sandbox.paths), { version: '1.0.0', places: [], offered: [] });
    expect((await sandbox.cli('status')).stdout).toContain('The next hook starts it');
  });

  test('names a setting that is wrong, and the default holds', async () => {
    mkdirSync(sandbox.paths.dataDir);
    writeFileSync(sandbox.paths.config, '{"idleMinutes": "soon", "colour": 1}');
    await sandbox.startWorker();
    const { stdout } = await sandbox.cli('status');
    expect(stdout).toContain('idleMinutes');
    expect(stdout).toContain('unknown setting "colour"');
  });
});

test('logs shows the last lines, and refuses nonsense', async () => {
  expect((await sandbox.cli('logs')).stdout).toContain('There is no log yet');
  await sandbox.startWorker();
  expect((await sandbox.cli('logs', '-n', '9')).stdout).toContain('worker started');
  const wrong = await sandbox.cli('logs', '-n', 'many');
  expect([wrong.code, wrong.stderr]).toEqual([1, '--lines takes a number from 1, not "many".\n']);
});

describe('the command line', () => {
  test('helps, knows its version, and refuses an unknown command with a hint', async () => {
    expect((await sandbox.cli('--help')).stdout).toMatch(/^ {2}status +Show /m);
    expect((await sandbox.cli('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    const wrong = await sandbox.cli('recal');
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain('claude-mem --help');
  });

  test('runs a hook by its name, as the installed command does', async () => {
    await sandbox.startWorker();
    const stub = join(import.meta.dir, '../../bin/claude-mem');
    const payload = { hook_event_name: 'SessionStart', source: 'startup', cwd: sandbox.project('shop') };
    const env = { ...sandbox.env, PATH: process.env.PATH ?? '' };
    const run = await runProcess([stub, 'context'], env, JSON.stringify(payload));
    expect(run.code).toBe(0);
    expect(JSON.parse(run.stdout).systemMessage).toContain('no memory yet');
    expect(sandbox.query('SELECT id FROM sessions')).toEqual([]);
  });
});

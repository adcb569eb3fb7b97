// The commands about the worker: start, stop, status, logs, reindex, its port; and the command line itself.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { marketplaceFolder, writeMark } from '../../src/cli/install/plugin-folder.ts';
import { loadConfig } from '../../src/config.ts';
import { serveFakeWorker } from '../support/fake-worker.ts';
import { bash, userPrompt } from '../support/payloads.ts';
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

test('a worker in the foreground says on stderr what it does, and that another one is there', async () => {
  const cli = [process.execPath, join(import.meta.dir, '../../dist/cli.js'), 'worker'];
  const child = Bun.spawn(cli, { env: sandbox.env, stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' });
  const said = child.stderr.text();
  await until(() => sandbox.workerPid());
  expect((await sandbox.cli('worker')).stderr).toMatch(/^\S+ WARN another worker owns the data dir .*\n$/);
  child.kill('SIGTERM');
  expect(await said).toMatch(/^\S+ INFO worker started .*\n(.*\n)*\S+ INFO worker stops .*\n/);
});

describe('status', () => {
  test('of a running worker has what a person and a program need', async () => {
    const pid = await sandbox.startWorker();
    await sandbox.hook('save', bash('s', '/home/dev/shop', 'ls', 'x'));
    const status = JSON.parse((await sandbox.cli('status', '--json')).stdout);
    expect(status).toMatchObject({ running: true, pid, queue: { depth: 1, spooled: 0 }, sessions: { active: 1 }, lastSuccessAt: null });
    expect(status.uptimeMs).toBeGreaterThanOrEqual(0);
    expect(status.queue.oldestMs).toBeGreaterThanOrEqual(0);
    expect(status.sizes.database + status.sizes.wal).toBeGreaterThan(0);
    expect(status.version).toMatch(/^\d+\.\d+\.\d+$/);
    const { stdout } = await sandbox.cli('status');
    expect(stdout).toContain('1 waiting');
    expect(stdout).toContain('0 observations, 0 summaries, 1 session (1 active)');
  });

  test('waits for a worker that is held up for some seconds, which is not one that does not run', async () => {
    const pid = await sandbox.startWorker();
    process.kill(pid, 'SIGSTOP');
    const status = sandbox.cli('status', '--json');
    await Bun.sleep(2500);
    process.kill(pid, 'SIGCONT');
    expect(JSON.parse((await status).stdout)).toMatchObject({ running: true, pid });
  });

  test('without a worker says so and what to do', async () => {
    expect(await sandbox.cli('status')).toMatchObject({ code: 0 });
    expect((await sandbox.cli('status')).stdout).toContain('claude-mem start');
    expect((await sandbox.cli('status')).stdout).toContain('Not installed: run `claude-mem install`');
    expect(JSON.parse((await sandbox.cli('status', '--json')).stdout)).toMatchObject({ running: false });
  });

  test('without a worker leaves its start to a hook only where there is one', async () => {
    writeMark(marketplaceFolder(sandbox.paths), { version: '1.0.0', places: [], agents: [], offered: [] });
    expect((await sandbox.cli('status')).stdout).toContain('The next hook starts it');
  });
});

test('logs shows the last lines, and refuses nonsense', async () => {
  expect((await sandbox.cli('logs')).stderr).toContain('There is no log yet');
  await sandbox.startWorker();
  expect((await sandbox.cli('logs', '-n', '9')).stdout).toContain('worker started');
  const wrong = await sandbox.cli('logs', '-n', 'many');
  expect([wrong.code, wrong.stderr]).toEqual([2, '--lines takes a number from 1, not "many".\nRun `claude-mem logs --help`.\n']);
});

describe('the command line', () => {
  test('helps, knows its version, and refuses an unknown command with a hint', async () => {
    expect((await sandbox.cli('--help')).stdout).toMatch(/^ {2}status +Show /m);
    expect((await sandbox.cli('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    const wrong = await sandbox.cli('recal');
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringMatching(/Did you mean recap\?[\s\S]*\nRun `claude-mem --help`\.\n$/)]);
    const unknown = await sandbox.cli('help', 'serach');
    expect([unknown.code, unknown.stdout, unknown.stderr]).toEqual([2, '', expect.stringContaining('Did you mean search?')]);
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

describe('claude-mem reindex', () => {
  test('rebuilds the index in the worker, watches it, and status tells of it', async () => {
    await sandbox.cli('start');
    await sandbox.hook('new', userPrompt('s', sandbox.project('shop'), 'Show the tax on every invoice'));
    const status = async () => (await sandbox.cli('status')).stdout;
    await until(async () => /search\t1 memories, vectors 1 static, 1 minilm$/m.test(await status()));
    const { stdout, code } = await sandbox.cli('reindex');
    expect(code).toBe(0);
    expect(stdout).toEndWith('Done: 1 memories, vectors 1 static, 1 minilm\n');
    const answer = JSON.parse((await sandbox.cli('reindex', '--json')).stdout);
    expect(answer).toMatchObject({ embedder: 'minilm', job: { step: expect.any(String) } });
  });

  test('that fails says why, ends with 1, and can be called again', async () => {
    await sandbox.cli('start');
    await sandbox.hook('new', userPrompt('s', sandbox.project('shop'), 'Show the tax on every invoice'));
    await until(async () => /1 minilm$/m.test((await sandbox.cli('status')).stdout));
    await sandbox.cli('stop');
    const notes = 'my own notes '.repeat(20);
    rmSync(sandbox.paths.indexDatabase);
    writeFileSync(sandbox.paths.indexDatabase, notes);
    const { stderr, code } = await sandbox.cli('reindex');
    expect([code, stderr]).toEqual([1, expect.stringContaining('is not an index of claude-mem. It was left as it is.')]);
    expect(readFileSync(sandbox.paths.indexDatabase, 'utf8')).toBe(notes);
    rmSync(sandbox.paths.indexDatabase);
    expect((await sandbox.cli('reindex', '--words')).stdout).toEndWith('Done: 1 memories, vectors 1 static, 1 minilm\n');
  });
});

describe('the port', () => {
  test.each(['80', '1023', '65536'])('it cannot be %s', async (port) => {
    const { stderr, code } = await sandbox.person('config', 'set', 'workerPort', port);
    expect([code, stderr]).toEqual([2, expect.stringContaining('a whole number from 1024 to 65535, or 0 for none')]);
    mkdirSync(sandbox.paths.dataDir, { recursive: true });
    writeFileSync(sandbox.paths.config, `{"workerPort": ${port}}`);
    const { config, problems } = loadConfig(sandbox.paths.config, {});
    expect([config.workerPort, problems.join()]).toEqual([37_777, expect.stringContaining('workerPort')]);
  });

  test('a running worker takes another one only after a restart, and it says so', async () => {
    const worker = serveFakeWorker(sandbox.paths, () => ({ fromVariables: [], web: { address: null, port: 37_777 } }));
    const line = 'The running worker takes it after `claude-mem restart`.';
    expect((await sandbox.person('config', 'set', 'workerPort', '40000')).stdout).toContain(line);
    expect(JSON.parse(readFileSync(sandbox.paths.config, 'utf8'))).toEqual({ workerPort: 40_000 });
    expect((await sandbox.person('config', 'unset', 'workerPort')).stdout).not.toContain('restart');
    await worker.close();
  });

  test('the status is about the port that the worker started with', async () => {
    await sandbox.person('config', 'set', 'workerPort', '0');
    await sandbox.startWorker();
    await sandbox.person('config', 'set', 'workerPort', '40000');
    expect((await sandbox.cli('status')).stdout).toContain('off (the worker started with workerPort 0)');
    expect((await sandbox.person('viewer')).stderr).toContain('`claude-mem status` says which');
  });
});

// `claude-mem token`: where it is, never what it is, and a new one. `claude-mem viewer`: a link, opened only where a person sees it.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveFakeWorker } from '../support/fake-worker.ts';
import { createSandbox, runAtTerminal, runProcess, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

const CLI = join(import.meta.dir, '../../dist/cli.js');

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = createSandbox();
});
afterEach(() => sandbox.dispose());

const run = (...args: string[]) => runAtTerminal([process.execPath, CLI, ...args], sandbox.env);

describe('token', () => {
  test('says where it will be before there is a worker, and starts none', async () => {
    const { stdout, code } = await run('token');
    expect([stdout.split('\n')[0], code]).toEqual([sandbox.paths.token, 0]);
    expect(stdout).toContain('claude-mem start');
    expect(JSON.parse((await run('token', '--json')).stdout)).toEqual({ path: sandbox.paths.token, exists: false, address: null });
    mkdirSync(sandbox.paths.dataDir);
    writeFileSync(sandbox.paths.token, `${'a'.repeat(64)}\n`, { mode: 0o600 });
    expect((await run('token')).stdout).toMatch(/No worker runs.*`claude-mem start`/);
  });

  test('says where it is, but not what it is; the command that it names works in a shell; rotate makes a new one', async () => {
    await sandbox.startWorker();
    const read = () => readFileSync(sandbox.paths.token, 'utf8').trim();
    const token = read();
    const { stdout } = await sandbox.cli('token');
    const { path, address } = JSON.parse((await sandbox.cli('token', '--json')).stdout);
    expect([path, stdout.includes(`${address}/health`), stdout.includes(token)]).toEqual([sandbox.paths.token, true, false]);
    const line = stdout.split('\n').find((one) => one.includes('printf')) ?? '';
    const header = await runProcess(['/bin/sh', '-c', line.replace(/\| curl.*/, '')], sandbox.env, '');
    expect(header.stdout).toBe(`Authorization: Bearer ${token}`);
    expect(await sandbox.person('token', 'rotate')).toMatchObject({ stdout: expect.stringContaining('There is a new token'), code: 0 });
    expect(read()).not.toBe(token);
  });
});

describe('viewer', () => {
  const LINK = { url: 'http://127.0.0.1:37777/#t=abcdefghijklmnopqrstuv', expiresAt: '2026-03-18T12:10:00.000Z' };
  let worker: ReturnType<typeof serveFakeWorker>;
  let answer: unknown;
  let opened: string;
  beforeEach(() => {
    answer = LINK;
    worker = serveFakeWorker(sandbox.paths, () => answer);
    opened = join(sandbox.home, 'opened');
    const bin = join(sandbox.home, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'xdg-open'), `#!/bin/sh\necho "$@" > ${opened}.part && mv ${opened}.part ${opened}\n`);
    chmodSync(join(bin, 'xdg-open'), 0o755);
    sandbox.env.PATH = `${bin}:/usr/bin:/bin`;
  });
  afterEach(() => worker.close());

  /** In a terminal of its own. */
  const runInTerminal = (...args: string[]) =>
    runProcess(['/usr/bin/script', '-qec', [process.execPath, CLI, 'viewer', ...args].join(' '), '/dev/null'], sandbox.env, '');
  const hasTerminal = process.platform === 'linux' && existsSync('/usr/bin/script');

  test('prints the link, and nothing else into a pipe', async () => {
    sandbox.env.DISPLAY = ':0';
    expect(await run('viewer')).toMatchObject({ stdout: `${LINK.url}\n`, stderr: '', code: 0 });
    expect(JSON.parse((await run('viewer', '--json')).stdout)).toEqual(LINK);
    expect(worker.asked[0]).toMatchObject({ method: 'POST', path: '/api/token/link' });
    expect(existsSync(opened)).toBe(false);
  });

  test.skipIf(!hasTerminal)('opens the browser in a terminal with a screen', async () => {
    sandbox.env.DISPLAY = ':0';
    const { stdout, code } = await runInTerminal();
    expect([stdout, code]).toEqual([expect.stringContaining(LINK.url), 0]);
    await until(() => existsSync(opened));
    expect(readFileSync(opened, 'utf8')).toBe(`${LINK.url}\n`);
  });

  const unseen: [string, string[], Record<string, string>][] = [
    ['with --print', ['--print'], { DISPLAY: ':0' }],
    ['over ssh', [], { DISPLAY: ':0', SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' }],
    ['without a screen', [], {}],
  ];
  test.skipIf(!hasTerminal).each(unseen)('opens none %s', async (_, args, env) => {
    Object.assign(sandbox.env, env);
    const { stdout, code } = await runInTerminal(...args);
    expect([stdout.trim(), code]).toEqual([LINK.url, 0]);
    expect(existsSync(opened)).toBe(false);
  });

  test('says why there is none', async () => {
    answer = Response.json({ error: 'The worker has no HTTP server.', hint: 'Set workerPort.' }, { status: 409 });
    expect(await run('viewer')).toMatchObject({ stdout: '', stderr: expect.stringContaining('no HTTP server. Set workerPort.'), code: 1 });
  });

  test('gives an agent no link, and no new token', async () => {
    sandbox.env.CLAUDECODE = '1';
    for (const args of [['viewer'], ['viewer', '--print'], ['viewer', '--json'], ['token', 'rotate']])
      expect(await run(...args)).toMatchObject({ stdout: '', stderr: expect.stringContaining('Only a person'), code: 1 });
    expect(worker.asked).toEqual([]);
  });
});

// `claude-mem viewer`: the link that the worker gives, and the browser only where a person sees it.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveFakeWorker } from '../support/fake-worker.ts';
import { createSandbox, runAtTerminal, runProcess, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

const CLI = join(import.meta.dir, '../../src/cli/main.ts');
const LINK = { url: 'http://127.0.0.1:37777/#t=abcdefghijklmnopqrstuv', expiresAt: '2026-03-18T12:10:00.000Z' };

let sandbox: Sandbox;
let worker: ReturnType<typeof serveFakeWorker>;
let answer: unknown;
let opened: string;
beforeEach(() => {
  sandbox = createSandbox();
  answer = LINK;
  worker = serveFakeWorker(sandbox.paths, () => answer);
  opened = join(sandbox.home, 'opened');
  const bin = join(sandbox.home, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'xdg-open'), `#!/bin/sh\necho "$@" > ${opened}.part && mv ${opened}.part ${opened}\n`);
  chmodSync(join(bin, 'xdg-open'), 0o755);
  sandbox.env.PATH = `${bin}:/usr/bin:/bin`;
});
afterEach(async () => {
  await worker.close();
  await sandbox.dispose();
});

const run = (...args: string[]) => runAtTerminal([process.execPath, CLI, 'viewer', ...args], sandbox.env);
/** In a terminal of its own. */
const runInTerminal = (...args: string[]) =>
  runProcess(['/usr/bin/script', '-qec', [process.execPath, CLI, 'viewer', ...args].join(' '), '/dev/null'], sandbox.env, '');
const hasTerminal = process.platform === 'linux' && existsSync('/usr/bin/script');

test('prints the link, and nothing else into a pipe', async () => {
  sandbox.env.DISPLAY = ':0';
  expect(await run()).toMatchObject({ stdout: `${LINK.url}\n`, stderr: '', code: 0 });
  expect(worker.asked).toMatchObject([{ method: 'POST', path: '/api/token/link' }]);
  expect(existsSync(opened)).toBe(false);
});

test('prints it as JSON', async () => {
  expect(JSON.parse((await run('--json')).stdout)).toEqual(LINK);
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
  const problem = { error: 'The worker has no web door.', hint: 'Set workerPort.' };
  answer = Response.json(problem, { status: 409 });
  expect(await run()).toMatchObject({
    stdout: '',
    stderr: expect.stringContaining('no web door. Set workerPort.'),
    code: 1,
  });
});

test('gives an agent no link', async () => {
  sandbox.env.CLAUDECODE = '1';
  for (const args of [[], ['--print'], ['--json']]) {
    expect(await run(...args)).toMatchObject({ stdout: '', stderr: expect.stringContaining('Only a person'), code: 1 });
  }
  expect(worker.asked).toEqual([]);
});

// What a killed worker leaves behind is ended, and nothing else is.
import { afterEach, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Subprocess } from 'bun';
import { z } from 'zod';
import { endLeftover } from '../../../src/model/providers/choose.ts';
import { startFakeServer } from '../../model/providers/fake-server.ts';
import { until } from '../../support/until.ts';
import { claudeBinary } from '../claude-binary.ts';
import { isAlive } from '../processes.ts';
import { makeClaudeHome } from './claude-home.ts';

let children: Subprocess[] = [];
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children = [];
});

async function startSleeper(env: Record<string, string>): Promise<Subprocess> {
  const child = Bun.spawn(['/bin/sleep', '30'], { env, detached: true });
  children.push(child);
  // Until it has become what was started, it has no environment to look at.
  await until(() => readFileSync(`/proc/${child.pid}/cmdline`, 'utf8').startsWith('/bin/sleep'));
  return child;
}

test.each([
  ['no mark', {}],
  ['another mark', { CLAUDE_MEM_OBSERVER: 'another' }],
  ['a mark that only begins like it', { CLAUDE_MEM_OBSERVER: 'the-mark-2' }],
  ['the mark under another name', { NOT_CLAUDE_MEM_OBSERVER: 'the-mark' }],
])('leaves a process with %s alone', async (_, env) => {
  const { pid } = await startSleeper(env);
  expect(endLeftover({ pid, mark: 'the-mark' })).toBe(false);
  expect(isAlive(pid)).toBe(true);
});

test('ends the process with the mark', async () => {
  const child = await startSleeper({ CLAUDE_MEM_OBSERVER: 'the-mark' });
  expect(endLeftover({ pid: child.pid, mark: 'the-mark' })).toBe(true);
  await child.exited;
  expect(child.signalCode).toBe('SIGKILL');
});

test('does nothing when the process has gone', async () => {
  const child = await startSleeper({ CLAUDE_MEM_OBSERVER: 'the-mark' });
  child.kill();
  await child.exited;
  expect(endLeftover({ pid: child.pid, mark: 'the-mark' })).toBe(false);
});

test('ends the claude of a worker that was killed in the middle of a question', async () => {
  const claude = makeClaudeHome();
  const server = startFakeServer();
  server.replyWith(() => new Promise(() => null));
  const args = [join(import.meta.dir, 'ask-and-hang.ts'), await claudeBinary(), claude.cwd, claude.home, server.url];
  const worker = Bun.spawn([process.execPath, ...args], { stdout: 'pipe', env: { PATH: '/usr/bin:/bin' } });
  children.push(worker);
  await server.nextRequest();
  worker.kill('SIGKILL');
  const run = Run.parse(JSON.parse(await worker.stdout.text()));
  expect(isAlive(run.pid)).toBe(true);
  expect(endLeftover(run)).toBe(true);
  await until(() => !isAlive(run.pid));
  server.close();
  await claude.close();
});

const Run = z.object({ pid: z.number(), mark: z.string() });

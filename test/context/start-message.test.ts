// What a person reads at a session's start: how much was added, a tip once, and a link to the viewer, which opens it once.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bash, sessionEnd, sessionStart, stop, userPrompt } from '../support/payloads.ts';
import { createTestWorker, type TestWorker } from '../support/worker-app.ts';

let worker: TestWorker;
let cwd: string;

beforeEach(() => {
  worker = createTestWorker();
  cwd = mkdtempSync(join(tmpdir(), 'cmem-link-'));
});
afterEach(async () => {
  await worker.dispose();
  rmSync(cwd, { recursive: true });
});

const messageOf = async (session: string, more = {}) =>
  JSON.parse(await worker.send('context', sessionStart(session, cwd), more)).systemMessage as string;

const redeem = (url: string) => {
  const { origin, hash } = new URL(url);
  return fetch(`${origin}/api/token/exchange`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: hash.replace('#t=', '') }),
  });
};

test('it is there for the very first session, each has its own, and each works once', async () => {
  await worker.start();
  const first = await messageOf('one');
  const second = await messageOf('two');
  const [url, other] = [first, second].map((message) => /http:\/\/127\.0\.0\.1:\d+\/#t=[\w-]{22}$/.exec(message)?.[0] ?? '');
  expect(url).not.toBe('');
  expect(other).not.toBe(url);
  // The door opens a moment after the worker has said where.
  await worker.call('POST', '/api/token/link');
  expect(await (await redeem(url ?? '')).json()).toEqual({ token: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect((await redeem(url ?? '')).status).toBe(401);
  expect((await redeem(other ?? '')).status).toBe(200);
});

test('a program that runs a session is told no link, nor is anybody when there is no web door', async () => {
  await worker.start();
  expect(await messageOf('one', { unattended: true })).not.toContain('#t=');
  await worker.stop();
  writeFileSync(worker.paths.config, '{"workerPort": 0}');
  await worker.start();
  expect(await messageOf('two')).not.toContain('#t=');
});

test('a link of before the token was rotated opens nothing', async () => {
  await worker.start();
  const { body } = await worker.call('POST', '/api/token/link');
  await worker.call('POST', '/api/token/rotate');
  expect((await redeem(body.url)).status).toBe(401);
});

async function work(session: string): Promise<void> {
  await worker.send('new', userPrompt(session, cwd, 'We always keep prices as integers of cents.'));
  await worker.send('save', bash(session, cwd, 'npm test', 'PASS 12 passed'));
  await worker.send('summary', stop(session, cwd, 'Decided: prices are integers of cents, because floats lose one.'));
  await worker.send('cleanup', sessionEnd(session, cwd));
  await worker.settle();
}

test('a new project is greeted, later the tip is given once', async () => {
  await worker.start();
  expect(await messageOf('one')).toContain('Text inside <private>…</private> is never kept.');
  await work('one');
  expect(await messageOf('two')).toContain('Tip: text inside <private>…</private> is never kept.');
  const third = await messageOf('three');
  expect(third).toContain('to the context');
  expect(third).not.toContain('<private>');
});

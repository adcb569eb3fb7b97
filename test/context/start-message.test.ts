// What a person reads at a session's start: how much was told, and a tip only once.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bash, sessionEnd, sessionStart, stop, userPrompt } from '../support/payloads.ts';
import { createTestWorker, type TestWorker } from '../support/worker-app.ts';

let worker: TestWorker;
let cwd: string;

beforeEach(async () => {
  worker = createTestWorker();
  cwd = mkdtempSync(join(tmpdir(), 'cmem-message-'));
  await worker.start();
});
afterEach(async () => {
  await worker.dispose();
  rmSync(cwd, { recursive: true });
});

const messageOf = async (session: string) => JSON.parse(await worker.send('context', sessionStart(session, cwd))).systemMessage as string;

async function work(session: string): Promise<void> {
  await worker.send('new', userPrompt(session, cwd, 'We always keep prices as integers of cents.'));
  await worker.send('save', bash(session, cwd, 'npm test', 'PASS 12 passed'));
  await worker.send('summary', stop(session, cwd, 'Decided: prices are integers of cents, because floats lose one.'));
  await worker.send('cleanup', sessionEnd(session, cwd));
  await worker.settle();
}

test('a new project is greeted, later the tip is given once', async () => {
  expect(await messageOf('one')).toContain('Text inside <private>…</private> is never kept.');
  await work('one');
  expect(await messageOf('two')).toContain('Tip: text inside <private>…</private> is never kept.');
  const third = await messageOf('three');
  expect(third).toContain('told Claude');
  expect(third).not.toContain('<private>');
});

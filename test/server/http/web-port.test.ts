import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { holdPort, keepLastPort, readLastPort } from '../../../src/server/http/token.ts';
import { createTestWorker } from '../../support/worker-app.ts';

// Below those that the system gives to whoever connects.
const FIRST = 20_000 + Math.floor(Math.random() * 9000);

let folder: string;
let held: ReturnType<typeof holdPort>[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cmem-port-'));
  held = [];
});
afterEach(() => {
  for (const one of held) one?.release();
  rmSync(folder, { recursive: true });
});

const hold = (first: number, last: number | null = null) => {
  const one = holdPort(first, last);
  held.push(one);
  return one?.port ?? null;
};

test('the port that was used last comes first, as long as it is one of the fifty', () => {
  expect(hold(FIRST, FIRST + 7)).toBe(FIRST + 7);
  expect(hold(FIRST, FIRST + 50)).toBe(FIRST);
  expect(hold(FIRST + 100, FIRST + 99)).toBe(FIRST + 100);
});

test('when that one is taken, it is the first free one', () => {
  expect(hold(FIRST, FIRST + 3)).toBe(FIRST + 3);
  expect(hold(FIRST, FIRST + 3)).toBe(FIRST);
  expect(hold(0, FIRST + 3)).toBeNull();
});

test('the last port is kept for this user alone, and what cannot be read is nothing', () => {
  const path = join(folder, 'web.port');
  expect(readLastPort(path)).toBeNull();
  keepLastPort(path, 40_001);
  expect([readLastPort(path), statSync(path).mode & 0o777]).toEqual([40_001, 0o600]);
  writeFileSync(path, 'nonsense');
  expect(readLastPort(path)).toBeNull();
});

test('a restarted worker comes back where a page expects it, though a lower port is free again', async () => {
  const worker = createTestWorker();
  const webOf = async () => {
    // Answered once the door is open.
    await worker.call('POST', '/api/token/link');
    return (await worker.call('GET', '/api/status')).body.web;
  };
  try {
    writeFileSync(worker.paths.config, `{"workerPort": ${FIRST + 200}}`);
    hold(FIRST + 200);
    await worker.start();
    const before = await webOf();
    expect(before.address).not.toEndWith(`:${FIRST + 200}`);
    await worker.stop();
    for (const one of held.splice(0)) one?.release();
    await worker.start();
    expect(await webOf()).toEqual(before);
  } finally {
    await worker.dispose();
  }
});

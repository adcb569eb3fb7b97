import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { askWorker, callApi } from '../../src/client/api.ts';
import { withQuery } from '../../src/client/memory-api.ts';
import { serveFakeWorker } from '../support/fake-worker.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = createSandbox();
});
afterEach(() => sandbox.dispose());

describe('a call', () => {
  test('without a worker is null and starts none', async () => {
    expect(await callApi(sandbox.paths, '/api/status')).toBeNull();
    expect(existsSync(sandbox.paths.dataDir)).toBe(false);
  });

  test('carries its method and body', async () => {
    const worker = serveFakeWorker(sandbox.paths, () => ({ ok: true }));
    expect(await callApi(sandbox.paths, '/x?a=1', { method: 'POST', body: { b: 2 } })).toEqual({ ok: true });
    expect(worker.asked).toEqual([{ method: 'POST', path: '/x', query: { a: '1' }, body: { b: 2 } }]);
    await worker.close();
  });

  test.each([
    [{ error: 'It is broken.', hint: 'Mend it.' }, 'It is broken. Mend it.'],
    [
      { error: 'Two are called shop.', hint: 'Give one of the candidates.', candidates: ['a/shop', 'b/shop'] },
      'Two are called shop. Give one of the candidates. a/shop, b/shop.',
    ],
    [{ error: 'None.', hint: 'Known: shop.', candidates: ['shop'] }, 'None. Known: shop.'],
    [{ error: 'There is no such route.' }, 'The running worker is of another version and does not know this. Run `claude-mem restart`.'],
    [{ error: { deep: 1 } }, 'The worker answered 400 to /api/x. Look at `claude-mem logs`.'],
    [null, 'The worker answered 400 to /api/x. Look at `claude-mem logs`.'],
  ])('that is refused with %j says why', async (body, message) => {
    const worker = serveFakeWorker(sandbox.paths, () => Response.json(body, { status: 400 }));
    await expect(callApi(sandbox.paths, '/api/x?query=private')).rejects.toThrow(new Error(message));
    await worker.close();
  });
});

describe('a query', () => {
  const TRACE = Array.from({ length: 250 }, (_, n) => `    at frame${n} (/home/dev/shop/src/upload (copy).ts:${n}:7)`).join('\n');
  test.each([
    ['of Japanese', '設定ファイルの読み込み'.repeat(320)],
    ['of emoji, and half of one', `${'\u{1f600}'.repeat(3000)}\ud83d`],
    ['that is a stack trace', TRACE],
    ['of signs', `!'()~&=+%`.repeat(9000)],
  ])('%s is cut to what a request can carry', (_, query) => {
    const route = withQuery('/api/search', { query, all: true });
    expect(route.length).toBeLessThan(6100);
    const carried = new URL(`http://x${route}`).searchParams.get('query') ?? '';
    expect(carried.length).toBeGreaterThan(400);
    expect(query).toStartWith(carried);
  });

  test('that is short is carried as it is', () => {
    expect(withQuery('/api/search', { query: 'a b', file: 'ö' })).toBe('/api/search?query=a+b&file=%C3%B6');
  });
});

describe('a question', () => {
  test('starts a worker when there is none, and only one for many', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => askWorker(sandbox.paths, '/api/status')));
    const pids = answers.map((answer) => (answer as { pid: number }).pid);
    expect(new Set(pids).size).toBe(1);
    expect(await sandbox.workerPid()).toBe(pids[0] ?? 0);
  });

  test('says what to do when no worker can start', async () => {
    mkdirSync(sandbox.paths.dataDir);
    writeFileSync(sandbox.paths.database, 'somebody else wrote this, and it is no database at all'.repeat(3));
    await expect(askWorker(sandbox.paths, '/api/status')).rejects.toThrow('claude-mem start');
  });

  test('says so when the worker hangs', async () => {
    const worker = serveFakeWorker(sandbox.paths, () => new Promise(() => undefined));
    await expect(askWorker(sandbox.paths, '/api/status', { timeoutMs: 50 })).rejects.toThrow('does not answer');
    await worker.close();
  });
});

test('a query leaves out what is not said, and lists are separated by commas', () => {
  expect(withQuery('/x', { a: undefined, b: false, c: '', d: 0, e: true, f: ['p', 'q'], g: 'ä&b\0' })).toBe(
    '/x?d=0&e=true&f=p%2Cq&g=%C3%A4%26b%00',
  );
  expect(withQuery('/x', {})).toBe('/x');
});

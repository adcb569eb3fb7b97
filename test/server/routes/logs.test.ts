// The log over HTTP: newest first, page by page, over several days, and no more of it than is asked for.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileLog } from '../../../src/log.ts';
import { findPaths, type Paths } from '../../../src/paths.ts';
import { workerRoutes } from '../../../src/server/routes/worker.ts';
import { createTestApi, type TestApi } from '../../support/test-api.ts';

let paths: Paths;
let http: TestApi;

beforeEach(() => {
  paths = findPaths(mkdtempSync(join(tmpdir(), 'cmem-logs-')));
  http = createTestApi(workerRoutes({ paths } as never));
});
afterEach(() => rmSync(paths.dataDir, { recursive: true, force: true }));

const ask = async (query = '') => (await http.call('GET', `/api/logs${query}`)).body;
const messages = (page: { entries: { message: string }[] }) => page.entries.map(({ message }) => message);
const line = (day: string, n: number, level = 'INFO', rest = '') =>
  `${day}T10:00:00.${String(n % 1000).padStart(3, '0')}Z ${level} entry ${n}${rest}\n`;

function write(day: string, text: string): void {
  mkdirSync(paths.logs, { recursive: true });
  appendFileSync(`${paths.logs}/worker-${day}.log`, text);
}

test('what the worker writes is read back', async () => {
  const log = createFileLog(paths.logs, 'debug');
  log.info('worker started', { pid: 5, version: '1' });
  log.warn('a place {like this} is odd');
  log.error('braces {in it}', { error: 'Error: {"x": 1}\n    at y', deep: { a: [1] } });
  const { entries, next } = await ask();
  expect(next).toBeNull();
  expect(entries).toMatchObject([
    { level: 'error', message: 'braces {in it}', details: { error: 'Error: {"x": 1}\n    at y', deep: { a: [1] } } },
    { level: 'warn', message: 'a place {like this} is odd', details: null },
    { level: 'info', message: 'worker started', details: { pid: 5, version: '1' } },
  ]);
  expect(Math.abs(Date.parse(entries[0].at) - Date.now())).toBeLessThan(60_000);
});

test('without a log there is nothing', async () => {
  expect(await ask()).toEqual({ entries: [], next: null });
  mkdirSync(paths.logs);
  writeFileSync(`${paths.logs}/other.log`, line('2026-01-01', 1));
  expect(await ask()).toEqual({ entries: [], next: null });
});

test('the lines of a stack belong to their entry', async () => {
  write('2026-01-02', `${line('2026-01-02', 1)}2026-01-02T11:00:00.000Z ERROR the worker broke: Error: x\n    at a\n    at b\n`);
  expect(messages(await ask())).toEqual(['the worker broke: Error: x\n    at a\n    at b', 'entry 1']);
});

test('a level is asked for with all that is graver, and words whatever their case', async () => {
  write('2026-01-02', ['DEBUG', 'INFO', 'WARN', 'ERROR'].map((level, n) => line('2026-01-02', n, level, ' {"a":"Größe"}')).join(''));
  expect(messages(await ask('?level=warn'))).toEqual(['entry 3', 'entry 2']);
  expect(messages(await ask('?query=ENTRY%201'))).toEqual(['entry 1']);
  expect(messages(await ask('?level=error&query=größe'))).toEqual(['entry 3']);
});

describe('pages', () => {
  test('go on where the one before ended, over days, whatever is written meanwhile', async () => {
    for (const day of ['2026-01-01', '2026-01-02'])
      write(day, Array.from({ length: 3000 }, (_, n) => line(day, n, 'INFO', ` ${'é'.repeat(100)}`)).join(''));
    const seen: string[] = [];
    let next: string | null = '';
    for (let page = 0; next !== null; page++) {
      const answer: { entries: { at: string; message: string }[]; next: string | null } = await ask(
        `?limit=500${next ? `&before=${next}` : ''}`,
      );
      seen.push(...answer.entries.map(({ at, message }) => `${at.slice(0, 10)} ${message.split(' ')[1]}`));
      next = answer.next;
      write('2026-01-02', line('2026-01-02', 9000 + page));
      expect(page).toBeLessThan(20);
    }
    const all = ['2026-01-02', '2026-01-01'].flatMap((day) => Array.from({ length: 3000 }, (_, n) => `${day} ${2999 - n}`));
    expect(seen).toEqual(all);
  });

  test('end when enough was read for one question, and the next goes on', async () => {
    const filler = ` ${'x'.repeat(2000)}`;
    write(
      '2026-01-02',
      `${line('2026-01-02', 7, 'ERROR')}${Array.from({ length: 1200 }, (_, n) => line('2026-01-02', n, 'INFO', filler)).join('')}`,
    );
    write('2026-01-03', Array.from({ length: 1200 }, (_, n) => line('2026-01-03', n, 'INFO', filler)).join(''));
    const first = await ask('?level=error');
    expect(first.entries).toEqual([]);
    expect(messages(await ask(`?level=error&before=${first.next}`))).toEqual(['entry 7']);
  });

  test('have an entry of any length', async () => {
    write('2026-01-02', `${line('2026-01-02', 1)}${line('2026-01-02', 2, 'INFO', 'x'.repeat(600_000))}${line('2026-01-02', 3)}`);
    expect(messages(await ask()).map((message) => message.slice(0, 7))).toEqual(['entry 3', 'entry 2', 'entry 1']);
  });

  test('of a file that has become shorter or is gone are empty, not wrong', async () => {
    write('2026-01-02', line('2026-01-02', 1));
    expect(messages(await ask('?before=2026-01-02.99999999'))).toEqual(['entry 1']);
    expect(messages(await ask('?before=2026-01-01.99999999'))).toEqual([]);
    expect(messages(await ask('?before=2026-01-09.5'))).toEqual(['entry 1']);
  });
});

test('secrets do not leave, however they came there', async () => {
  const key = `sk-ant-api03-${'aB3dE6gH9j'.repeat(9)}AA`;
  write('2026-01-02', line('2026-01-02', 1, 'INFO', ` with ${key} {"password":"hunter2hunter2","error":"${key}"}`));
  const text = JSON.stringify(await ask());
  expect(text).not.toContain('aB3dE6gH9j');
  expect(text).not.toContain('hunter2hunter2');
});

test.each(['level=loud', 'limit=0', 'limit=501', 'before=x', 'before=2026-01-02', 'before=../../etc/passwd.5', 'path=/etc'])(
  'a question of %s is a 400',
  async (query) => {
    expect((await http.call('GET', `/api/logs?${query}`)).status).toBe(400);
  },
);

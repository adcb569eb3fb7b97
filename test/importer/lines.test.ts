// Lines come whole, with their numbers, whatever chunks they lie in; what is too long or no text is only counted.
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readNumberedLines } from '../../src/importer/lines.ts';

const folder = mkdtempSync(join(tmpdir(), 'cmem-lines-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function read(content: string | Buffer, longestBytes = 1_000_000) {
  const path = join(folder, 'file');
  writeFileSync(path, content);
  return Array.fromAsync(readNumberedLines(path, { longestBytes }));
}

test('an empty file has none, and a last line needs no newline', async () => {
  expect(await read('')).toEqual([]);
  expect(await read('a\n\nb')).toEqual([
    { number: 1, end: 2, kind: 'text', text: 'a' },
    { number: 2, end: 3, kind: 'text', text: '' },
    { number: 3, end: 4, kind: 'text', text: 'b' },
  ]);
});

test('a character that two chunks share stays whole', async () => {
  const long = `${'x'.repeat(256 * 1024 - 1)}é漢🙂`;
  expect(await read(`${long}\nend`)).toMatchObject([{ text: long }, { text: 'end' }]);
});

test('a line over the limit is passed over, whatever it takes, and the next one is read', async () => {
  const lines = await read(`${'y'.repeat(2_000_001)}\nshort\n`);
  expect(lines).toMatchObject([
    { number: 1, kind: 'unreadable', reason: 'too long' },
    { number: 2, end: 2_000_008, kind: 'text', text: 'short' },
  ]);
});

test('bytes that are no text are told', async () => {
  expect(await read(Buffer.from([0xff, 0x0a, 0x61]))).toMatchObject([{ reason: 'not UTF-8' }, { text: 'a' }]);
});

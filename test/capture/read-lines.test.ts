// What is read of a transcript: every line of a long one, and of a file without line ends not much.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLines } from '../../src/capture/read-lines.ts';

const MB = 1024 * 1024;
let folder: string;
let path: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cmem-lines-'));
  path = join(folder, 'transcript.jsonl');
});
afterAll(() => rmSync(folder, { recursive: true }));

const said = () => [...readLines(path)].flatMap(({ text }) => (text === '' ? [] : text.length));

test.each([
  ['nothing', ''],
  ['a line', '{"a":1}\n'],
  ['the beginning of a line', '{"a":1}\n{"b":"'],
])('a huge file without line ends is given up, after %s', (_, beginning) => {
  writeFileSync(path, beginning);
  truncateSync(path, 6_000_000_000);
  const lines = [...readLines(path)];
  expect(lines.filter(({ text }) => text !== '').map(({ text }) => text)).toEqual(beginning.includes('\n') ? ['{"a":1}'] : []);
  expect(lines.at(-1)).toMatchObject({ isEndless: true });
  expect(lines.at(-1)?.position).toBeLessThan(66 * MB);
});

test('what is no JSON is passed over, however long; what follows it is read', () => {
  writeFileSync(path, '{"a":1}\n');
  appendFileSync(path, Buffer.alloc(3 * MB));
  appendFileSync(path, '\n{"b":2}\n');
  expect(said()).toEqual([7, 7]);
});

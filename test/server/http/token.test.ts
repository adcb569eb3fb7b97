// The token file: made at need, readable by its owner alone, replaced when it was not, dead at once when rotated.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openToken } from '../../../src/server/http/token.ts';

let folder: string;
let path: string;
let warnings: string[];
const note = (message: string, details?: object) => void warnings.push(`${message} ${JSON.stringify(details)}`);
const open = () => openToken({ path, log: { debug: note, info: () => undefined, warn: note, error: note } });
const modeOf = (file: string) => statSync(file).mode & 0o777;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cmem-token-'));
  path = join(folder, 'token');
  warnings = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

test('is made at need: 32 random bytes that only the owner can read, whatever the umask', () => {
  const before = process.umask(0);
  try {
    const token = open();
    expect(token.read()).toMatch(/^[0-9a-f]{64}$/);
    expect(readFileSync(path, 'utf8')).toBe(`${token.read()}\n`);
    expect(modeOf(path)).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['token']);
    expect(warnings).toEqual([]);
  } finally {
    process.umask(before);
  }
});

test('stays the same from one worker to the next', () => {
  const first = open().read();
  expect(open().read()).toBe(first);
});

const GOOD = 'a'.repeat(64);
const writeOpen = (mode: number) => {
  writeFileSync(path, GOOD);
  chmodSync(path, mode);
};
const untrusted: [string, () => void][] = [
  ['the group can read', () => writeOpen(0o640)],
  ['the world can read', () => writeOpen(0o604)],
  ['is empty', () => writeFileSync(path, '', { mode: 0o600 })],
  ['is something else', () => writeFileSync(path, 'hello\n', { mode: 0o600 })],
  ['is very long', () => writeFileSync(path, GOOD.repeat(1000), { mode: 0o600 })],
];
test.each(untrusted)('a file that %s is replaced, and that is logged', (_, make) => {
  make();
  const token = open();
  expect(token.read()).not.toStartWith(GOOD.slice(1));
  expect(readFileSync(path, 'utf8').trim()).toBe(token.read());
  expect(modeOf(path)).toBe(0o600);
  expect(warnings).toHaveLength(1);
  expect(warnings.join()).not.toContain(token.read());
});

test('a link in its place is replaced, and what it points to is not touched', () => {
  const elsewhere = join(folder, 'elsewhere');
  writeFileSync(elsewhere, GOOD, { mode: 0o600 });
  symlinkSync(elsewhere, path);
  expect(open().read()).not.toBe(GOOD);
  expect(readFileSync(elsewhere, 'utf8')).toBe(GOOD);
  expect(warnings).toHaveLength(1);
});

test('what a dying worker left behind does not stop the next one', () => {
  writeFileSync(`${path}.${process.pid}.part`, 'half', { mode: 0o644 });
  expect(open().read()).toMatch(/^[0-9a-f]{64}$/);
  expect(existsSync(`${path}.${process.pid}.part`)).toBe(false);
  expect(modeOf(path)).toBe(0o600);
});

test('only the very token is right', () => {
  const token = open();
  const right = token.read();
  expect(token.isRight(right)).toBe(true);
  const wrong = ['', right.slice(1), `${right}0`, right.toUpperCase().replace(/^[^A-F]*$/, ''), '0'.repeat(64), `${right}\n`];
  for (const said of wrong) expect(token.isRight(said)).toBe(false);
});

test('rotated, the old one is dead at once, and whoever used it is dropped', () => {
  const token = open();
  const old = token.read();
  const dropped: boolean[] = [];
  token.onRotate(() => dropped.push(token.isRight(old)));
  token.rotate();
  expect(dropped).toEqual([false]);
  expect(token.isRight(old)).toBe(false);
  expect(token.isRight(token.read())).toBe(true);
  expect(readFileSync(path, 'utf8').trim()).toBe(token.read());
  expect(modeOf(path)).toBe(0o600);
});

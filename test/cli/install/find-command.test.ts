import { afterEach, beforeEach, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeCommand } from '../../../src/cli/install/find-package.ts';

let folder: string;
let dist: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'cmem-command-')));
  dist = join(folder, 'checkout/dist');
  place('checkout/bin/claude-mem');
});
afterEach(() => rmSync(folder, { recursive: true }));

function place(name: string): string {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, '#!/bin/sh\n');
  chmodSync(path, 0o755);
  return path;
}

function linkInto(name: string): string {
  mkdirSync(join(folder, name), { recursive: true });
  symlinkSync(join(folder, 'checkout/bin/claude-mem'), join(folder, name, 'claude-mem'));
  return join(folder, name);
}

test('nothing is said when the shell finds this one', () => {
  expect(describeCommand({ dist }, `/nowhere:${linkInto('prefix/bin')}`)).toBeNull();
});

test('when it finds none, the line says how it comes there', () => {
  const line = describeCommand({ dist }, '/nowhere');
  expect(line).toContain('is not on your PATH');
  expect(line).toContain(`npm install --global ${folder}/checkout`);
});

test('what npx adds to the PATH while it runs does not count', () => {
  expect(describeCommand({ dist }, linkInto('checkout/node_modules/.bin'))).toContain('is not on your PATH');
});

test('the command of another product is named', () => {
  const other = place('theirs/claude-mem');
  expect(describeCommand({ dist }, `${join(folder, 'theirs')}:${linkInto('prefix/bin')}`)).toContain(other);
});

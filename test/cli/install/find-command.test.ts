import { afterEach, beforeEach, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeCommand } from '../../../src/cli/install/plugin-folder.ts';

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

test('says nothing when the shell finds this one, else what is there and how this one gets there', () => {
  const ours = linkInto('prefix/bin');
  expect(describeCommand({ dist }, `/nowhere:${ours}`)).toBeNull();
  expect(describeCommand({ dist }, '/nowhere')).toMatch(/is not on your PATH.*npm install --global \S*\/checkout/);
  // What npx adds to the PATH while it runs does not count.
  expect(describeCommand({ dist }, linkInto('checkout/node_modules/.bin'))).toContain('is not on your PATH');
  const other = place('theirs/claude-mem');
  expect(describeCommand({ dist }, `${join(folder, 'theirs')}:${ours}`)).toContain(other);
});

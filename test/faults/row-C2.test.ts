// C2: settings that others can read or write, that are a link, or another user's: the key in them is closed or not used, and that is said.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { chmodSync, chownSync, lstatSync, mkdirSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = createSandbox();
  mkdirSync(sandbox.paths.dataDir, { recursive: true, mode: 0o700 });
  const apiKey = { value: 'k'.repeat(40), host: 'example.com' };
  writeFileSync(sandbox.paths.config, JSON.stringify({ apiKey }), { mode: 0o600 });
});
afterEach(() => sandbox.dispose());

const modeOf = (path: string) => statSync(path).mode & 0o777;
const readProblems = async () => (await sandbox.status()).problems.join(' ');

test.each([0o600, 0o400])('mode %o is for its owner alone: nothing is said', async (mode) => {
  chmodSync(sandbox.paths.config, mode);
  await sandbox.startWorker();
  expect(modeOf(sandbox.paths.config)).toBe(mode);
  expect(await readProblems()).toBe('');
});

test.each([0o640, 0o604, 0o666])('mode %o is closed, and that is said', async (mode) => {
  chmodSync(sandbox.paths.config, mode);
  await sandbox.startWorker();
  expect(modeOf(sandbox.paths.config)).toBe(0o600);
  expect(await readProblems()).toContain('It is closed now');
});

test('doctor --fix closes the data dir, and says what the worker says of the key', async () => {
  await sandbox.startWorker();
  await sandbox.cli('stop');
  chmodSync(sandbox.paths.config, 0o644);
  await sandbox.startWorker();
  chmodSync(sandbox.paths.dataDir, 0o755);
  const { stdout, code } = await sandbox.cli('doctor', '--fix');
  expect(modeOf(sandbox.paths.dataDir)).toBe(0o700);
  expect(stdout).toContain('fixed\t\tclosed the data dir to other users');
  expect(stdout).toContain('problem\tsettings\t');
  expect(code).toBe(1);
});

test('without a key nothing needs to be closed', async () => {
  writeFileSync(sandbox.paths.config, '{"idleMinutes":30}');
  chmodSync(sandbox.paths.config, 0o644);
  await sandbox.startWorker();
  expect(modeOf(sandbox.paths.config)).toBe(0o644);
});

test('a link is not followed, and nothing is kept until it is gone', async () => {
  const elsewhere = join(sandbox.home, 'elsewhere.json');
  renameSync(sandbox.paths.config, elsewhere);
  symlinkSync(elsewhere, sandbox.paths.config);
  const { stderr, code } = await sandbox.cli('start');
  expect(code).toBe(1);
  expect(stderr).toContain('is a link');
  expect(lstatSync(sandbox.paths.config).isSymbolicLink()).toBe(true);
});

test.skipIf(process.getuid?.() !== 0)('a file of another user is not used', async () => {
  chownSync(sandbox.paths.config, 12_345, 12_345);
  const { stderr, code } = await sandbox.cli('start');
  expect(code).toBe(1);
  expect(stderr).toContain('belongs to');
});

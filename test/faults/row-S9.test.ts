// S9: no process of ours has a handle of the database that another one opened: children are spawned, never forked, and inherit no file.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

const SOURCE = join(import.meta.dir, '../../src');

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = createSandbox();
});
afterEach(() => sandbox.dispose());

test('nothing in the source forks', () => {
  const files = readdirSync(SOURCE, { recursive: true, withFileTypes: true }).filter(({ name }) => name.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(100);
  const forks = files.filter(({ parentPath, name }) =>
    /node:child_process|node:cluster|\bfork\(/.test(readFileSync(join(parentPath, name), 'utf8')),
  );
  expect(forks.map(({ name }) => name)).toEqual([]);
});

test.skipIf(process.platform !== 'linux')('a child of the worker has no handle of memory.db', async () => {
  await sandbox.cli('start');
  const pid = (await sandbox.workerPid()) ?? 0;
  await sandbox.person('remember', 'We cache tokens instead of scanning again.');
  // The embedder: the one that it starts by itself.
  const child = await until(() => childrenOf(pid).find(isEmbedder));
  const files = await until(() => listFiles(child));
  expect(files.filter((path) => path.includes('memory.db'))).toEqual([]);
  expect(listFiles(pid)?.some((path) => path.includes('memory.db'))).toBe(true);
});

const childrenOf = (pid: number) => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);

/** Before its program is loaded it is its parent in all but the number. */
const isEmbedder = (pid: number) =>
  Bun.spawnSync(['cat', `/proc/${pid}/cmdline`])
    .stdout.toString()
    .includes('embedder');

/** Null when it has ended. */
function listFiles(pid: number): string[] | null {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
  } catch {
    // A handle was closed between the two looks, or the process is gone: look again.
    return null;
  }
}

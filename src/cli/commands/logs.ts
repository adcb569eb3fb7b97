// `claude-mem logs`: the last lines of the worker's log, and those to come.
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { findPaths, type Paths } from '../../paths.ts';
import { findNewestLog } from '../newest-log.ts';

const POLL_MS = 300;

export async function showLogs(options: { lines: string; follow?: boolean }): Promise<void> {
  const count = Number(options.lines);
  if (!Number.isInteger(count) || count < 1) throw new Error(`--lines takes a number from 1, not "${options.lines}".`);
  const paths = findPaths();
  const file = findNewestLog(paths);
  if (!file && !options.follow) return console.log(`There is no log yet in ${paths.logs}.`);
  const text = file ? readFileSync(file, 'utf8') : '';
  if (text) console.log(text.trimEnd().split('\n').slice(-count).join('\n'));
  if (options.follow) await follow(paths, file);
}

async function follow(paths: Paths, file: string | null): Promise<never> {
  let current = file;
  let offset = file ? statSync(file).size : 0;
  for (;;) {
    const newest = findNewestLog(paths);
    if (newest !== current) {
      current = newest;
      offset = 0;
    }
    if (current) offset += await printFrom(current, offset);
    await Bun.sleep(POLL_MS);
  }
}

async function printFrom(path: string, offset: number): Promise<number> {
  const size = statSync(path).size - offset;
  if (size <= 0) return 0;
  const bytes = Buffer.alloc(size);
  const file = openSync(path, 'r');
  try {
    readSync(file, bytes, 0, size, offset);
  } finally {
    closeSync(file);
  }
  await Bun.write(Bun.stdout, bytes);
  return size;
}

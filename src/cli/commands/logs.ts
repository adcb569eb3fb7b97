// `claude-mem logs`: the last lines of the worker's log, and those to come.
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { findPaths } from '../../paths.ts';

const POLL_MS = 300;

export async function showLogs(options: { lines: string; follow?: boolean }): Promise<void> {
  const count = Number(options.lines);
  if (!Number.isInteger(count) || count < 0) throw new Error(`--lines takes a number, not "${options.lines}".`);
  const { logs } = findPaths();
  const file = newestLog(logs);
  if (!file && !options.follow) return console.log(`There is no log yet in ${logs}.`);
  const text = file ? readFileSync(file, 'utf8') : '';
  const last = text.trimEnd().split('\n').slice(-count).join('\n');
  if (last && count > 0) console.log(last);
  if (options.follow) await follow(logs, file, text.length);
}

function newestLog(folder: string): string | null {
  const name = existsSync(folder)
    ? readdirSync(folder)
        .filter((file) => file.endsWith('.log'))
        .sort()
        .at(-1)
    : undefined;
  return name ? `${folder}/${name}` : null;
}

async function follow(folder: string, file: string | null, from: number): Promise<never> {
  let current = file;
  let offset = file ? statSync(file).size : from;
  for (;;) {
    const newest = newestLog(folder);
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

// `claude-mem logs`: the last lines of the worker's log, and those to come.
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { findPaths, type Paths } from '../../paths.ts';
import { command } from '../command.ts';
import { findNewestLog } from '../worker-state.ts';

const POLL_MS = 300;

export const logsCommand = command({
  name: 'logs',
  about: "the worker's log",
  options: { '-n, --lines <count>': 'how many lines (50)', '-f, --follow': 'go on as lines are written' },
  who: 'anyone',
  async run({ lines = '50', follow: isFollowed }) {
    const count = Number(lines);
    if (!Number.isInteger(count) || count < 1) throw new Error(`--lines takes a number from 1, not "${lines}".`);
    const paths = findPaths();
    const file = findNewestLog(paths);
    if (!file && !isFollowed) return console.log(`There is no log yet in ${paths.logs}.`);
    const text = file ? readFileSync(file, 'utf8') : '';
    if (text) console.log(text.trimEnd().split('\n').slice(-count).join('\n'));
    if (isFollowed) await follow(paths, file);
  },
});

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

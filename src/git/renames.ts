// The names a file had before, asked of git itself.
import { askGit, PLAIN_LOG } from './ask-git.ts';

export type RenamesQuery = {
  /** The work tree. */
  root: string;
  /** Relative to it. */
  path: string;
  deadlineMs?: number;
};

/** It is asked on demand, by somebody who waits; a long history is read as far as that allows. */
const DEADLINE_MS = 1000;
const MAX_BYTES = 64 * 1024;

/** The latest first. Empty when git knows none, is not there, or there is no repository. */
export async function findEarlierNames({ root, path, deadlineMs = DEADLINE_MS }: RenamesQuery): Promise<string[]> {
  if (path === '') return [];
  const args = [...ASK_RENAMES, ...PLAIN_LOG, '--', path];
  const { text } = await askGit({ root, args, deadlineMs, maxBytes: MAX_BYTES });
  return readRenames(text, path);
}

const ASK_RENAMES = ['log', '--follow', '--diff-filter=R', '--name-status', '-z', '--format=', '-M'];

/** `R100 NUL before NUL after NUL`, the latest first; the last one may be cut off. */
function readRenames(output: string, path: string): string[] {
  const parts = output.split('\0').slice(0, -1);
  const names = [path];
  for (let at = 0; at + 2 < parts.length; ) {
    const [mark = '', before = '', after] = parts.slice(at, at + 3);
    const isRename = /^\n?R\d{0,3}$/.test(mark);
    // Git also follows a copy to what it was copied from, which is another file.
    if (isRename && after === names.at(-1)) names.push(before);
    at += isRename ? 3 : 1;
  }
  return [...new Set(names)].filter((name) => name !== path);
}

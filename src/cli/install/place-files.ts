// Puts files where others run them: each appears whole, by a rename, and only if it differs from what is there.
import {
  constants,
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** Makes `to` hold the files of `from` and no others. True when that changed anything. */
export function placeFolder(from: string, to: string): boolean {
  makeFolder(to);
  const names = readdirSync(from);
  let changed = removeOthers(to, names);
  for (const name of names) {
    const [source, target] = [join(from, name), join(to, name)];
    const place = statSync(source).isDirectory() ? placeFolder : placeFile;
    changed = place(source, target) || changed;
  }
  return changed;
}

/**
 * A hard link costs no space and outlives the package it comes from; what npm installs later is another file. Across
 * file systems, or where the package belongs to another user, a copy.
 */
export function placeFile(from: string, to: string): boolean {
  if (isSameFile(from, to)) return false;
  replaceFile(to, (temporary) => {
    try {
      linkSync(from, temporary);
    } catch {
      // No link is possible here: a copy, which some file systems make without copying.
      copyFileSync(from, temporary, constants.COPYFILE_FICLONE);
    }
  });
  return true;
}

export function placeText(text: string, to: string, mode = 0o600): boolean {
  if (statSync(to, { throwIfNoEntry: false })?.isFile() && readFileSync(to, 'utf8') === text) return false;
  replaceFile(to, (temporary) => writeFileSync(temporary, text, { mode }));
  return true;
}

export function removeOthers(folder: string, names: string[]): boolean {
  const others = readdirSync(folder).filter((name) => !names.includes(name));
  for (const name of others) rmSync(join(folder, name), { recursive: true });
  return others.length > 0;
}

const makeFolder = (path: string) => mkdirSync(path, { recursive: true, mode: 0o700 });

function replaceFile(target: string, write: (temporary: string) => void): void {
  makeFolder(dirname(target));
  const temporary = `${target}.tmp-${process.pid}`;
  rmSync(temporary, { force: true });
  write(temporary);
  renameSync(temporary, target);
}

function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path): Stats | undefined => statSync(path, { throwIfNoEntry: false }));
  if (a === undefined || b === undefined || a.size !== b.size) return false;
  if (a.dev === b.dev && a.ino === b.ino) return true;
  // Times tell nothing: npm gives every file the same. Mapped, because the runtime has 100 MB.
  return a.size === 0 || Buffer.compare(Bun.mmap(one), Bun.mmap(other)) === 0;
}

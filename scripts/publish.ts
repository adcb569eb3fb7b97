// Puts built files where running processes look for them: each appears whole, by a rename.
import { copyFileSync, linkSync, mkdirSync, readdirSync, renameSync, rmSync, type Stats, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Copies every file of `from` into `to` and removes files of an earlier build that no longer exist. */
export function publishFiles(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  const names = readdirSync(from);
  for (const name of names) publishFile(join(from, name), join(to, name));
  for (const entry of readdirSync(to, { withFileTypes: true })) {
    if (entry.isFile() && !isTemporary(entry.name) && !names.includes(entry.name)) rmSync(join(to, entry.name));
  }
}

export function publishFile(from: string, to: string): void {
  replaceFile(to, (temporary) => copyFileSync(from, temporary));
}

/** Makes `folder` hold the Bun at `bun`: a hard link costs no space and survives `npm install`; else a symlink, else a copy. */
export function linkRuntime(bun: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  const target = join(folder, process.platform === 'win32' ? 'bun.exe' : 'bun');
  if (isSameFile(bun, target)) return;
  replaceFile(target, (temporary) => {
    for (const attempt of [linkSync, symlinkSync]) {
      try {
        return attempt(bun, temporary);
      } catch {
        // Another file system, or one without links: the next way needs less.
      }
    }
    copyFileSync(bun, temporary);
  });
}

function replaceFile(target: string, write: (temporary: string) => void): void {
  const temporary = `${target}.tmp-${process.pid}`;
  rmSync(temporary, { force: true });
  write(temporary);
  renameSync(temporary, target);
}

function isTemporary(name: string): boolean {
  return /\.tmp-\d+$/.test(name);
}

function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path): Stats | undefined => statSync(path, { throwIfNoEntry: false }));
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino;
}

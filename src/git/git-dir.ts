// Where git keeps what it knows of a folder, found without asking it.
import { readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';

export type GitDir = { path: string; workTree: string };

export function findGitDir(start: string): GitDir | null {
  for (let folder = start; ; folder = dirname(folder)) {
    const path = `${folder}/.git`;
    const stat = look(path);
    if (stat?.isDirectory() && look(`${path}/HEAD`)) return { path, workTree: folder };
    if (stat?.isFile()) {
      const link = /^gitdir: (.+)$/m.exec(readText(path) ?? '')?.[1];
      if (link) return { path: resolve(folder, link.trim()), workTree: folder };
    }
    if (dirname(folder) === folder) return null;
  }
}

/** A worktree names the repository it belongs to; so all of them are one project. A submodule is its own. */
export function readCommonDir(gitDir: string): string {
  const common = readText(`${gitDir}/commondir`)?.trim();
  return canonical(common ? resolve(gitDir, common) : gitDir);
}

/** Without links, as far as it is there. */
export function canonical(path: string): string {
  // The system would take it for the folder of this very process.
  if (path === '') return '/';
  try {
    return realpathSync(path);
  } catch {
    // A folder that is gone, or was on another machine: its name is all there is.
    return isAbsolute(path) ? resolve(path) : path;
  }
}

/** Nothing there, not allowed to look, or no possible name: all the same here. */
export function look(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

export function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Not there or not readable: the folder counts as having none.
    return null;
  }
}

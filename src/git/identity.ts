// Which project a folder belongs to, read from git's own files: no process, no configured program, well under a millisecond.
import { readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, resolve } from 'node:path';
import { normaliseRemote, type ProjectIdentity } from '../core/project.ts';

export function identifyProject(cwd: string): ProjectIdentity {
  const start = canonical(cwd);
  const gitDir = findGitDir(start);
  if (!gitDir) return { key: start, name: basename(start) || start, root: start, remote: null };
  const commonDir = readCommonDir(gitDir.path);
  const root = basename(commonDir) === '.git' ? dirname(commonDir) : commonDir;
  const remote = readRemote(commonDir);
  return { key: remote ?? root, name: basename(root).replace(/\.git$/, '') || root, root: gitDir.workTree, remote };
}

export function readBranch(cwd: string): string | null {
  const gitDir = findGitDir(canonical(cwd));
  const head = gitDir ? readText(`${gitDir.path}/HEAD`) : null;
  return head?.startsWith('ref: refs/heads/') ? head.slice('ref: refs/heads/'.length).trim() : null;
}

/** Without links, as far as it is there. */
export function canonical(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // A folder that is gone, or was on another machine: its name is all there is.
    return isAbsolute(path) ? resolve(path) : path || '/';
  }
}

function findGitDir(start: string): { path: string; workTree: string } | null {
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
function readCommonDir(gitDir: string): string {
  const common = readText(`${gitDir}/commondir`)?.trim();
  return canonical(common ? resolve(gitDir, common) : gitDir);
}

function readRemote(commonDir: string): string | null {
  const config = readText(`${commonDir}/config`) ?? '';
  const urls = new Map<string, string>();
  let remote: string | null = null;
  for (const line of config.split('\n')) {
    const section = /^\s*\[([^\]]*)\]/.exec(line);
    if (section) remote = /^remote "([^"]*)"$/.exec(section[1]?.trim() ?? '')?.[1] ?? null;
    const url = /^\s*url\s*=\s*(\S+)/.exec(line)?.[1];
    if (remote !== null && url && !urls.has(remote)) urls.set(remote, url);
  }
  const chosen = urls.get('origin') ?? urls.values().next().value;
  return chosen ? normaliseRemote(chosen) : null;
}

/** Nothing there, not allowed to look, or no possible name: all the same here. */
function look(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Not there or not readable: the folder counts as having none.
    return null;
  }
}

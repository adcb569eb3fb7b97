// Which project a folder belongs to, read from git's own files: no process, no configured program, well under a millisecond.
import { basename, dirname } from 'node:path';
import { normaliseRemote, type ProjectIdentity } from '../core/project.ts';
import { canonical, findGitDir, readCommonDir, readText } from './git-dir.ts';
import { readHead } from './head.ts';

export function identifyProject(cwd: string): ProjectIdentity {
  const start = canonical(cwd);
  const gitDir = findGitDir(start);
  if (!gitDir) return { key: start, name: basename(start) || start, root: start, remote: null, isPlain: true };
  const commonDir = readCommonDir(gitDir.path);
  const root = basename(commonDir) === '.git' ? dirname(commonDir) : commonDir;
  const remote = readRemote(commonDir);
  const main = root === gitDir.workTree ? {} : { mainRoot: root };
  const name = basename(root).replace(/\.git$/, '') || root;
  return { key: remote ?? root, name, root: gitDir.workTree, ...main, remote };
}

export const readBranch = (cwd: string): string | null => readHead(cwd).branch;

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

// Which project a folder says it belongs to, read from git's own files: no process, no configured program, well under a millisecond.
import { basename, dirname } from 'node:path';
import { normaliseRemote, type ProjectIdentity } from '../core/project.ts';
import { type GitConfig, parseGitConfig } from './git-config.ts';
import { canonical, look, lookUp, readText } from './git-dir.ts';
import { readHead } from './head.ts';

export function identifyProject(cwd: string): ProjectIdentity {
  const { git, root } = lookUp(canonical(cwd));
  if (!git) return { key: root, name: basename(root) || root, root, remote: null, isPlain: true };
  const { commonDir } = git;
  const mainRoot = basename(commonDir) === '.git' ? dirname(commonDir) : commonDir;
  const main = mainRoot === root ? {} : { mainRoot };
  const name = basename(mainRoot).replace(/\.git$/, '') || mainRoot;
  const remote = readRemote(parseGitConfig(readText(`${commonDir}/config`) ?? ''));
  const bornAt = Math.trunc(look(commonDir)?.birthtimeMs ?? 0);
  return { key: remote ?? mainRoot, name, root, ...main, remote, bornAt };
}

export const readBranch = (cwd: string): string | null => readHead(cwd).branch;

/** That of `origin`, else of the first: where git would fetch from. */
function readRemote(config: GitConfig | null): string | null {
  if (!config) return null;
  const named = [...config].filter(([key]) => key.startsWith('remote.') && key.endsWith('.url'));
  const [, urls] = named.find(([key]) => key === 'remote.origin.url') ?? named[0] ?? [];
  const url = urls?.find((one) => one !== '');
  return url === undefined ? null : normaliseRemote(rewrite(url, config));
}

/** `url.<base>.insteadOf`: of several that fit, the longest. */
function rewrite(url: string, config: GitConfig): string {
  let [best, base] = ['', ''];
  for (const [key, prefixes] of config) {
    if (!key.startsWith('url.') || !key.endsWith('.insteadof')) continue;
    for (const prefix of prefixes)
      if (url.startsWith(prefix) && prefix.length > best.length) [best, base] = [prefix, key.slice('url.'.length, -'.insteadof'.length)];
  }
  return `${base}${url.slice(best.length)}`;
}

// Which project a folder says it belongs to, read from git's own files: no process, no configured program, well under a millisecond.
import { basename, dirname } from 'node:path';
import { normaliseRemote, type ProjectIdentity } from '../core/project.ts';
import { canonical, findGitDir, type GitConfig, look, lookUp, parseGitConfig, readText } from './git-dir.ts';

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

// The commit and the branch that a work tree stands on, read from git's own files.

type Head = {
  /** Null: no repository, no commit yet, or kept in a way that only git reads. */
  commit: string | null;
  /** Null: none, or none that is known. */
  branch: string | null;
};

const NONE: Head = { commit: null, branch: null };

export function readHead(cwd: string): Head {
  const gitDir = findGitDir(canonical(cwd));
  const head = gitDir ? readText(`${gitDir.path}/HEAD`)?.trim() : undefined;
  if (!gitDir || head === undefined) return NONE;
  if (isHash(head)) return { commit: head, branch: null };
  const branch = branchOf(head);
  if (branch === null) return NONE;
  return { branch, commit: readRef(gitDir.commonDir, `refs/heads/${branch}`) };
}

/** A name with `..` in it is none that git gives, and would lead out of its folder. */
const isBranchName = (name: string) => name !== '' && !name.includes('..') && !name.includes('\0');

/** In a repository that keeps its refs in a table, HEAD is a file for older gits and names no real branch. */
const TABLE_STAND_IN = '.invalid';

function branchOf(head: string): string | null {
  const branch = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? null;
  return branch === null || branch === TABLE_STAND_IN || !isBranchName(branch) ? null : branch;
}

/** A repository with very many names has some megabytes of them. */
const MOST_REFS = 32 * 1024 * 1024;

function readRef(commonDir: string, ref: string): string | null {
  const loose = readText(`${commonDir}/${ref}`)?.trim();
  if (loose !== undefined) return isHash(loose) ? loose : null;
  const packed = readText(`${commonDir}/packed-refs`, MOST_REFS) ?? '';
  const end = packed.indexOf(` ${ref}\n`);
  const line = end < 0 ? '' : packed.slice(packed.lastIndexOf('\n', end) + 1, end);
  return isHash(line) ? line : null;
}

export const isHash = (text: string) => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);

/** A repository names all of its objects by one kind of hash; its commits tell which. */
export type HashKind = 'sha1' | 'sha256';
export const hashKindOf = (commit: string | null): HashKind => (commit?.length === 64 ? 'sha256' : 'sha1');

// The commit and the branch that a work tree stands on, read from git's own files.
import { canonical, findGitDir, readText } from './git-dir.ts';

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

// Which files of a work tree belong to a repository inside of it.
import { dirname } from 'node:path';
import { canonical, findGitDir, readText } from './git-dir.ts';

/** A submodule, there or taken away, or any other work tree in this one: what happened there, this repository's git does not know. */
export function isInInnerTree(root: string, path: string): boolean {
  const tree = findGitDir(canonical(dirname(`${root}/${path}`)))?.workTree;
  if (tree?.startsWith(`${canonical(root)}/`)) return true;
  const named = (readText(`${root}/.gitmodules`) ?? '').matchAll(/^\s*path\s*=\s*(.+?)\s*$/gm);
  return Array.from(named, ([, name]) => name).some((name) => path.startsWith(`${name}/`));
}

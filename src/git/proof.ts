// Whether a repository holds the work of a project: a commit that is known of it, byte for byte in its own files, leads to where it stands.
import { lstatSync, readdirSync } from 'node:fs';
import { askGit } from './ask-git.ts';
import { canonical, findGitDir, look } from './git-dir.ts';
import { hashKindOf } from './head.ts';

/** Git may have to walk the whole history. */
const DEADLINE_MS = 5000;

/**
 * True when one of these commits is an ancestor of HEAD, or HEAD itself. Whatever is not certain proves nothing: a shallow clone, a
 * history that is not all there, objects that lie elsewhere. Who has the bytes of one of these commits can always do it.
 */
export async function provesWork(root: string, commits: readonly string[]): Promise<boolean> {
  if (commits.length === 0 || !holdsItsObjects(root)) return false;
  const endAt = performance.now() + DEADLINE_MS;
  const ask = async (...args: string[]) => {
    const { text, isWhole } = await askGit({ root, args, deadlineMs: endAt - performance.now() });
    return isWhole ? text : null;
  };
  const head = (await ask('rev-parse', '--verify', '--quiet', 'HEAD^{commit}'))?.trim();
  if (!head || !(await isGenuine(root, head))) return false;
  for (const commit of commits) {
    if (commit === head) return true;
    if (!(await isGenuine(root, commit))) continue;
    if ((await ask('merge-base', '--is-ancestor', commit, head)) !== null) return true;
  }
  return false;
}

/** The bytes that lie there under its name are the commit: git looks for a name and does not count again. */
export async function isGenuine(root: string, commit: string): Promise<boolean> {
  if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit) || !holdsItsObjects(root, commit)) return false;
  const hasher = new Bun.CryptoHasher(hashKindOf(commit));
  const args = ['cat-file', 'commit', commit];
  const { text, isWhole } = await askGit({ root, args, deadlineMs: DEADLINE_MS, isBytes: true });
  hasher.update(`commit ${text.length}\0`).update(Buffer.from(text, 'latin1'));
  return isWhole && hasher.digest('hex') === commit;
}

/** All of its own, whole, and not by a link or a reference in the files of another repository. */
export function holdsItsObjects(root: string, commit?: string): boolean {
  const git = findGitDir(canonical(root));
  if (!git || git.workTree !== canonical(root)) return false;
  const objects = `${git.commonDir}/objects`;
  const references = ['shallow', 'objects/info/alternates', 'objects/info/http-alternates', 'info/grafts'];
  if (references.some((name) => look(`${git.commonDir}/${name}`))) return false;
  const loose = commit === undefined ? [] : [`${objects}/${commit.slice(0, 2)}/${commit.slice(2)}`];
  return ![objects, ...listIn(objects), ...listIn(`${objects}/pack`), ...loose].some(isLink);
}

const listIn = (folder: string) =>
  look(folder)?.isDirectory() ? readdirSync(folder).map((name) => `${folder}/${name}`) : [];

const isLink = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

// Which commits a repository holds, byte for byte in its own files: by them it is known again that has moved or is another clone.
import { lstatSync, opendirSync } from 'node:fs';
import { askGit } from './ask-git.ts';
import { canonical, findGitDir, look } from './git-dir.ts';
import { hashKindOf, isHash, readHead } from './identity.ts';

/** Git may have to walk the whole history. */
const DEADLINE_MS = 5000;

/** Null: git failed, or did not say all. */
async function ask(root: string, ...args: string[]): Promise<string | null> {
  const { text, isWhole } = await askGit({ root, args, deadlineMs: DEADLINE_MS });
  return isWhole ? text : null;
}

/**
 * True when one of these commits is an ancestor of HEAD, or HEAD itself. Whatever is not certain proves nothing: a shallow clone, a
 * history that is not all there, objects that lie elsewhere. Who has the bytes of one of these commits can always do it.
 */
export async function provesWork(root: string, commits: readonly string[]): Promise<boolean> {
  if (commits.length === 0 || !holdsItsObjects(root)) return false;
  const head = readHead(root).commit ?? (await ask(root, 'rev-parse', '--verify', '--quiet', 'HEAD^{commit}'))?.trim();
  if (!head || !(await isGenuine(root, head))) return false;
  for (const commit of commits) {
    if (commit === head) return true;
    if (!(await isGenuine(root, commit))) continue;
    if ((await ask(root, 'merge-base', '--is-ancestor', commit, head)) !== null) return true;
  }
  return false;
}

/** The first commit of a history. Null: none yet, no repository, too long a history, or only a part of it is here, in its own files. */
export async function readFirstCommit(root: string): Promise<string | null> {
  if (readHead(root).commit === null || !holdsItsObjects(root)) return null;
  const oldest = (await ask(root, 'rev-list', '--max-parents=0', 'HEAD'))?.trim().split('\n').at(-1) ?? '';
  return (await isGenuine(root, oldest)) ? oldest : null;
}

/** Those of these commits that are there, with their times: epoch ms, in whole seconds. */
export async function readCommitTimes(root: string, commits: string[]): Promise<Map<string, number>> {
  const asked = commits.filter(isHash);
  const said =
    asked.length > 0 ? await ask(root, 'rev-list', '--no-walk=unsorted', '--ignore-missing', '--timestamp', ...asked, '--') : null;
  return new Map(
    (said ?? '').split('\n').flatMap((line): [string, number][] => {
      const [seconds, hash] = line.split(' ');
      return hash ? [[hash, Number(seconds) * 1000]] : [];
    }),
  );
}

/** The bytes that lie there under its name are the commit: git looks for a name and does not count again. */
async function isGenuine(root: string, commit: string): Promise<boolean> {
  if (!isHash(commit) || !holdsItsObjects(root, commit)) return false;
  const { text, isWhole } = await askGit({ root, args: ['cat-file', 'commit', commit], deadlineMs: DEADLINE_MS, isBytes: true });
  const hasher = new Bun.CryptoHasher(hashKindOf(commit)).update(`commit ${text.length}\0`).update(Buffer.from(text, 'latin1'));
  return isWhole && hasher.digest('hex') === commit;
}

/** All of its own, whole, and not by a link or a reference in the files of another repository. */
function holdsItsObjects(root: string, commit?: string): boolean {
  const git = findGitDir(canonical(root));
  if (!git || git.workTree !== canonical(root)) return false;
  const objects = `${git.commonDir}/objects`;
  const references = ['shallow', 'objects/info/alternates', 'objects/info/http-alternates', 'info/grafts'];
  if (references.some((name) => look(`${git.commonDir}/${name}`))) return false;
  const loose = commit === undefined ? [] : [`${objects}/${commit.slice(0, 2)}/${commit.slice(2)}`];
  return ![objects, ...loose].some(isLink) && [objects, `${objects}/pack`].every(holdsNoLink);
}

/** More than git makes before it packs them; hooks wait while they are looked at. */
const MOST_FILES = 20_000;

function holdsNoLink(path: string): boolean {
  if (!look(path)?.isDirectory()) return true;
  const folder = opendirSync(path, { bufferSize: 1000 });
  try {
    for (let count = 0; count < MOST_FILES; count++) {
      const entry = folder.readSync();
      if (entry === null) return true;
      if (entry.isSymbolicLink()) return false;
    }
    return false;
  } finally {
    folder.closeSync();
  }
}

const isLink = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

const MOST_ASKED = 2000;

/**
 * Of these commits those that a rewritten history left behind: they do not lead to where the work tree stands, or are not there any
 * more. Empty when git could not tell: then nothing is taken for left behind.
 */
export async function listLeftBehind(root: string, commits: string[], head: string): Promise<Set<string>> {
  const asked = commits.slice(0, MOST_ASKED);
  if (asked.length === 0) return new Set();
  const list = async (...which: string[]) => {
    const said = await ask(root, 'rev-list', '--ignore-missing', ...which, '--');
    return said === null ? null : new Set(said.split('\n'));
  };
  const there = await list('--no-walk', ...asked);
  const astray = there && (await list(...asked, `^${head}`));
  return new Set(astray ? asked.filter((commit) => !there.has(commit) || astray.has(commit)) : []);
}

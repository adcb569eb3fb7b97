// The files that are being worked on: changed in the work tree, and changed by the last commits.
import { askGit, PLAIN_LOG } from './ask-git.ts';
import { canonical, findGitDir, look, readText } from './git-dir.ts';

/** Relative to the root. */
type Touched = { dirty: string[]; recent: string[] };

const DEADLINE_MS = 100;
const MOST_PATHS = 100;
const COMMITS = 5;

/** Nothing where git is not there. What is not known within a tenth of a second is left out. */
export async function readTouched(root: string): Promise<Touched> {
  if (!findGitDir(canonical(root))) return { dirty: [], recent: [] };
  const endAt = performance.now() + DEADLINE_MS;
  const [dirty, recent] = await Promise.all([readDirty(root, endAt), readRecent(root, endAt)]);
  return { dirty: dirty.slice(0, MOST_PATHS), recent: recent.slice(0, MOST_PATHS) };
}

async function readDirty(root: string, endAt: number): Promise<string[]> {
  const unfiltered = await nameFilters(root, endAt);
  if (unfiltered === null) return [];
  const args = [...unfiltered, ...ASK_STATUS];
  const { text } = await askGit({ root, args, deadlineMs: endAt - performance.now() });
  return readStatus(text);
}

const ASK_STATUS = ['status', '--porcelain=v1', '-z', '--untracked-files=normal', '--ignore-submodules=all', '--no-ahead-behind'];

/**
 * To compare a file with the index, git runs the filter that the repository names for it: so each of them is switched off.
 * Null when that cannot be done for sure.
 */
async function nameFilters(root: string, endAt: number): Promise<string[] | null> {
  if (hasNoFilters(root)) return [];
  const args = ['config', '--list', '--name-only', '-z'];
  const { text, isWhole } = await askGit({ root, args, deadlineMs: endAt - performance.now() });
  if (!isWhole) return null;
  const names = text.split('\0').flatMap((key) => /^filter\.(.*)\.[^.]*$/s.exec(key)?.[1] ?? []);
  // With other characters a name could end before its end, and the filter would stay.
  if (names.some((name) => !/^[\w. -]+$/.test(name))) return null;
  return [...new Set(names)].flatMap((name) =>
    ['clean=', 'smudge=', 'process=', 'required=false'].flatMap((setting) => ['-c', `filter.${name}.${setting}`]),
  );
}

/** Most repositories: then git need not be asked. The settings of the machine and of the user do not count here (ask-git.ts). */
function hasNoFilters(root: string): boolean {
  const gitDir = findGitDir(canonical(root));
  if (!gitDir) return false;
  const { path, commonDir } = gitDir;
  const files = [`${commonDir}/config`, `${commonDir}/config.worktree`, `${path}/config.worktree`];
  // One that is there and that we do not read may name any.
  return files.every((file) => !/filter|include/i.test(readText(file) ?? (look(file) ? 'filter' : '')));
}

/** `XY path NUL`; after a rename or a copy the old name follows. */
function readStatus(text: string): string[] {
  const parts = text.split('\0').slice(0, -1);
  const paths: string[] = [];
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] ?? '';
    paths.push(part.slice(3));
    if (/^(?:[RC]|.[RC])/.test(part)) at++;
  }
  return paths;
}

async function readRecent(root: string, endAt: number): Promise<string[]> {
  const args = ['log', '-n', String(COMMITS), '--no-merges', '--name-only', '-z', '--format=', '--no-renames', ...PLAIN_LOG];
  const { text } = await askGit({ root, args: [...args, 'HEAD', '--'], deadlineMs: endAt - performance.now() });
  return [...new Set(text.split('\0').map((path) => path.trim()))].filter(Boolean);
}

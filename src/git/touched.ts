// The files that are being worked on: changed in the work tree, and changed by the last commits.
import { dirname } from 'node:path';
import { askGit, PLAIN_LOG } from './ask-git.ts';
import { canonical, findGitDir, look, lookAtLink, readText } from './git-dir.ts';
import { createAnswers, stampOf } from './renames.ts';

/** Relative to the root. */
type Touched = { dirty: string[]; recent: string[] };

const TOUCHED_MS = 100;
/** For each question while nobody waits. */
const AHEAD_MS = 1000;
const MOST_PATHS = 100;
const COMMITS = 5;

export type TouchedFiles = ReturnType<typeof createTouchedFiles>;

/** Keeps what git said for as long as every file that it looks at is as it was. */
export function createTouchedFiles() {
  const tracked = new Map<string, Tracked>();
  const dirtyOf = createAnswers<Dirty>((root) => stampTree(root, tracked.get(root)));
  const logOf = createAnswers<{ text: string; isWhole: boolean }>();

  /**
   * Nothing where git is not there. What is not known within a tenth of a second is left out. `isAhead`: nobody waits, and git is
   * asked for all by which the next call can tell that it need not be asked.
   */
  async function read(root: string, { isAhead = false } = {}): Promise<Touched> {
    if (!findGitDir(canonical(root))) return { dirty: [], recent: [] };
    if (isAhead) await listTracked(tracked, root);
    const endAt = performance.now() + (isAhead ? AHEAD_MS : TOUCHED_MS);
    const [dirty, log] = await Promise.all([
      dirtyOf(root, '', () => askDirty(root, endAt)),
      logOf(root, '', () => askGit({ root, args: ASK_RECENT, deadlineMs: endAt - performance.now() })),
    ]);
    return { dirty: dirty.paths, recent: readRecent(log.text).slice(0, MOST_PATHS) };
  }

  return {
    read,
    /** For whoever has asked and does not wait: only while the next call could not tell. */
    async learn(root: string): Promise<void> {
      if (tracked.get(root)?.stamp !== stampOf(root)) await read(root, { isAhead: true });
    },
  };
}

type Dirty = { paths: string[]; isWhole: boolean };

/** More work trees than anybody works in at once. */
const MOST_TREES = 8;

async function askDirty(root: string, endAt: number): Promise<Dirty> {
  const unfiltered = await nameFilters(root, endAt);
  if (unfiltered === null) return { paths: [], isWhole: false };
  const { text, isWhole } = await askGit({ root, args: [...unfiltered, ...ASK_STATUS], deadlineMs: endAt - performance.now() });
  return { paths: readStatus(text).slice(0, MOST_PATHS), isWhole };
}

type Tracked = {
  stamp: string;
  /** By their folder; a folder comes after the one that it lies in. */
  files: Map<string, string[]>;
};
/** To look at more takes as long as git does. */
const MOST_TRACKED = 1500;

/** Kept for as long as the index is the same. */
async function listTracked(known: Map<string, Tracked>, root: string): Promise<void> {
  const stamp = stampOf(root);
  if (stamp === null || known.get(root)?.stamp === stamp) return;
  known.delete(root);
  const { text, isWhole } = await askGit({ root, args: ['ls-files', '-z'], deadlineMs: AHEAD_MS, maxBytes: MOST_TRACKED * 200 });
  // An index that somebody made by hand may name what lies outside.
  const files = text.split('\0').filter((file) => file !== '' && !file.split('/').includes('..'));
  if (!isWhole || files.length > MOST_TRACKED) return;
  if (known.size >= MOST_TREES) known.clear();
  known.set(root, { stamp, files: byFolder(files) });
}

function byFolder(files: string[]): Tracked['files'] {
  const folders = new Map<string, string[]>([['.', []]]);
  for (const file of files) {
    for (let at = dirname(file); !folders.has(at); at = dirname(at)) folders.set(at, []);
    folders.get(dirname(file))?.push(file);
  }
  return new Map([...folders].sort(([one], [other]) => one.length - other.length));
}

/** Two changes so close to each other can have the same time on them. */
const SETTLED_MS = 50;
/** By these git judges, too. */
const JUDGED_BY = ['info/exclude', 'config', 'config.worktree'];

/**
 * Of all that git would look at: tracked files, their folders, in which others come and go, and what names the ignored ones. Null when
 * that is too much, not known, or was changed just now. Reads no file.
 */
function stampTree(root: string, tracked: Tracked | undefined): string | null {
  const gitDir = findGitDir(canonical(root));
  if (!tracked || !gitDir || tracked.stamp !== stampOf(root)) return null;
  let newest = 0;
  const stamps = [tracked.stamp];
  const add = (path: string) => {
    const stat = lookAtLink(path);
    newest = Math.max(newest, stat?.ctimeMs ?? 0);
    stamps.push(stat ? `${stat.mtimeMs} ${stat.ctimeMs} ${stat.size} ${stat.ino}` : '-');
    return stat?.isDirectory() === true;
  };
  // As git does it: not through a folder that has become a link, wherever that leads.
  const real = new Set<string>();
  for (const [folder, files] of tracked.files) {
    const isReal = (folder === '.' || real.has(dirname(folder))) && add(`${root}/${folder}`);
    if (!isReal) continue;
    real.add(folder);
    for (const path of [...files, `${folder}/.gitignore`]) add(`${root}/${path}`);
  }
  for (const name of JUDGED_BY) add(`${gitDir.commonDir}/${name}`);
  return Date.now() - newest > SETTLED_MS ? Bun.hash(stamps.join('\n')).toString(36) : null;
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

const ASK_RECENT = [
  ...['log', '-n', String(COMMITS), '--no-merges', '--name-only', '-z', '--format=', '--no-renames'],
  ...[...PLAIN_LOG, 'HEAD', '--'],
];

const readRecent = (log: string): string[] => [...new Set(log.split('\0').map((path) => path.trim()))].filter(Boolean);

// Files under other names, and branches that are not part of this one, asked of git itself.
import { dirname } from 'node:path';
import { askGit, PLAIN_LOG } from './ask-git.ts';
import { canonical, findGitDir, look, readText } from './git-dir.ts';
import { readHead } from './identity.ts';

type Asking = {
  root: string;
  /** Ends all questions of one check together. */
  msLeft: () => number;
};

type Lost = {
  /** By the name that was asked for, the one it has now. */
  movedTo: Map<string, string>;
  /** Taken away by a commit. */
  removed: Set<string>;
  /** Git said all that it had to say. */
  isWhole: boolean;
};

/** Renamed more often than that since, a file counts as gone. */
const MOST_RENAMES = 3;
/** Work may be committed some time before it is remembered. */
const EARLIER_MS = 24 * 60 * 60 * 1000;

/** Where the files went that are not there under these names. `since`, epoch ms: what happened before is not asked for. */
export async function findLost(
  asking: Asking & { known: KnownRemovals },
  { paths, since }: { paths: string[]; since: number },
): Promise<Lost> {
  const lost: Lost = { movedTo: new Map(), removed: new Set(), isWhole: true };
  if (paths.length === 0 || !findGitDir(canonical(asking.root))) return lost;
  let open = new Map(paths.map((path) => [path, path]));
  for (let round = 0; round < MOST_RENAMES && open.size > 0; round++) {
    const { removals, moves, isWhole } = await readRemovals(asking, [...open.values()], since);
    lost.isWhole &&= isWhole;
    const next = new Map<string, string>();
    for (const [path, name] of open) {
      const to = moves.get(name);
      if (to === undefined && removals.has(name)) lost.removed.add(path);
      if (to === undefined) continue;
      if (look(`${asking.root}/${to}`)) lost.movedTo.set(path, to);
      else next.set(path, to);
    }
    open = next;
  }
  return lost;
}

const NAMES = ['-M', '-l400', '--diff-filter=R', '--name-status', '-z'];

type Removals = { removals: Map<string, string>; moves: Map<string, string>; isWhole: boolean };

const readRemovals = (asking: Asking & { known: KnownRemovals }, paths: string[], since: number) =>
  asking.known(asking.root, JSON.stringify([since, ...paths]), () => askRemovals(asking, paths, since));

async function askRemovals({ root, msLeft }: Asking, paths: string[], since: number): Promise<Removals> {
  const ask = (...args: string[]) => askGit({ root, args, deadlineMs: msLeft() });
  const after = `--max-age=${Math.max(0, Math.floor((since - EARLIER_MS) / 1000))}`;
  const asked = ['--no-renames', '--diff-filter=D', '--name-only', '--full-history', '-z', '--format=%H', after];
  const [log, staged] = await Promise.all([
    ask('log', ...asked, ...PLAIN_LOG, 'HEAD', '--', ...paths),
    // What was moved in the index and not committed yet.
    ask('diff-index', '--cached', ...NAMES, '--no-ext-diff', '--no-textconv', 'HEAD', '--'),
  ]);
  const removals = new Map<string, string>();
  let commit = '';
  for (const part of log.text.split('\0').map((one) => one.replace(/^\n/, ''))) {
    if (!paths.includes(part)) commit = part;
    else if (!removals.has(part)) removals.set(part, commit);
  }
  const commits = [...new Set(removals.values())];
  const moved = commits.length > 0 ? await ask('log', '--no-walk=unsorted', ...NAMES, '--format=%H', ...PLAIN_LOG, ...commits, '--') : null;
  const moves = new Map([...readRenames(staged.text), ...readRenames(moved?.text ?? '')].map(({ from, to }) => [from, to]));
  return { removals, moves, isWhole: log.isWhole && staged.isWhole && moved?.isWhole !== false };
}

/** `R100 NUL before NUL after NUL`, between whatever else git says; the last one may be cut off. */
function readRenames(output: string): { from: string; to: string }[] {
  const parts = output.split('\0').slice(0, -1);
  return parts.flatMap((mark, at) => {
    const [from, to] = [parts[at + 1], parts[at + 2]];
    return /^\n?R\d{1,3}$/.test(mark) && from && to ? [{ from, to }] : [];
  });
}

/** A submodule, there or taken away, or any other work tree in this one: what happened there, this repository's git does not know. */
export function findInnerTrees(root: string): (path: string) => boolean {
  const own = `${canonical(root)}/`;
  const named = (readText(`${root}/.gitmodules`) ?? '').matchAll(/^\s*path\s*=\s*(.+?)\s*$/gm);
  const modules = Array.from(named, ([, name]) => `${name}/`);
  const byFolder = new Map<string, boolean>();
  const isInner = (folder: string) => findGitDir(canonical(`${root}/${folder}`))?.workTree.startsWith(own) ?? false;
  return (path) => {
    const folder = dirname(path);
    const known = byFolder.get(folder) ?? isInner(folder);
    byFolder.set(folder, known);
    return known || modules.some((name) => path.startsWith(name));
  };
}

/** Of these branches those that are there and not part of where the work tree stands. */
export async function listUnmerged({ root, msLeft }: Asking, branches: string[]): Promise<Set<string>> {
  if (branches.length === 0) return new Set();
  const args = ['for-each-ref', '--no-merged=HEAD', '--format=%(refname)', ...branches.map((name) => `${BRANCHES}${name}`)];
  const { text } = await askGit({ root, args, deadlineMs: msLeft() });
  return new Set(text.split('\n').map((name) => name.slice(BRANCHES.length)));
}

const BRANCHES = 'refs/heads/';

/** Somebody waits for it; a long history is read as far as that allows. */
const DEADLINE_MS = 1000;
const MAX_BYTES = 64 * 1024;

/** The names a file had before, the latest first. Empty when git knows none, is not there, or takes too long. */
export async function findEarlierNames({ root, path, deadlineMs = DEADLINE_MS }: { root: string; path: string; deadlineMs?: number }) {
  if (path === '') return [];
  const args = ['log', '--follow', '--diff-filter=R', '--name-status', '-z', '--format=', '-M', ...PLAIN_LOG, '--', path];
  const { text } = await askGit({ root, args, deadlineMs, maxBytes: MAX_BYTES });
  const names = [path];
  // Git also follows a copy to what it was copied from, which is another file.
  for (const { from, to } of readRenames(text)) if (to === names.at(-1)) names.push(from);
  return [...new Set(names)].filter((name) => name !== path);
}

const MOST_ANSWERS = 200;

/** What git says of what is committed and staged holds until something else is: every session that starts asks the same. */
export function createAnswers<A extends { isWhole: boolean }>(stampOfAll: (root: string) => string | null = stampOf) {
  const known = new Map<string, { stamp: string; answer: A }>();
  return async (root: string, question: string, ask: () => Promise<A>): Promise<A> => {
    // Before git looks: what changes meanwhile has another stamp.
    const stamp = stampOfAll(root);
    const key = `${root}\0${question}`;
    const before = known.get(key);
    if (before && before.stamp === stamp) return before.answer;
    const answer = await ask();
    if (known.size >= MOST_ANSWERS) known.clear();
    if (answer.isWhole && stamp !== null) known.set(key, { stamp, answer });
    return answer;
  };
}

/** What git said of lost files, for whoever asks more than once. */
export const createKnownRemovals = () => createAnswers<Removals>();
type KnownRemovals = ReturnType<typeof createKnownRemovals>;

/** Null where it cannot be told from files whether something was committed or staged. */
export function stampOf(root: string): string | null {
  const gitDir = findGitDir(canonical(root));
  const { commit } = readHead(root);
  const index = gitDir && look(`${gitDir.path}/index`);
  return commit && index ? `${commit} ${index.ino} ${index.size} ${index.mtimeMs}` : null;
}

// The latest commits with what they did to some files: one process, heard until enough is known.
import { hearGit, PLAIN_LOG } from './ask-git.ts';

/** Git's hashes of the file before and after; empty where it was not there. */
export type Touch = { path: string; from: string; to: string };

export type Commit = {
  hash: string;
  /** Epoch ms, by the clock of whoever committed. */
  at: number;
  parents: string[];
  subject: string;
  touches: Touch[];
};

export type History = {
  /** By their hashes. Every commit, whether it touched the files or not; the latest first. */
  commits: Map<string, Commit>;
  /** Epoch ms: what happened after it is all there. Minus infinity when nothing that was asked for is missing. */
  backTo: number;
};

export type HistoryQuery = {
  root: string;
  /** Where to begin: hashes of commits, or `HEAD`. */
  tips: string[];
  paths: string[];
  /** Epoch ms: what happened before is not asked for. */
  since: number;
  /** Commits that are worth going on a little for. */
  heads: ReadonlySet<string>;
  deadlineMs: number;
};

/** Reading more takes longer than a starting session should wait. */
const MOST_COMMITS = 2500;
/** Read beyond `since`: a branch that was merged later brings commits that are older. */
const MORE = 50;
const MORE_FOR_HEADS = 500;

export async function readHistory({ root, tips, paths, since, heads, deadlineMs }: HistoryQuery): Promise<History> {
  const commits: History['commits'] = new Map();
  let older = 0;
  let unseen = heads.size;
  let isCut = false;
  const reader = createReader((commit) => {
    commits.set(commit.hash, commit);
    if (heads.has(commit.hash)) unseen--;
    if (commit.at < since) older++;
    isCut = commits.size >= MOST_COMMITS;
    return !isCut && older <= (unseen > 0 ? MORE_FOR_HEADS : MORE);
  });
  const args = [...ASK, ...PLAIN_LOG, ...tips, '--', ...paths];
  const isHeard = await hearGit({ root, args, deadlineMs }, reader.take);
  if (isHeard) reader.end();
  return { commits, backTo: isHeard && !isCut ? Number.NEGATIVE_INFINITY : oldestOf(commits) };
}

const oldestOf = (commits: History['commits']) =>
  [...commits.values()].reduce((oldest, { at }) => Math.min(oldest, at), Number.POSITIVE_INFINITY);

/** Sparse and full: each commit is told, with its own parents, so that one list answers for every file and every branch. */
const ASK = [
  ...['log', '--raw', '--no-abbrev', '-z', '--no-renames', '--full-history', '--sparse', '--ignore-missing'],
  '--format=%H %ct %P%x00%s',
];

/** `hash time parents NUL subject NUL`, then `:modes before after M NUL path NUL` for each file. */
function createReader(onCommit: (commit: Commit) => boolean) {
  let rest = '';
  let commit: Commit | null = null;
  let next: 'head' | 'subject' | 'path' = 'head';
  let touch: Touch = { path: '', from: '', to: '' };
  /** False: nothing more is wanted. */
  const read = (part: string): boolean => {
    if (next === 'subject' && commit) {
      commit.subject = part;
      next = 'head';
    } else if (next === 'path' && commit) {
      commit.touches.push({ ...touch, path: part });
      next = 'head';
    } else if (/^\n?:/.test(part)) {
      touch = readTouch(part);
      next = 'path';
    } else {
      const isWanted = commit === null || onCommit(commit);
      commit = readCommit(part);
      next = 'subject';
      return isWanted;
    }
    return true;
  };
  return {
    take(piece: string): boolean {
      const parts = `${rest}${piece}`.split('\0');
      rest = parts.pop() ?? '';
      return parts.every(read);
    },
    /** Git came to its end: so the last one is whole. */
    end(): void {
      if (commit && next === 'head') onCommit(commit);
    },
  };
}

function readCommit(part: string): Commit {
  const [hash = '', seconds = '', ...parents] = part.trim().split(' ');
  return { hash, at: Number(seconds) * 1000, parents: parents.filter(Boolean), subject: '', touches: [] };
}

function readTouch(part: string): Touch {
  const [, , from = '', to = ''] = part.trim().split(' ');
  return { path: '', from: present(from), to: present(to) };
}

const present = (hash: string) => (/^0+$/.test(hash) ? '' : hash);

/** A commit and all that lead to it, among those that were read. */
export function listAncestors(commits: History['commits'], tip: string): Set<string> {
  const found = new Set<string>();
  const open = [tip];
  for (let hash = open.pop(); hash !== undefined; hash = open.pop()) {
    const commit = found.has(hash) ? undefined : commits.get(hash);
    if (!commit) continue;
    found.add(hash);
    open.push(...commit.parents);
  }
  return found;
}

// Whether what memories say of the code is still so: their files as they were, against the work tree as it is.
import type { Database } from 'bun:sqlite';
import type { Citation, Freshness, FreshnessWord } from '../core/evidence.ts';
import { hashKindOf, readHead } from '../git/identity.ts';
import { createKnownRemovals, findInnerTrees, findLost, listUnmerged } from '../git/renames.ts';
import { createWorkFiles, pathInTree, type WorkFile } from '../git/work-file.ts';
import { listCitations } from '../memory/observations.ts';

type CheckedMemory = {
  id: number;
  /** Epoch ms. */
  at: number;
  /** That the work tree was on. */
  branch: string | null;
};

type FreshnessDeps = {
  db: Database;
  clock?: () => number;
  /** For all questions to git of one check together; what is not known by then is said so. */
  deadlineMs?: number;
};

type CheckPlace = {
  /** The work tree; '' when there is none. */
  root: string;
  branch: string | null;
};

type FreshnessChecker = {
  /** An answer for each of them. No process is started when every file is as it was. Never fails because of git. */
  check: (memories: CheckedMemory[], place: CheckPlace) => Promise<Map<number, Freshness>>;
};

/** One file of one memory. */
type Case = {
  memory: CheckedMemory;
  cited: Citation;
  /** Its name in the work tree: the one it has now, where it was renamed. */
  path: string;
  now: WorkFile;
  lines: () => ReadonlySet<string>;
};
type Word = Exclude<FreshnessWord, 'uncited'>;
type Judged = { of: Case; word: Word };

const DEADLINE_MS = 100;

export function createFreshness({ db, clock = Date.now, deadlineMs = DEADLINE_MS }: FreshnessDeps): FreshnessChecker {
  const files = createWorkFiles({ clock });
  const known = createKnownRemovals();

  const lookAt = (root: string) => {
    const kind = hashKindOf(readHead(root).commit);
    return (path: string) => ({ path, now: files.look(`${root}/${path}`, kind), lines: () => files.lines(`${root}/${path}`) });
  };

  function listCases(memories: CheckedMemory[], root: string): Case[] {
    const byId = new Map(memories.map((memory) => [memory.id, memory]));
    const look = lookAt(root);
    return listCitations(db, [...byId.keys()]).flatMap((cited): Case[] => {
      const memory = byId.get(cited.observationId);
      const path = pathInTree(cited.path, root);
      const there = path === null ? null : look(path);
      // Somebody looked around in a folder: that is not about a file.
      return !memory || !there || there.now.isFolder ? [] : [{ memory, cited, ...there }];
    });
  }

  return {
    async check(memories, { root, branch }) {
      const endAt = performance.now() + deadlineMs;
      const asking = { root, msLeft: () => endAt - performance.now() };
      const cases = root === '' ? [] : listCases(memories, root);
      const lost = cases.filter(({ now, cited }) => now.blob === '' && cited.blob !== '');
      const since = Math.min(...lost.map(({ memory }) => memory.at));
      const found = await findLost({ ...asking, known }, { paths: [...new Set(lost.map(({ path }) => path))], since });
      const look = lookAt(root);
      // Asked for what is not there alone: mostly for nothing.
      let inner: ReturnType<typeof findInnerTrees> | undefined;
      const isInner = (path: string) => {
        inner ??= findInnerTrees(root);
        return inner(path);
      };
      const judged = cases.map((one): Judged => {
        const name = found.movedTo.get(one.path);
        const of = name === undefined ? one : { ...one, ...look(name) };
        return { of, word: judge(of, { ...found, isInner: () => isInner(one.path) }) };
      });
      const apart = judged.filter((one) => mayBeElsewhere(one, branch));
      const unmerged = await listUnmerged(asking, [...new Set(apart.flatMap(({ of }) => of.memory.branch ?? []))]);
      for (const one of apart) if (unmerged.has(one.of.memory.branch ?? '')) one.word = 'elsewhere';
      const byId = Map.groupBy(judged, ({ of }) => of.memory.id);
      return new Map(memories.map(({ id }) => [id, sumUp(byId.get(id) ?? [])]));
    },
  };
}

type Known = { removed: ReadonlySet<string>; isWhole: boolean; isInner: () => boolean };

function judge({ cited, now, lines, path }: Case, { removed, isWhole, isInner }: Known): Word {
  if (now.blob === null) return 'unverified';
  if (cited.blob !== null && isSame(now, cited.blob)) return 'fresh';
  const hasLines = cited.added.length + cited.removed.length > 0;
  if (now.blob === '') {
    // Where a file of an inner work tree went, nobody asked the git that knows.
    if (isInner()) return 'unverified';
    if (cited.blob === null && !hasLines) return removed.has(path) ? 'gone' : 'unverified';
    // Perhaps it was only renamed, and there was no time to find that out.
    return isWhole ? 'gone' : 'changed';
  }
  if (hasAll(lines, cited.added)) return 'fresh';
  const isBack = cited.before !== null && cited.before !== '' && isSame(now, cited.before);
  // The memory tells that it was deleted; or its own lines went, and those that they had replaced are back.
  const isUndone = isBack || cited.blob === '' || (hasNone(lines, cited.added) && hasAll(lines, cited.removed));
  if (cited.did === 'changed' && isUndone) return 'reverted';
  // When it was made, the file showed nothing of the change.
  return cited.blob === null ? 'unverified' : 'changed';
}

const hasAll = (lines: Case['lines'], marks: string[]) => marks.length > 0 && marks.every((mark) => lines().has(mark));
const hasNone = (lines: Case['lines'], marks: string[]) => !marks.some((mark) => lines().has(mark));

/** The bytes may differ from what git stores by their line ends alone. */
const isSame = ({ blob, stored }: WorkFile, hash: string) => blob === hash || stored === hash;

/** It changed a file on another branch, and nothing of that is here. */
const mayBeElsewhere = ({ of: { memory, cited, lines }, word }: Judged, branch: string | null): boolean =>
  (word === 'changed' || word === 'gone' || word === 'reverted') &&
  cited.did === 'changed' &&
  memory.branch !== null &&
  memory.branch !== branch &&
  hasNone(lines, cited.added);

/** Of several files. */
function sumUp(judged: Judged[]): Freshness {
  // What it only read matters when it changed nothing.
  const changes = judged.filter(({ of }) => of.cited.did === 'changed');
  const counted = changes.length > 0 ? changes : judged;
  const word = chooseWord(counted.map((one) => one.word));
  const isThere = word === 'fresh' || word === 'changed';
  const renamed = counted.flatMap(({ of }) => (of.path === of.cited.path ? [] : [{ from: of.cited.path, to: of.path }]));
  return { word, renamed: isThere ? renamed : [] };
}

function chooseWord(words: Word[]): FreshnessWord {
  const [first] = words;
  if (first === undefined) return 'uncited';
  if (words.every((word) => word === first)) return first;
  const known = words.filter((word) => word !== 'unverified');
  if (known.every((word) => word === 'fresh')) return 'unverified';
  if (known.every((word) => word === known[0])) return known[0] ?? 'unverified';
  // A part of it is not here, and nothing of it is as it was.
  return known.includes('elsewhere') && !known.includes('fresh') ? 'elsewhere' : 'changed';
}

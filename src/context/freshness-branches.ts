// What the other branches change about a verdict: work that was put away is not undone, and work that came over is not elsewhere.
import { readBroughtLines, readOtherBlobs } from '../git/branches.ts';
import { isInInnerTree } from '../git/submodules.ts';
import { type Case, hasAll, say, type Verdict } from './freshness-case.ts';
import { wasHere } from './freshness-judge.ts';
import type { Past } from './freshness-past.ts';
import type { MsLeft } from './freshness-repository.ts';

export type Found = {
  of: Case;
  past: Past;
  /** All the names that its file had since. */
  had: string[];
  verdict: Verdict;
};

type Asking = { root: string; msLeft: MsLeft };

/** Git is asked only where what is said would depend on it. */
export async function findElsewhere({ root, msLeft }: Asking, found: Found[]): Promise<Set<Found>> {
  const lost = found.filter(isPerhapsElsewhere);
  if (lost.length === 0) return new Set();
  const paths = [...new Set(lost.flatMap(({ had }) => had))];
  const since = Math.min(...lost.map(({ of }) => of.memory.at));
  const blobs = await readOtherBlobs({ root, deadlineMs: msLeft() }, { paths, since });
  return new Set(lost.filter(({ of }) => blobs.has(of.cited.blob ?? '')));
}

function isPerhapsElsewhere({ of, past, verdict: { word } }: Found): boolean {
  return (word === 'reverted' || word === 'gone') && Boolean(of.cited.blob) && !wasHere(of, past);
}

const MOST_COMMITS = 20;

/** A squash brings the lines of a branch in a commit of its own, beside other changes: so the file never was as it was there. */
export async function findMerged({ root, msLeft }: Asking, found: Found[]): Promise<Set<Found>> {
  const apart = found.filter(
    ({ of, past, verdict }) => verdict.word === 'elsewhere' && of.cited.added.length > 0 && past.since.length > 0,
  );
  if (apart.length === 0) return new Set();
  const commits = [...new Set(apart.flatMap(({ past }) => past.since.map(({ commit }) => commit.hash)))];
  const paths = [...new Set(apart.flatMap(({ had }) => had))];
  const asked = { commits: commits.slice(0, MOST_COMMITS), paths };
  const brought = await readBroughtLines({ root, deadlineMs: msLeft() }, asked);
  return new Set(apart.filter(({ of }) => hasAll(() => brought, of.cited.added)));
}

/** Where a file of an inner work tree went, nobody asked the git that knows. */
export const doubtGone = (root: string, { had, verdict }: Found): Verdict =>
  verdict.word === 'gone' && had.some((path) => isInInnerTree(root, path)) ? say('unverified') : verdict;

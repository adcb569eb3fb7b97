// Of commits that say the same one is told.
import { foldRepeats } from '../search/alike.ts';
import type { Observation } from '../store/memories/observations.ts';

/** Of those that are alike the newest that says why stays. In the order given. */
export function foldCommits(commits: Observation[]): Observation[] {
  const titled = commits.map((commit) => ({ commit, text: commit.title ?? '' }));
  // Of repeats the last one is kept.
  const worstFirst = titled.toSorted((a, b) => says(a.commit) - says(b.commit) || a.commit.at - b.commit.at);
  const kept = new Set(foldRepeats(worstFirst).map(({ commit }) => commit));
  return commits.filter((commit) => kept.has(commit));
}

const says = ({ narrative }: Observation) => Number(narrative !== null);

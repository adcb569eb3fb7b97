// Of commits that say the same one is told, and none that a newer one stands in the place of.
import type { Database } from 'bun:sqlite';
import { foldRepeats } from '../search/alike.ts';
import { settled } from '../search/find-superseded.ts';
import { createKnownWords } from '../search/known-words.ts';
import { isReplaced } from '../search/supersede.ts';
import { readTopics } from '../search/topics.ts';
import type { Observation } from '../store/memories/observations.ts';

/** Of those that are alike the newest that says why stays. In the order given. */
export function foldCommits(db: Database, commits: Observation[]): Observation[] {
  if (commits.length < 2) return commits;
  const titled = commits.map((commit) => ({ commit, text: commit.title ?? '' }));
  // Of repeats the last one is kept.
  const worstFirst = titled.toSorted((a, b) => says(a.commit) - says(b.commit) || a.commit.at - b.commit.at);
  const kept = new Set(foldRepeats(worstFirst).map(({ commit }) => commit));
  return withoutReplaced(
    db,
    commits.filter((commit) => kept.has(commit)),
  );
}

const says = ({ narrative }: Observation) => Number(narrative !== null);

/** As search marks them. What was taken back stays: it is told as that. */
function withoutReplaced(db: Database, commits: Observation[]): Observation[] {
  const standing = commits.filter(({ outcome }) => outcome !== 'ruled-out');
  if (standing.length < 2) return commits;
  const known = createKnownWords(db);
  known.renew();
  const topics = readTopics(new Map(standing.map((one) => [one.id, wordsOf(one)])), settled(known));
  const stated = standing.flatMap(({ id, type, at }) => {
    const topic = topics.get(id);
    // Each commit stands for itself, as a session does.
    return topic ? [{ id, at, type, topic, sessionId: id }] : [];
  });
  const replaced = new Set(
    stated
      .filter((older) => stated.some((newer) => newer.at > older.at && isReplaced(older, newer)))
      .map(({ id }) => id),
  );
  return commits.filter(({ id }) => !replaced.has(id));
}

const wordsOf = ({ title, narrative, facts }: Observation) => [title, narrative, ...facts].filter(Boolean).join('\n');

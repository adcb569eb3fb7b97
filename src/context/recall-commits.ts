// What sessions said goes before what commits say: a commit is told where no session convinces, or where it is clearly the better match.
import type { Database } from 'bun:sqlite';
import type { Found } from '../search/find.ts';
import { readCommitted } from '../store/commits/commits.ts';
import { readTellableByIds } from '../store/trust/tellable-observations.ts';
import { foldCommits } from './fold-commits.ts';

/** So much better than the best of any session. */
const CLEARLY = 1.25;
/** So many are compared with each other. */
const COMPARED = 40;

type Scored = Found['scored'][number];

/** The finds to try, one after the other: with and without commits. */
export function orderFinds(db: Database, found: Found): Found[] {
  const observations = found.scored.flatMap(({ candidate }) =>
    candidate.kind === 'observation' ? [candidate.ref] : [],
  );
  const committed = readCommitted(db, observations);
  const commitOf = ({ candidate }: Scored) =>
    candidate.kind === 'observation' ? (committed.get(candidate.ref) ?? null) : null;
  const isCommit = (item: Scored) => commitOf(item)?.isCommit === true;
  const said = found.scored.filter((item) => !isCommit(item));
  if (said.length === found.scored.length) return [found];
  const commits = found.scored.filter((item) => isCommit(item) && commitOf(item)?.isRoutine === false);
  const worth = new Set(withoutRepeats(db, commits.slice(0, COMPARED)));
  const bestSaid = said[0]?.score ?? 0;
  const bestCommit = commits.find((item) => worth.has(item))?.score ?? 0;
  const withCommits = { ...found, scored: found.scored.filter((item) => !isCommit(item) || worth.has(item)) };
  const withoutCommits = { ...found, scored: said };
  return bestCommit > bestSaid * CLEARLY ? [withCommits, withoutCommits] : [withoutCommits, withCommits];
}

function withoutRepeats(db: Database, commits: Scored[]): Scored[] {
  const observations = readTellableByIds(
    db,
    commits.map(({ candidate }) => candidate.ref),
  );
  const kept = new Set(foldCommits(observations).map(({ id }) => id));
  return commits.filter(({ candidate }) => kept.has(candidate.ref));
}

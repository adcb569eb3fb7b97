// What sessions said goes before what commits say: a commit is told where no session convinces, or where it is clearly the better match.
import type { Database } from 'bun:sqlite';
import type { Found } from '../search/find.ts';
import { readCommitted } from '../store/commits.ts';

/** So much better than the best of any session. */
const CLEARLY = 1.25;

/** The finds to try, one after the other: with and without commits. */
export function orderFinds(db: Database, found: Found): Found[] {
  const observations = found.scored.flatMap(({ candidate }) =>
    candidate.kind === 'observation' ? [candidate.ref] : [],
  );
  const committed = readCommitted(db, observations);
  const isCommit = ({ candidate }: Found['scored'][number]) =>
    candidate.kind === 'observation' && committed.get(candidate.ref)?.isCommit === true;
  const said = found.scored.filter((item) => !isCommit(item));
  if (said.length === found.scored.length) return [found];
  const bestSaid = said[0]?.score ?? 0;
  const bestCommit = found.scored.find(isCommit)?.score ?? 0;
  const withoutCommits = { ...found, scored: said };
  return bestCommit > bestSaid * CLEARLY ? [found, withoutCommits] : [withoutCommits, found];
}

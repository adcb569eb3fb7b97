// The few commits that a starting session may be told of: what happened while nobody was there, what touches its files, what was decided.
import type { Database } from 'bun:sqlite';
import {
  type CommitCount,
  countNewCommits,
  lastWorkedAt,
  listCommitsOf,
  listDecidedCommits,
  listNewCommits,
} from '../store/commits/commit-candidates.ts';
import { readTellableByIds } from '../store/trust/tellable-observations.ts';
import { foldCommits } from './fold-commits.ts';
import type { GatherQuery } from './gather.ts';
import type { Surroundings } from './surroundings.ts';

export type GatheredCommits = {
  /** Of observations. */
  ids: number[];
  /** Those since somebody was last at work here. */
  meanwhile: ReadonlySet<number>;
  /** How many these are, with all that are not told. */
  count: CommitCount;
};

/** Of the index. */
const SHARE = 1 / 3;
const MEANWHILE = 5;
const OF_FILES = 6;
const DECIDED = 6;
/** Where no session has said anything yet, the log is all there is; it is no more worth for that. */
const DECIDED_ON_DAY_ONE = 4;
/** So many times more are looked at: some say the same. */
const MORE = 4;

/** None that a session's own memory tells of. */
export function gatherCommits(db: Database, query: GatherQuery, { dirty }: Surroundings): GatheredCommits {
  const { projectId, sessionId, settings } = query;
  const since = query.since ?? 0;
  const lastAt = query.since ?? lastWorkedAt(db, projectId, sessionId);
  const paths = [...dirty];
  const news = lastAt === null ? [] : listNewCommits(db, { projectId, since: lastAt, limit: MEANWHILE * MORE });
  const touching = paths.length > 0 ? listCommitsOf(db, { projectId, since, paths, limit: OF_FILES * MORE }) : [];
  const decided = listDecidedCommits(db, { projectId, since, limit: DECIDED * MORE });
  const all = readTellableByIds(db, [...new Set([...news, ...touching, ...decided])]);
  const kept = new Set(foldCommits(all).map(({ id }) => id));
  const first = (ids: number[], most: number) => ids.filter((id) => kept.has(id)).slice(0, most);
  const meanwhile = first(news, MEANWHILE);
  const ids = [
    ...meanwhile,
    ...first(touching, OF_FILES),
    ...first(decided, lastAt === null ? DECIDED_ON_DAY_ONE : DECIDED),
  ];
  return {
    ids: [...new Set(ids)].slice(0, Math.floor(settings.contextIndex * SHARE)),
    meanwhile: new Set(meanwhile),
    count: lastAt === null ? { all: 0, routine: 0 } : countNewCommits(db, { projectId, since: lastAt }),
  };
}

// The few commits that a starting session may be told of: what happened while nobody was there, what touches its files, what was decided.
import type { Database } from 'bun:sqlite';
import { lastWorkedAt, listCommitsOf, listDecidedCommits, listNewCommits } from '../store/commit-candidates.ts';
import type { GatherQuery } from './gather.ts';
import type { Surroundings } from './surroundings.ts';

export type GatheredCommits = {
  /** Of observations. */
  ids: number[];
  /** Those since somebody was last at work here. */
  meanwhile: ReadonlySet<number>;
};

/** Of the index. */
const SHARE = 0.2;
const MEANWHILE = 5;
const OF_FILES = 6;
const DECIDED = 6;

/** None that a session's own memory tells of. */
export function gatherCommits(db: Database, query: GatherQuery, { dirty }: Surroundings): GatheredCommits {
  const { projectId, sessionId, settings } = query;
  const since = query.since ?? 0;
  const lastAt = query.since ?? lastWorkedAt(db, projectId, sessionId);
  const paths = [...dirty];
  const meanwhile = lastAt === null ? [] : listNewCommits(db, { projectId, since: lastAt, limit: MEANWHILE });
  const touching = paths.length > 0 ? listCommitsOf(db, { projectId, since, paths, limit: OF_FILES }) : [];
  const decided = listDecidedCommits(db, { projectId, since, limit: DECIDED });
  const ids = [...new Set([...meanwhile, ...touching, ...decided])];
  return { ids: ids.slice(0, Math.floor(settings.contextIndex * SHARE)), meanwhile: new Set(meanwhile) };
}

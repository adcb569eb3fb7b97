// The few commits that a starting session may be told of: what happened while nobody was there, what touches its files, what was decided.
import type { Database } from 'bun:sqlite';
import { isPitfall, readTellableByIds } from '../memory/for-context.ts';
import { isRoutineCommit, isToldOf } from '../memory/git-log.ts';
import type { Observation } from '../memory/observations.ts';
import { tellable } from '../memory/trusted.ts';
import { foldRepeats } from '../search/alike.ts';
import { readAll, readFirst } from '../store/read.ts';
import type { GatherQuery } from './gather.ts';
import type { Surroundings } from './surroundings.ts';

type CommitQuery = {
  projectId: number;
  /** Only what came after this moment, epoch ms; 0 for all. */
  since: number;
  limit: number;
  /** A list in JSON, for OF_FILES. */
  paths?: string;
};

/** So many of the newest are looked at: the cost does not grow with the store. */
const NEWEST_OF = 600;
/** What a session commits last is read in the moments after it. */
const AFTER_MS = 60_000;

/** Pitfalls, too. */
const IS_DECIDED = `(o.type = 'decision' OR ${isPitfall('o')})`;

const DECIDED = `${IS_DECIDED} AND o.id IN (SELECT observation_id FROM commits
  WHERE project_id = $projectId AND observation_id IS NOT NULL ORDER BY author_at_epoch DESC LIMIT ${NEWEST_OF})`;

const OF_FILES = `o.id IN (SELECT observation_id FROM citations WHERE project_id = $projectId
  AND path IN (SELECT value FROM json_each($paths)) ORDER BY observation_id DESC LIMIT ${NEWEST_OF})`;

/** Pulled or written after the moment. What was there when the log was first read is no news, whenever it was written. */
const IS_NEW = `read_at_epoch > 0 AND (read_at_epoch > $since + ${AFTER_MS} OR author_at_epoch > $since)`;
const NEWS = `o.id IN (SELECT observation_id FROM commits WHERE project_id = $projectId AND observation_id IS NOT NULL AND ${IS_NEW}
  ORDER BY read_at_epoch DESC, author_at_epoch DESC LIMIT ${NEWEST_OF})`;
/** Those that say why come first, then those that say more than their subject. */
const TELLING_FIRST = `${IS_DECIDED} DESC, o.narrative IS NOT NULL DESC,`;

/** Ids of observations, newest first. */
const list = (db: Database, query: CommitQuery, which: string, order = ''): number[] => {
  const sql = `SELECT o.id FROM observations o
    WHERE +o.project_id = $projectId AND o.origin = 'commit' AND ${which} AND ($since = 0 OR ${NEWS})
      AND ${tellable('o')} AND NOT ${isToldOf('o')} AND NOT ${isRoutineCommit('o')}
    ORDER BY ${order} o.created_at_epoch DESC, o.id DESC LIMIT $limit + 0`;
  return readAll<{ id: number }>(db, sql, query).map(({ id }) => id);
};

export type CommitCount = { all: number; routine: number };

/** How many came after a moment: also those of which nothing is told. */
function countNewCommits(db: Database, query: Omit<CommitQuery, 'limit'>): CommitCount {
  const sql = `SELECT count(*) AS "all", coalesce(sum(is_routine), 0) AS routine
    FROM (SELECT is_routine FROM commits WHERE project_id = $projectId AND ${IS_NEW}
      AND (observation_id IS NOT NULL OR is_routine = 1))`;
  const row = readFirst<CommitCount>(db, sql, query);
  return row ?? { all: 0, routine: 0 };
}

/** When a session of the project was last at work, but for one; null when none was. One that was opened just now was not. */
const lastWorkedAt = (db: Database, projectId: number, exceptSession: number): number | null => {
  const sql = `SELECT max(updated_at_epoch) AS at FROM sessions WHERE project_id = ? AND id <> ?
    AND (status <> 'initialized' OR title IS NOT NULL OR prompt_counter > 0)`;
  return readFirst<{ at: number | null }>(db, sql, projectId, exceptSession)?.at ?? null;
};

/** Of those that are alike the newest that says why stays. In the order given. */
export function foldCommits(commits: Observation[]): Observation[] {
  const titled = commits.map((commit) => ({ commit, text: commit.title ?? '' }));
  // Of repeats the last one is kept.
  const worstFirst = titled.toSorted((a, b) => says(a.commit) - says(b.commit) || a.commit.at - b.commit.at);
  const kept = new Set(foldRepeats(worstFirst).map(({ commit }) => commit));
  return commits.filter((commit) => kept.has(commit));
}

const says = ({ narrative }: Observation) => Number(narrative !== null);

type GatheredCommits = {
  /** Of observations. */
  ids: number[];
  /** Those since somebody was last at work here. */
  meanwhile: ReadonlySet<number>;
  /** How many these are, with all that are not told. */
  count: CommitCount;
};

/** Of the index. */
const SHARE = 1 / 3;
const MOST_NEWS = 5;
const MOST_OF_FILES = 6;
const MOST_DECIDED = 6;
/** Where no session has said anything yet, the log is all there is; it is no more worth for that. */
const DECIDED_ON_DAY_ONE = 4;
/** So many times more are looked at: some say the same. */
const MORE = 4;

/** None that a session's own memory tells of. */
export function gatherCommits(db: Database, query: GatherQuery, { dirty }: Surroundings): GatheredCommits {
  const { projectId, sessionId, settings } = query;
  const since = query.since ?? 0;
  const lastAt = query.since ?? lastWorkedAt(db, projectId, sessionId);
  const paths = JSON.stringify([...dirty]);
  const news = lastAt === null ? [] : list(db, { projectId, since: lastAt, limit: MOST_NEWS * MORE }, NEWS, TELLING_FIRST);
  const touching = dirty.size > 0 ? list(db, { projectId, since, paths, limit: MOST_OF_FILES * MORE }, OF_FILES) : [];
  const decided = list(db, { projectId, since, limit: MOST_DECIDED * MORE }, DECIDED);
  const all = readTellableByIds(db, [...new Set([...news, ...touching, ...decided])]);
  const kept = new Set(foldCommits(all).map(({ id }) => id));
  const first = (ids: number[], most: number) => ids.filter((id) => kept.has(id)).slice(0, most);
  const meanwhile = first(news, MOST_NEWS);
  const ids = [...meanwhile, ...first(touching, MOST_OF_FILES), ...first(decided, lastAt === null ? DECIDED_ON_DAY_ONE : MOST_DECIDED)];
  return {
    ids: [...new Set(ids)].slice(0, Math.floor(settings.contextIndex * SHARE)),
    meanwhile: new Set(meanwhile),
    count: lastAt === null ? { all: 0, routine: 0 } : countNewCommits(db, { projectId, since: lastAt }),
  };
}

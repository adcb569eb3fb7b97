// What could be told to a session: read from the store, each thing once, nothing that is said elsewhere.
import type { Database } from 'bun:sqlite';
import type { LeftOut } from '../core/context.ts';
import { formatRef, type MemoryRow } from '../core/memory.ts';
import { listOpenSteps, type StoredStep } from '../memory/open-steps.ts';
import { foldNumbers, foldRepeats, isNearlySame } from '../search/alike.ts';
import { rollUpSession } from '../search/rollup.ts';
import type { CommitCount } from '../store/commits/commit-candidates.ts';
import type { Observation } from '../store/memories/observations.ts';
import { findGlobalProject, findWholeOf } from '../store/projects/projects.ts';
import { listRecentSessions, type RecentSession } from '../store/sessions/sessions.ts';
import { listTellable, readTellable, type Tellable } from '../store/trust/tellable-observations.ts';
import { gatherCommits } from './gather-commits.ts';
import { type Pair, pairReplaced } from './pair-replaced.ts';
import type { ContextSettings } from './settings.ts';
import type { Surroundings } from './surroundings.ts';
import { readUntold } from './without-untold.ts';

export type GatherQuery = {
  projectId: number;
  /** 0 for a call without a session. */
  sessionId: number;
  /** Only what came after this moment from other sessions: for a session that was told the rest before. */
  since: number | null;
  settings: ContextSettings;
};

/** The last session of which something is known. */
export type LastSession = RecentSession & {
  /** Its work, by the ids of observations. */
  done: ReadonlySet<number>;
  /** What only its summaries say was done. */
  said: MemoryRow[];
};

export type Gathered = {
  last: LastSession | null;
  open: StoredStep[];
  /** What somebody said holds in every project, newest first. */
  everywhere: Observation[];
  /** Newest first, each once: what may be replaced stands in `pairs`. */
  observations: Observation[];
  /** What goes with an observation because one of them may replace the other, by the id of the one that comes first. */
  pairs: Map<number, Pair>;
  sessions: RecentSession[];
  /** Commits since somebody was last at work here. */
  meanwhile: ReadonlySet<number>;
  /** How many these are. */
  commits: CommitCount;
  leftOut: LeftOut[];
  /** How many were left out because they are not what was stored. */
  damaged: number;
};

/** Room for what is said twice, and for the sessions behind a loud one. */
const MORE = 70;
const PINNED = 20;
const DECISIONS = 20;
/** Whatever others say in any number, what the user said is looked at. */
const BY_USER = 20;
const OF_FILES = 30;
const OF_BRANCH = 20;
const EVERYWHERE = 10;
/** One that only looked, or said thanks, must not hide the work before it. */
const LOOKED_AT = 5;
/** Of the work of the last session the latest: more would be a page of its own. */
const MOST_DONE = 8;
const MOST_OPEN = 6;

/** What the store has for any session of the project; git is asked meanwhile where this one stands. */
export type Stored = {
  found: Tellable;
  everywhere: Tellable;
  last: LastSession | null;
  open: StoredStep[];
  sessions: RecentSession[];
};

type Scope = { projectId: number; since?: number; exceptSession?: number };

const scopeOf = ({ projectId, sessionId, since }: GatherQuery): Scope =>
  since === null ? { projectId } : { projectId, since, exceptSession: sessionId };

export function gatherStored(db: Database, query: GatherQuery): Stored {
  const { projectId, sessionId, since, settings } = query;
  const { contextTypes: types, contextIndex, contextSessions: limit } = settings;
  const scope = scopeOf(query);
  const recent = listRecentSessions(db, {
    projectId,
    except: sessionId,
    since: since ?? 0,
    limit: Math.max(limit, LOOKED_AT),
  });
  const last = findLast(db, recent, query);
  const ids = [
    ...(last?.done ?? []),
    ...listTellable(db, { ...scope, types, which: 'recent', limit: contextIndex + MORE }),
    ...listTellable(db, { ...scope, which: 'pinned', limit: PINNED }),
    ...listTellable(db, { ...scope, types, which: 'decisions', limit: DECISIONS }),
    ...listTellable(db, { ...scope, types, which: 'by-user', limit: BY_USER }),
    ...listOfWhole(db, scope, types),
  ];
  // A session that was told the rest before knows the others.
  const named = since === null ? recent.filter(({ id }) => id !== last?.id).slice(0, limit) : [];
  // A session that was told the rest before knows them.
  const open = since === null ? listOpenSteps(db, { projectIds: [projectId], limit: MOST_OPEN }) : [];
  const without = readUntold(db, { steps: open, sessions: [...(last ? [last] : []), ...named] });
  return {
    found: readTellable(db, [...new Set(ids)]),
    everywhere: listEverywhere(db, scope),
    last: last && { ...last, ...without.session(last), said: last.said.flatMap((row) => without.row(last.id, row)) },
    open: foldNumbers(open.flatMap(without.step)),
    sessions: named.map(without.session).filter(({ title }) => title !== null),
  };
}

function findLast(db: Database, sessions: RecentSession[], query: GatherQuery): LastSession | null {
  const { projectId, since, settings } = query;
  const isWanted = ({ type }: MemoryRow) =>
    type !== 'summary' && type !== 'prompt' && settings.contextTypes.includes(type);
  for (const session of sessions.slice(0, LOOKED_AT)) {
    const { done, decided, open } = rollUpSession(db, { id: session.id, projectId, since: since ?? 0 });
    if (done.length + decided.length + open.length === 0) continue;
    const observed = done.filter(isWanted).slice(-MOST_DONE);
    const said = done.filter(({ kind }) => kind === 'summary').slice(-MOST_DONE);
    return { ...session, done: new Set(observed.map(({ id }) => Number(id))), said };
  }
  return null;
}

/** What was settled for the whole repository holds in a part of it. */
function listOfWhole(db: Database, scope: Scope, types: ContextSettings['contextTypes']): number[] {
  const whole = findWholeOf(db, scope.projectId);
  if (!whole) return [];
  const there = { ...scope, projectId: whole.id };
  return [
    ...listTellable(db, { ...there, which: 'pinned', limit: PINNED }),
    ...listTellable(db, { ...there, types, which: 'decisions', limit: DECISIONS }),
  ];
}

/** With what is about the branch and the files that are being worked on, and without what is said here anyway. */
export function gatherHere(db: Database, query: GatherQuery, stored: Stored, surroundings: Surroundings): Gathered {
  const { everywhere, last, sessions } = stored;
  const commits = gatherCommits(db, query, surroundings);
  const found = addLocal(db, query, stored.found, { ...surroundings, commits: commits.ids });
  const { kept, leftOut } = sift(found.observations, surroundings);
  const here = pairReplaced(db, kept);
  const anywhere = pairReplaced(db, foldTitles(everywhere.observations).kept);
  return {
    last,
    open: stored.open,
    everywhere: anywhere.first,
    observations: here.first,
    pairs: new Map([...anywhere.pairs, ...here.pairs]),
    sessions,
    meanwhile: commits.meanwhile,
    commits: commits.count,
    leftOut: [...leftOut, ...here.alone.map((one) => leaveOut(one, `may be replaced by #${one.replacedBy?.id}`))],
    damaged: found.damaged + everywhere.damaged,
  };
}

function addLocal(
  db: Database,
  query: GatherQuery,
  found: Tellable,
  { branch, dirty, recent, commits }: Surroundings & { commits: number[] },
): Tellable {
  const scope = { ...scopeOf(query), types: query.settings.contextTypes };
  const paths = [...dirty, ...recent];
  const known = new Set(found.observations.map(({ id }) => id));
  const ids = [
    ...(paths.length > 0 ? listTellable(db, { ...scope, which: 'of-files', paths, limit: OF_FILES }) : []),
    ...(branch ? listTellable(db, { ...scope, which: 'of-branch', branch, limit: OF_BRANCH }) : []),
  ];
  const more = readTellable(
    db,
    [...new Set([...ids, ...commits])].filter((id) => !known.has(id)),
  );
  const isWanted = ({ type }: Observation) => scope.types.includes(type);
  return {
    observations: [...found.observations, ...more.observations.filter(isWanted)].sort(
      (a, b) => b.at - a.at || b.id - a.id,
    ),
    damaged: found.damaged + more.damaged,
  };
}

/** Only what a person said: else one call of one agent would speak to every session of every project. */
function listEverywhere(db: Database, { projectId, ...scope }: Scope): Tellable {
  const project = findGlobalProject(db);
  if (!project || project.id === projectId) return { observations: [], damaged: 0 };
  return readTellable(db, listTellable(db, { ...scope, projectId: project.id, which: 'by-user', limit: EVERYWHERE }));
}

function sift(observations: Observation[], { isSaid, isExcluded }: Surroundings) {
  const [excluded, allowed] = split(observations, (one) => [...one.filesModified, ...one.filesRead].some(isExcluded));
  const { kept: distinct, repeats } = foldTitles(allowed);
  const [said, kept] = split(distinct, (one) => !one.pinned && isSaid(wordsOf(one)));
  const why = (list: Observation[], reason: string) => list.map((one) => leaveOut(one, reason));
  const leftOut = [
    ...why(excluded, 'about an excluded path'),
    ...why(repeats, 'said by a newer one'),
    ...why(said, "said in the project's instructions"),
  ];
  return { kept, leftOut };
}

function split(observations: Observation[], isOut: (one: Observation) => boolean): [Observation[], Observation[]] {
  const out = observations.filter(isOut);
  return [out, observations.filter((one) => !out.includes(one))];
}

const wordsOf = ({ title, narrative, facts }: Observation) => [title, narrative ?? facts[0]].filter(Boolean).join('. ');

export const leaveOut = ({ id, title }: Observation, reason: string): LeftOut => ({
  id: formatRef({ kind: 'observation', id }),
  title: title ?? 'untitled',
  reason,
});

/** Of those of one type that say the same the newest stays, and a session's own before a commit; what is pinned stays anyway. */
function foldTitles(observations: Observation[]): { kept: Observation[]; repeats: Observation[] } {
  const titled = observations.filter(({ title }) => title?.trim());
  const types = Map.groupBy(
    titled.map((observation) => ({ observation, text: observation.title ?? '' })),
    ({ observation }) => `${observation.type} ${observation.outcome === 'ruled-out'}`,
  );
  const newest = new Set(
    [...types.values()]
      .flatMap((list) => foldRepeats(commitsFirst(foldNumbers(list).toReversed()), isNearlySame))
      .map((one) => one.observation),
  );
  const isKept = (one: Observation) => one.pinned || newest.has(one);
  return { kept: titled.filter(isKept), repeats: titled.filter((one) => !isKept(one)) };
}

function commitsFirst<T extends { observation: Observation }>(list: T[]): T[] {
  const isCommit = ({ observation }: T) => observation.origin === 'commit';
  return [...list.filter(isCommit), ...list.filter((one) => !isCommit(one))];
}

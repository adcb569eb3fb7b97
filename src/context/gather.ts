// What could be told to a session: read from the store, each thing once, nothing that is said elsewhere.
import type { Database } from 'bun:sqlite';
import { listRecentSessions, type RecentSession } from '../capture/sessions.ts';
import type { Config } from '../config.ts';
import { formatRef } from '../core/memory.ts';
import type { LeftOut } from '../core/shapes/context.ts';
import type { MemoryRow } from '../core/shapes/memory.ts';
import { splitSentences, withoutSentences } from '../core/text.ts';
import { listTellable, listUntold, readTellable, type Tellable, type Untold } from '../memory/for-context.ts';
import type { Observation } from '../memory/observations.ts';
import { listOpenSteps, type StoredStep } from '../memory/open-steps.ts';
import { readTurnKeys } from '../memory/turn-keys.ts';
import { findGlobalProject, findWholeOf } from '../projects/projects.ts';
import { foldNumbers, foldRepeats, hasMost, isNearlySame, stemsOf } from '../search/alike.ts';
import { rollUpSession } from '../search/rollup.ts';
import { type CommitCount, gatherCommits } from './commits.ts';
import { type Pair, pairReplaced } from './pair-replaced.ts';
import { isAboutAny, type Surroundings } from './surroundings.ts';

export type ContextSettings = Pick<
  Config,
  'contextTokens' | 'contextSections' | 'contextTypes' | 'contextIndex' | 'contextFull' | 'contextSessions'
>;

export type GatherQuery = {
  projectId: number;
  /** 0 for a call without a session. */
  sessionId: number;
  /** Only what came after this moment from other sessions: for a session that was told the rest before. */
  since: number | null;
  settings: ContextSettings;
};

/** The last session of which something is known. */
type LastSession = RecentSession & {
  /** Its work, by the ids of observations. */
  done: ReadonlySet<number>;
  /** What its summaries say was done, where nothing was observed. */
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
  /** Of which turn an observation is, by their ids. */
  turns: Map<string, string>;
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

type Scope = { projectId: number; since?: number; exceptSession?: number };

/** What is about the project, then, while git was asked where the session stands, what is about its branch and its files. */
export async function gather(db: Database, query: GatherQuery, asked: Surroundings | Promise<Surroundings>): Promise<Gathered> {
  const { projectId, sessionId, since, settings } = query;
  const { contextTypes: types, contextIndex, contextSessions: limit } = settings;
  const scope: Scope = since === null ? { projectId } : { projectId, since, exceptSession: sessionId };
  const list = (which: 'recent' | 'pinned' | 'decisions' | 'by-user', most: number, there = projectId) =>
    listTellable(db, { ...scope, projectId: there, ...(which === 'pinned' ? {} : { types }), which, limit: most });
  const recent = listRecentSessions(db, { projectId, except: sessionId, since: since ?? 0, limit: Math.max(limit, LOOKED_AT) });
  const last = findLast(db, recent, query);
  // What was settled for the whole repository holds in a part of it.
  const whole = findWholeOf(db, projectId)?.id;
  const found = readTellable(db, [
    ...new Set([
      ...(last?.done ?? []),
      ...list('recent', contextIndex + MORE),
      ...[projectId, ...(whole === undefined ? [] : [whole])].flatMap((id) => [
        ...list('pinned', PINNED, id),
        ...list('decisions', DECISIONS, id),
      ]),
      ...list('by-user', BY_USER),
    ]),
  ]);
  const everywhere = listEverywhere(db, scope);
  // A session that was told the rest before knows the others, and what is left to do.
  const named = since === null ? recent.filter(({ id }) => id !== last?.id).slice(0, limit) : [];
  const open = since === null ? listOpenSteps(db, { projectIds: [projectId], limit: MOST_OPEN }) : [];
  const without = readUntold(db, { steps: open, sessions: [...(last ? [last] : []), ...named] });
  const surroundings = await asked;
  const commits = gatherCommits(db, query, surroundings);
  const local = listLocal(db, { ...scope, types }, surroundings);
  const others = [...new Set([...local, ...commits.ids])].filter((id) => !found.observations.some((one) => one.id === id));
  const more = readTellable(db, others);
  const isWanted = ({ type }: Observation) => types.includes(type);
  const all = [...found.observations, ...more.observations.filter(isWanted)].sort((a, b) => b.at - a.at || b.id - a.id);
  const { kept, leftOut } = sift(all, surroundings);
  const here = pairReplaced(db, kept);
  const anywhere = pairReplaced(db, foldTitles(everywhere.observations).kept);
  return {
    last: last && { ...last, ...without.session(last), said: last.said.flatMap((row) => without.row(last.id, row)) },
    open: foldNumbers(open.flatMap(without.step)),
    everywhere: anywhere.first,
    observations: here.first,
    pairs: new Map([...anywhere.pairs, ...here.pairs]),
    turns: readTurnKeys(
      db,
      here.first.map(({ id }) => ({ kind: 'observation', id })),
    ),
    sessions: named.map(without.session).filter(({ title }) => title !== null),
    meanwhile: commits.meanwhile,
    commits: commits.count,
    leftOut: [...leftOut, ...here.alone.map((one) => leaveOut(one, `may be replaced by #${one.replacedBy?.id}`))],
    damaged: found.damaged + more.damaged + everywhere.damaged,
  };
}

function findLast(db: Database, sessions: RecentSession[], { projectId, since, settings }: GatherQuery): LastSession | null {
  const isWanted = ({ type }: MemoryRow) => type !== 'summary' && type !== 'prompt' && settings.contextTypes.includes(type);
  for (const session of sessions.slice(0, LOOKED_AT)) {
    const { done, decided, open } = rollUpSession(db, { id: session.id, projectId, since: since ?? 0 });
    if (done.length + decided.length + open.length === 0) continue;
    const observed = done.filter(isWanted).slice(-MOST_DONE);
    const said = observed.length > 0 ? [] : done.filter(({ kind }) => kind === 'summary').slice(-MOST_DONE);
    return { ...session, done: new Set(observed.map(({ id }) => Number(id))), said };
  }
  return null;
}

/** About the branch and the files that are being worked on. */
function listLocal(
  db: Database,
  scope: Scope & { types: ContextSettings['contextTypes'] },
  { branch, dirty, recent }: Surroundings,
): number[] {
  const paths = [...dirty, ...recent];
  return [
    ...(paths.length > 0 ? listTellable(db, { ...scope, which: 'of-files', paths, limit: OF_FILES }) : []),
    ...(branch ? listTellable(db, { ...scope, which: 'of-branch', branch, limit: OF_BRANCH }) : []),
  ];
}

/** Only what a person said: else one call of one agent would speak to every session of every project. */
function listEverywhere(db: Database, { projectId, ...scope }: Scope): Tellable {
  const project = findGlobalProject(db);
  if (!project || project.id === projectId) return { observations: [], damaged: 0 };
  return readTellable(db, listTellable(db, { ...scope, projectId: project.id, which: 'by-user', limit: EVERYWHERE }));
}

function sift(observations: Observation[], { isSaid, isExcluded }: Surroundings) {
  const leftOut: LeftOut[] = [];
  const without = (list: Observation[], reason: string, isOut: (one: Observation) => boolean) =>
    list.filter((one) => {
      if (!isOut(one)) return true;
      leftOut.push(leaveOut(one, reason));
      return false;
    });
  const allowed = without(observations, 'about an excluded path', (one) => isAboutAny(one, isExcluded));
  const { kept: distinct, repeats } = foldTitles(allowed);
  leftOut.push(...repeats.map((one) => leaveOut(one, 'said by a newer one')));
  return { kept: without(distinct, "said in the project's instructions", (one) => !one.pinned && isSaid(wordsOf(one))), leftOut };
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

/** Sentences that say it are left out, and whatever has nothing else to say. */
type WithoutUntold = {
  row: (sessionId: number, row: MemoryRow) => MemoryRow[];
  step: (step: StoredStep) => StoredStep[];
  session: (session: RecentSession) => RecentSession;
};

type Telling = { steps: StoredStep[]; sessions: RecentSession[] };

function readUntold(db: Database, { steps, sessions }: Telling): WithoutUntold {
  const ids = new Set([...steps.map(({ sessionId }) => sessionId), ...sessions.map(({ id }) => id)]);
  const bySession = new Map(listUntold(db, [...ids]).map((untold) => [untold.sessionId, readJudge(untold)]));
  const clean = (sessionId: number, text: string | null) => {
    const isUntold = bySession.get(sessionId);
    return text !== null && isUntold ? withoutSentences(text, isUntold) : text;
  };
  return {
    row: (sessionId, row) => {
      const title = clean(sessionId, row.title);
      return title ? [{ ...row, title }] : [];
    },
    step: (step) => (clean(step.sessionId, step.text) === step.text ? [step] : []),
    session: (session) => ({
      ...session,
      title: clean(session.id, session.title),
      subtitle: clean(session.id, session.subtitle),
    }),
  };
}

/** Whether a sentence says what is not told. What a memory that may be told says word for word as well may stay. */
function readJudge({ titles, details, readLiving }: Untold): (sentence: string) => boolean {
  const named = titles.map(stemsOf);
  const gone = details.flatMap(stemsOfAll).filter(isTelling);
  let living: Set<string>[] | null = null;
  return (sentence) => {
    const words = stemsOf(sentence);
    if (named.some((title) => hasMost(words, title))) return true;
    if (!gone.some((said) => hasMost(words, said) || (isTelling(words) && hasMost(said, words)))) return false;
    living ??= readLiving().flatMap(stemsOfAll);
    // One number may be all that is different: of what is still so, every word has to be there.
    return !living.some((stems) => words.isSubsetOf(stems));
  };
}

const stemsOfAll = (text: string) => text.split('\n').flatMap(splitSentences).map(stemsOf);

/** "Tests pass." is said of much. */
const isTelling = (words: Set<string>) => words.size >= 3;

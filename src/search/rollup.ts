// What came of a session, or of all the work in a time: what was done, decided and left open. Read from rows whenever
// it is asked for, and stored nowhere.
import type { Database } from 'bun:sqlite';
import { BY_OTHERS, formatRef } from '../core/memory.ts';
import type { ObservationType } from '../core/observation.ts';
import type { MemoryRow, RecapAnswer, RollUp } from '../core/shapes/memory.ts';
import { oneLine } from '../core/text.ts';
import { listOpenSteps, type StoredStep } from '../memory/open-steps.ts';
import { readRows } from '../memory/read.ts';
import { behindNewer, foldRepeats } from './alike.ts';
import { listRecapObservations, listRecapSummaries, type RecapObservation, type RecapRange, type RecapSummary } from './recap.ts';

type Work = { observations: RecapObservation[]; summaries: RecapSummary[]; open: StoredStep[] };

/** Net: the work that stands with its outcome, the decisions that hold, the steps that are open. */
function rollUp(db: Database, { observations, summaries, open }: Work): RollUp {
  const decisions = observations.filter(({ type }) => type === 'decision').slice(-MOST_COMPARED);
  const decided = foldRepeats(decisions.map(titled)).slice(-MOST_DECIDED);
  return {
    done: toRows(db, withoutSaid(chooseDone(observations, summaries), decided)),
    decided: toRows(db, decided),
    open: open.map(({ ref: id, text, at }) => ({ id, text, at })),
  };
}

/** `since`: only what came of it after that moment, epoch ms. What it did in other projects is told there. */
export function rollUpSession(db: Database, { id, projectId, since = 0 }: { id: number; projectId: number; since?: number }): RollUp {
  const range = { projectIds: [projectId], sessionId: id, since, until: Number.MAX_SAFE_INTEGER };
  return rollUp(db, {
    observations: listRecapObservations(db, range),
    summaries: listRecapSummaries(db, range),
    open: listOpenSteps(db, { ...range, limit: MOST_OPEN }),
  });
}

/** What was done, decided and left open in a time, project by project: for a stand-up. */
export function readRecap(db: Database, { now, ...range }: RecapRange & { now: number }): RecapAnswer {
  const observations = listRecapObservations(db, range);
  const summaries = listRecapSummaries(db, range);
  const projects = groupByProject([...observations, ...summaries]).map(({ id, name }) => {
    const own = {
      observations: observations.filter(({ projectId }) => projectId === id),
      summaries: summaries.filter(({ projectId }) => projectId === id),
      // Until something ends them, however long ago they were announced.
      open: listOpenSteps(db, { projectIds: [id], until: range.until, limit: MOST_OPEN }),
    };
    const sessions = new Set([...own.observations, ...own.summaries].flatMap(({ sessionId }) => sessionId ?? []));
    return { project: name, sessions: sessions.size, ...rollUp(db, own) };
  });
  return {
    since: range.since,
    until: Math.min(range.until, now),
    projects: projects.filter(({ done, decided, open }) => done.length + decided.length + open.length > 0),
  };
}

/** The latest active first. */
function groupByProject(memories: (RecapObservation | RecapSummary)[]): { id: number; name: string }[] {
  const latest = new Map<number, { name: string; at: number }>();
  for (const { projectId, project, at } of memories)
    latest.set(projectId, { name: project, at: Math.max(at, latest.get(projectId)?.at ?? 0) });
  return [...latest].sort(([, a], [, b]) => b.at - a.at).map(([id, { name }]) => ({ id, name }));
}

/** So many are compared with each other: more than can be told, and few enough to be quick. */
const MOST_COMPARED = 150;
const MOST_DONE = 15;
const MOST_DECIDED = 15;
const MOST_OPEN = 12;

/** What is said about a memory in the recap, and where it is from. */
type Item = { id: string; kind: 'observation' | 'summary'; ref: number; text: string; at: number; worth: number };

const WORTH: Record<ObservationType, number> = {
  feature: 4,
  bugfix: 4,
  refactor: 3,
  change: 2,
  discovery: 1,
  decision: 0,
};

/** What nobody's session tells of comes after what one does. */
const COMMIT = -4;

const titled = ({ id, title, type, at, isCommit, isByOthers }: RecapObservation): Item => ({
  id: formatRef({ kind: 'observation', id }),
  kind: 'observation',
  ref: id,
  text: isByOthers ? `${title} (${BY_OTHERS})` : title,
  at,
  worth: WORTH[type] + (isCommit ? COMMIT : 0),
});

/** Tried and given up is not done, and a decision is told by itself. */
const isDeed = ({ type, outcome }: RecapObservation) => type !== 'decision' && outcome !== 'ruled-out' && outcome !== 'failed';

/**
 * The most worth telling, in the order of time. A session whose work was not observed is told by what its summaries say, and one
 * that only found something out by that.
 */
function chooseDone(observations: RecapObservation[], summaries: RecapSummary[]): Item[] {
  const made = observations.filter((one) => isDeed(one) && one.type !== 'discovery' && !one.isByOthers);
  const isTold = new Set(made.map(({ sessionId }) => sessionId));
  const turns = new Set(made.map(turnOf));
  const worked = summaries.filter((one) => (isTold.has(one.sessionId) ? isOnlyCommit(one, turns) : true));
  const summed = worked.flatMap(completedItem);
  const isKnown = new Set([...isTold, ...worked.filter((one) => completedItem(one).length > 0).map((one) => one.sessionId)]);
  const found = observations.filter((one) => isDeed(one) && one.type === 'discovery' && !isKnown.has(one.sessionId));
  const deeds = [...made, ...found];
  const byWorth = (a: Item, b: Item) => b.worth - a.worth || b.at - a.at;
  const byTime = (a: Item, b: Item) => a.at - b.at;
  const worthiest = [...deeds.map(titled), ...summed].sort(byWorth).slice(0, MOST_COMPARED);
  return foldRepeats(worthiest.sort(byTime)).sort(byWorth).slice(0, MOST_DONE).sort(byTime);
}

const turnOf = ({ sessionId, turn }: RecapObservation | RecapSummary) => `${sessionId} ${turn}`;

/** A turn of its own, in which what was told before was committed. */
const isOnlyCommit = (summary: RecapSummary, turns: Set<string>) =>
  /^committed\b/i.test(summary.completed ?? '') && !turns.has(turnOf(summary));

/** What was decided is told as that, and not as done, too. */
function withoutSaid(done: Item[], decided: Item[]): Item[] {
  const told = new Set(foldRepeats([...done, ...decided]));
  return done.filter((item) => told.has(item));
}

const NOTHING_DONE = /\b(?:(?:changed|touched|did|done) nothing|nothing (?:was|is|has been) (?:changed|done)|no changes?)\b/i;

function completedItem({ id, completed, at }: RecapSummary): Item[] {
  const text = splitItems(completed)[0];
  if (!text || NOTHING_DONE.test(text)) return [];
  return [{ id: formatRef({ kind: 'summary', id }), kind: 'summary', ref: id, text, at, worth: 2 }];
}

function toRows(db: Database, items: Item[]): MemoryRow[] {
  const refs = items.map(({ kind, ref }) => ({ kind, id: ref }));
  const rows = readRows(db, refs);
  const told = items.flatMap(({ id, text }) => {
    const row = rows.get(id);
    return row ? [{ ...row, title: oneLine(text, 200) }] : [];
  });
  return behindNewer(told, ({ replacedBy }) => told.find(({ id }) => id === replacedBy?.id));
}

/** One item for each line of a list, else for each line. */
function splitItems(text: string | null): string[] {
  if (!text) return [];
  return text
    .split('\n')
    .map((line) => line.replace(/^\s*(?:[-*•]|\d+[.)])\s+(?:\[[ x]\]\s+)?/, '').trim())
    .filter((line) => /[\p{L}\p{N}]/u.test(line));
}

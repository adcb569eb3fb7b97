// What only may be replaced is given behind what may replace it, with that said: never alone.
import type { Database } from 'bun:sqlite';
import { parseRef } from '../core/memory.ts';
import type { MemoryRow } from '../core/shapes/memory.ts';
import { readTellableByIds } from '../memory/for-context.ts';
import type { Observation } from '../memory/observations.ts';
import { readRows } from '../memory/read.ts';

export type Pair = {
  /** The prompt of the turn that may replace it, where nothing that was observed does. */
  above: MemoryRow | null;
  /** What it may replace, each a line of its own. */
  behind: Observation[];
};

export type Paired = {
  /** In the order given; what was fetched because it may replace one of them stands in the place of that one. */
  first: Observation[];
  /** By the id of the first. */
  pairs: Map<number, Pair>;
  /** What may replace these cannot be given, or stands before enough others. */
  alone: Observation[];
};

/** Of what one memory may replace the first given: a doubt about all that came before it is no reason to list that. */
const MOST_BEHIND = 1;

export function pairReplaced(db: Database, observations: Observation[]): Paired {
  const doubtful = observations.filter(mayBeReplaced);
  if (doubtful.length === 0) return { first: observations, pairs: new Map(), alone: [] };
  const known = withNewer(db, observations);
  const prompts = readPrompts(db, [...known.values()]);
  const pairs = new Map<number, Pair>();
  const alone: Observation[] = [];
  const first = new Set<Observation>();
  for (const one of observations) {
    const top = topOf(one, known);
    const above = mayBeReplaced(top) ? prompts.get(newerOf(top)) : undefined;
    if (mayBeReplaced(top) && !above) {
      alone.push(one);
      continue;
    }
    first.add(top);
    const pair = pairs.get(top.id) ?? { above: above ?? null, behind: [] };
    if (above || top !== one) pairs.set(top.id, pair);
    if (top === one) continue;
    if (pair.behind.length < MOST_BEHIND) pair.behind.push(one);
    else alone.push(one);
  }
  return { first: [...first], pairs, alone };
}

/** For a note: each first, then what is behind it. What cannot be given is left out. */
export function inPairs(db: Database, observations: Observation[]): { observation: Observation; pair: Pair | null }[] {
  const { first, pairs } = pairReplaced(db, doubtOverwritten(db, observations));
  return first.map((observation) => ({ observation, pair: pairs.get(observation.id) ?? null }));
}

/** A line that it wrote was taken out by something newer that may be told: part of what it says is no longer so. */
function doubtOverwritten(db: Database, observations: Observation[]): Observation[] {
  const by = new Map(
    observations.flatMap((one) => (one.replacedBy || one.outcome === 'ruled-out' ? [] : [[one.id, findOverwriter(db, one)] as const])),
  );
  const told = new Map(
    readTellableByIds(
      db,
      [...new Set(by.values())].flatMap((id) => id ?? []),
    ).map((one) => [one.id, one]),
  );
  return observations.map((one) => {
    const newer = told.get(by.get(one.id) ?? 0);
    if (!newer) return one;
    return { ...one, replacedBy: { id: String(newer.id), isCertain: false, why: 'undone', words: null, at: newer.at, session: '' } };
  });
}

/** So many of the newest changes of a file are looked at. */
const MOST_CHANGES = 50;

/** The newest that took out a line of it which nothing put back since. */
function findOverwriter(db: Database, { id, at }: Observation): number | null {
  const wrote = db.query<{ project: number; path: string; added: string }, [number]>(
    `SELECT project_id AS project, path, added FROM citations WHERE observation_id = ? AND did = 'changed' AND added <> '[]'`,
  );
  const later = db.query<{ by: number; added: string; removed: string }, [number, string, number]>(
    `SELECT o.id AS by, c.added, c.removed FROM (SELECT observation_id, added, removed FROM citations
         WHERE project_id = ? AND path = ? AND did = 'changed' ORDER BY observation_id DESC LIMIT ${MOST_CHANGES}) AS c
       JOIN observations o ON o.id = c.observation_id WHERE o.created_at_epoch > ? ORDER BY o.created_at_epoch DESC, o.id DESC`,
  );
  for (const { project, path, added } of wrote.iterate(id)) {
    const lines = new Set<string>(JSON.parse(added));
    for (const change of later.iterate(project, path, at)) {
      for (const line of JSON.parse(change.added)) lines.delete(line);
      if ((JSON.parse(change.removed) as string[]).some((line) => lines.has(line))) return change.by;
    }
  }
  return null;
}

const mayBeReplaced = ({ replacedBy }: Observation) => replacedBy?.isCertain === false;

const newerOf = ({ replacedBy }: Observation) => replacedBy?.id ?? '';

/** A chain of doubts is seldom longer. */
const LONGEST_CHAIN = 5;

/** By their ids: with those that may replace one of them. */
function withNewer(db: Database, observations: Observation[]): Map<string, Observation> {
  const known = new Map(observations.map((one) => [String(one.id), one]));
  for (let step = 0; step < LONGEST_CHAIN; step++) {
    const missing = [...known.values()].filter((one) => mayBeReplaced(one) && !known.has(newerOf(one)));
    const ids = missing.flatMap((one) => (parseRef(newerOf(one))?.kind === 'observation' ? Number(newerOf(one)) : []));
    const found = ids.length > 0 ? readTellableByIds(db, ids) : [];
    if (found.length === 0) break;
    for (const one of found) known.set(String(one.id), one);
  }
  return known;
}

function readPrompts(db: Database, observations: Observation[]): Map<string, MemoryRow> {
  const refs = observations.flatMap((one) => (mayBeReplaced(one) ? (parseRef(newerOf(one)) ?? []) : []));
  const prompts = refs.filter(({ kind }) => kind === 'prompt');
  return readRows(db, prompts);
}

/** The last of its chain that is known. */
function topOf(observation: Observation, known: Map<string, Observation>): Observation {
  let top = observation;
  for (let step = 0; step < LONGEST_CHAIN && mayBeReplaced(top); step++) top = known.get(newerOf(top)) ?? top;
  return top;
}

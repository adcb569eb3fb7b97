// How much can be found, in all and by the day.

import type { Database } from 'bun:sqlite';
import type { MemoryKind } from '../core/memory.ts';
import { OBSERVATION_TYPES, type ObservationType } from '../core/observation.ts';
import type { DayCount, Stats } from '../core/shapes/worker.ts';
import { formatDate, startsOfDays } from '../core/time.ts';
import { countRows, readColumn } from '../store/read.ts';

export function countAll(db: Database): Stats['counts'] {
  const countKind = (kind: MemoryKind) => countRows(db, 'documents WHERE kind = ?', kind);
  return {
    observations: countKind('observation'),
    summaries: countKind('summary'),
    prompts: countKind('prompt'),
    sessions: countRows(db, 'sessions'),
    projects: countRows(db, 'projects'),
  };
}

/** Observations by their type, for each of the last days as the clock on the wall counts them, oldest first. */
export function countByDay(db: Database, { now, days }: { now: number; days: number }): DayCount[] {
  const starts = startsOfDays(now, days);
  const counted = new Map(starts.slice(0, -1).map((start) => [formatDate(start), noneOfEach()]));
  const rows = db.query<{ day: string; type: ObservationType; n: number }, [number, number]>(
    `SELECT date(at / 1000, 'unixepoch', 'localtime') AS day, type, count(*) AS n FROM documents INDEXED BY documents_places
     WHERE kind = 'observation' AND at >= ? AND at < ? GROUP BY 1, 2`,
  );
  for (const { day, type, n } of rows.all(starts[0] ?? 0, starts.at(-1) ?? 0)) {
    const types = counted.get(day);
    if (types) types[type] = n;
  }
  return [...counted].map(([day, types]) => ({ day, types }));
}

const noneOfEach = () => Object.fromEntries(OBSERVATION_TYPES.map((type) => [type, 0])) as DayCount['types'];

export type PastCounts = Pick<Stats['counts'], 'observations' | 'summaries' | 'prompts'>;

/** Also what cannot be found. */
export const countPast = (db: Database): PastCounts => ({
  observations: countRows(db, 'observations'),
  summaries: countRows(db, 'summaries'),
  prompts: countRows(db, 'prompts'),
});

/** The work trees that sessions were in. */
export const listRoots = (db: Database): string[] => readColumn(db, "SELECT DISTINCT root FROM sessions WHERE root <> ''");

// How much can be found, in all and by the day.

import type { Database } from 'bun:sqlite';
import type { MemoryKind } from '../core/memory.ts';
import { OBSERVATION_TYPES, type ObservationType } from '../core/observation.ts';
import type { DayCount } from '../core/shapes/stats.ts';
import { DAY_MS, type DaySpan, formatDate, spansOfDays, startsOfDays } from '../core/time.ts';

type Counts = { observations: number; summaries: number; prompts: number; sessions: number; projects: number };

export function countAll(db: Database): Counts {
  const count = (from: string) => db.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${from}`).get()?.n ?? 0;
  const countKind = (kind: MemoryKind) => count(`documents WHERE kind = '${kind}'`);
  return {
    observations: countKind('observation'),
    summaries: countKind('summary'),
    prompts: countKind('prompt'),
    sessions: count("sessions WHERE host NOT IN ('claude-mem','git')"),
    projects: count('projects'),
  };
}

/** Observations by their type, for each of the last days as the clock on the wall counts them, oldest first. */
export function countByDay(db: Database, { now, days }: { now: number; days: number }): DayCount[] {
  const starts = startsOfDays(now, days);
  const counted = starts.slice(0, -1).map((start): DayCount => ({ day: formatDate(start), types: noneOfEach() }));
  for (const span of spansOfDays(starts)) {
    for (const { day, type, n } of countSpan(db, span)) {
      const one = counted[span.first + day];
      if (one) one.types[type] = n;
    }
  }
  return counted;
}

type Row = { day: number; type: ObservationType; n: number };

function countSpan(db: Database, { start, end }: DaySpan): Row[] {
  // A day of 25 hours is a span of its own.
  const last = Math.max(0, Math.floor((end - start) / DAY_MS) - 1);
  return db
    .query<Row, [Record<string, number>]>(
      `SELECT min((at - $start) / $dayMs, $last) AS day, type, count(*) AS n FROM documents INDEXED BY documents_places
       WHERE kind = 'observation' AND at >= $start AND at < $end GROUP BY 1, 2`,
    )
    .all({ start, end, last, dayMs: DAY_MS });
}

const noneOfEach = () => Object.fromEntries(OBSERVATION_TYPES.map((type) => [type, 0])) as Record<ObservationType, number>;

export type PastCounts = { observations: number; summaries: number; prompts: number };

export function countPast(db: Database): PastCounts {
  return (
    db
      .query<PastCounts, []>(
        `SELECT (SELECT count(*) FROM observations) AS observations, (SELECT count(*) FROM summaries) AS summaries,
           (SELECT count(*) FROM prompts) AS prompts`,
      )
      .get() ?? { observations: 0, summaries: 0, prompts: 0 }
  );
}

/** The work trees that sessions were in. */
export const listRoots = (db: Database): string[] =>
  db
    .query<{ root: string }, []>("SELECT DISTINCT root FROM sessions WHERE root <> '' AND host NOT IN ('git', 'claude-mem')")
    .all()
    .map(({ root }) => root);

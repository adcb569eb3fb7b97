// How much can be found, in all and by the day.
import type { Database } from 'bun:sqlite';
import { DAY_MS, type DaySpan, spansOfDays, startsOfDays } from '../../core/local-days.ts';
import { formatDate } from '../../core/local-time.ts';
import type { MemoryKind } from '../../core/memory.ts';
import { OBSERVATION_TYPES, type ObservationType } from '../../core/observation.ts';
import type { DayCount } from '../../core/stats.ts';

export type Counts = { observations: number; summaries: number; prompts: number; sessions: number; projects: number };

/** Of all projects when there is no list. */
const inProjects = (projects: string | null) =>
  projects === null ? '' : 'AND project_id IN (SELECT value FROM json_each($projects))';
const listOf = (projectIds: number[] | null) => (projectIds === null ? null : JSON.stringify(projectIds));
const bind = (projects: string | null): Record<string, string> => (projects === null ? {} : { projects });

/** Null: of all projects. */
export function countAll(db: Database, projectIds: number[] | null): Counts {
  const projects = listOf(projectIds);
  const count = (from: string) =>
    db.query<{ n: number }, [Record<string, string>]>(`SELECT count(*) AS n FROM ${from}`).get(bind(projects))?.n ?? 0;
  // By its place a document is found without its texts; by its kind alone, sooner still.
  const documents = projects === null ? 'documents' : 'documents INDEXED BY documents_places';
  const countKind = (kind: MemoryKind) => count(`${documents} WHERE kind = '${kind}' ${inProjects(projects)}`);
  return {
    observations: countKind('observation'),
    summaries: countKind('summary'),
    prompts: countKind('prompt'),
    sessions: count(`sessions WHERE host NOT IN ('claude-mem','git') ${inProjects(projects)}`),
    projects: projectIds?.length ?? count('projects'),
  };
}

/** Observations by their type, for each of the last days as the clock on the wall counts them, oldest first. */
export function countByDay(
  db: Database,
  { now, days, projectIds }: { now: number; days: number; projectIds: number[] | null },
): DayCount[] {
  const starts = startsOfDays(now, days);
  const counted = starts.slice(0, -1).map((start): DayCount => ({ day: formatDate(start), types: noneOfEach() }));
  for (const span of spansOfDays(starts)) {
    for (const { day, type, n } of countSpan(db, span, listOf(projectIds))) {
      const one = counted[span.first + day];
      if (one) one.types[type] = n;
    }
  }
  return counted;
}

type Row = { day: number; type: ObservationType; n: number };

function countSpan(db: Database, { start, end }: DaySpan, projects: string | null): Row[] {
  // A day of 25 hours is a span of its own.
  const last = Math.max(0, Math.floor((end - start) / DAY_MS) - 1);
  return db
    .query<Row, [Record<string, number | string>]>(
      `SELECT min((at - $start) / $dayMs, $last) AS day, type, count(*) AS n FROM documents INDEXED BY documents_places
       WHERE kind = 'observation' AND at >= $start AND at < $end ${inProjects(projects)} GROUP BY 1, 2`,
    )
    .all({ start, end, last, dayMs: DAY_MS, ...bind(projects) });
}

const noneOfEach = () =>
  Object.fromEntries(OBSERVATION_TYPES.map((type) => [type, 0])) as Record<ObservationType, number>;

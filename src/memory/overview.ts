// What happened, counted: in some days with what is left to do, in all, and day by day.
import type { Database } from 'bun:sqlite';
import type { MemoryKind } from '../core/memory.ts';
import { OBSERVATION_TYPES, type ObservationType } from '../core/observation.ts';
import type { Overview } from '../core/shapes/pages.ts';
import type { DayCount, Stats } from '../core/shapes/worker.ts';
import { DAY_MS, formatDate, startsOfDays } from '../core/time.ts';
import { countRows, readAll, readColumn, readFirst } from '../store/read.ts';
import { countGiven } from './injections.ts';
import { countOpenSteps, listOpenSteps } from './open-steps.ts';

type Scope = {
  /** Null: every project. */
  projectIds: number[] | null;
  now: number;
  /** How many days are counted, and how many the heatmap has. */
  days: number;
  shownDays: number;
};

const FILES = 8;
const STEPS = 8;

type Values = Record<string, string | number>;
const within = (column: string, { projectIds }: Pick<Scope, 'projectIds'>) =>
  projectIds ? `AND ${column} IN (SELECT value FROM json_each($projects))` : '';

export function readOverview(db: Database, scope: Scope): Overview {
  const { projectIds, now, days } = scope;
  const since = startsOfDays(now, days)[0] ?? now - days * DAY_MS;
  const values: Values = { since, ...(projectIds ? { projects: JSON.stringify(projectIds) } : {}) };
  const { cameBack: _, ...given } = countGiven(db, since, projectIds);
  return {
    since,
    sessions: countRows(db, `sessions s WHERE s.updated_at_epoch >= $since ${within('s.project_id', scope)}`, values),
    given,
    spent: readSpent(db, scope, values),
    made: readMade(db, scope, values),
    days: countDays(db, scope),
    files: listTopFiles(db, scope, values),
    steps: listOpenSteps(db, { projectIds, limit: STEPS }).map(({ id, ref, text, project, at }) => ({ id, turn: ref, text, project, at })),
    openSteps: countOpenSteps(db, projectIds),
  };
}

const readSpent = (db: Database, scope: Scope, values: Values): Overview['spent'] => {
  const sql = `SELECT coalesce(sum(input_tokens + cached_tokens + output_tokens), 0) AS tokens, count(*) AS calls FROM model_calls m
    WHERE m.created_at_epoch >= $since
      ${scope.projectIds ? `AND m.session_id IN (SELECT id FROM sessions s WHERE true ${within('s.project_id', scope)})` : ''}`;
  return readFirst<Overview['spent']>(db, sql, values) ?? { tokens: 0, calls: 0 };
};

const readMade = (db: Database, scope: Scope, values: Values): Overview['made'] => {
  const sql = `SELECT count(*) AS memories, coalesce(sum(type = 'decision'), 0) AS decisions, coalesce(sum(type = 'bugfix'), 0) AS fixes
    FROM documents WHERE kind = 'observation' AND at >= $since ${within('project_id', scope)}`;
  return readFirst<Overview['made']>(db, sql, values) ?? { memories: 0, decisions: 0, fixes: 0 };
};

/** As the clock on the wall counts them. */
function countDays(db: Database, scope: Scope): Overview['days'] {
  const starts = startsOfDays(scope.now, scope.shownDays);
  const sql = `SELECT date(at / 1000, 'unixepoch', 'localtime') AS day, count(*) AS n FROM documents INDEXED BY documents_places
    WHERE kind = 'observation' AND at >= $from AND at < $end ${within('project_id', scope)} GROUP BY 1`;
  const rows = readAll<{ day: string; n: number }>(db, sql, {
    from: starts[0] ?? 0,
    end: starts.at(-1) ?? 0,
    ...(scope.projectIds ? { projects: JSON.stringify(scope.projectIds) } : {}),
  });
  const counts = new Map(rows.map(({ day, n }) => [day, n]));
  return starts.slice(0, -1).map((start) => ({ day: formatDate(start), count: counts.get(formatDate(start)) ?? 0 }));
}

/** Those that most memories of these days are about; a file that was only read counts less. */
const listTopFiles = (db: Database, scope: Scope, values: Values): Overview['files'] => {
  const sql = `SELECT c.path AS file, p.name AS project, sum(c.did = 'changed') AS changed, sum(c.did = 'read') AS read, max(d.at) AS at
    FROM documents d JOIN observations o ON o.id = d.ref JOIN citations c ON c.observation_id = o.id
      JOIN projects p ON p.id = c.project_id
    WHERE d.kind = 'observation' AND d.at >= $since AND o.origin <> 'commit' ${within('d.project_id', scope)}
    GROUP BY c.project_id, c.path ORDER BY 2 * sum(c.did = 'changed') + sum(c.did = 'read') DESC, max(d.at) DESC LIMIT ${FILES}`;
  return readAll<Overview['files'][number]>(db, sql, values);
};

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

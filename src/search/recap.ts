// What was done, decided and left open in a time, project by project: for a stand-up.
import type { Database } from 'bun:sqlite';
import type { RecapAnswer } from '../core/search.ts';
import { listOpenSteps } from '../memory/open-steps.ts';
import {
  listRecapObservations,
  listRecapSummaries,
  type RecapObservation,
  type RecapRange,
  type RecapSummary,
} from '../store/memories/recap.ts';
import { MOST_OPEN, rollUp } from './rollup.ts';

export type RecapQuery = RecapRange & { now: number };

export function readRecap(db: Database, { now, ...range }: RecapQuery): RecapAnswer {
  const observations = listRecapObservations(db, range);
  const summaries = listRecapSummaries(db, range);
  const projects = groupByProject([...observations, ...summaries]).map(({ id, name }) => {
    const own = {
      observations: observations.filter(({ projectId }) => projectId === id),
      summaries: summaries.filter(({ projectId }) => projectId === id),
      // Until something ends them, however long ago they were announced.
      open: listOpenSteps(db, { projectIds: [id], until: range.until, limit: MOST_OPEN }),
    };
    const said = [...own.observations, ...own.summaries].filter(({ isOwn }) => !isOwn);
    return { project: name, sessions: new Set(said.map(({ sessionId }) => sessionId)).size, ...rollUp(db, own) };
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

// What a session is told: the last summary, the sessions before, an index of memories, and the few most valuable in full.
import type { Database } from 'bun:sqlite';
import type { ObservationType } from '../core/observation.ts';
import { listRecentObservations, type Observation, type RecentQuery } from '../store/observations.ts';
import { findGlobalProject } from '../store/projects.ts';
import { listRecentSessions, type RecentSession } from '../store/sessions.ts';
import { listRecentSummaries, type Summary } from '../store/summaries.ts';

export type Chosen = {
  summary: Summary | null;
  /** What somebody said holds in every project, newest first. */
  everywhere: Observation[];
  sessions: RecentSession[];
  /** Newest first. */
  index: Observation[];
  /** The most valuable first; all of them are in the index too. */
  full: Observation[];
  /** How many were left out because they are not what was stored. */
  damaged: number;
};

export type ChooseQuery = {
  projectId: number;
  sessionId: number;
  /** Only what came after this moment from other sessions: for a session that was told the rest before. */
  since: number | null;
};

const INDEX_SIZE = 50;
/** Room for what is left out as said before. */
const REPEATS = 15;
const FULL_COUNT = 6;
const SESSIONS = 10;
const EVERYWHERE_COUNT = 10;

export function chooseMemories(db: Database, { projectId, sessionId, since }: ChooseQuery): Chosen {
  const scope = since === null ? { projectId } : { projectId, since, exceptSession: sessionId };
  const { observations, damaged } = listRecentObservations(db, { ...scope, limit: INDEX_SIZE + REPEATS });
  const index = withoutRepeats(observations).slice(0, INDEX_SIZE);
  const global = listEverywhere(db, { ...scope, projectId });
  return {
    damaged: damaged + global.damaged,
    everywhere: withoutRepeats(global.observations),
    summary: chooseSummary(listRecentSummaries(db, { ...scope, limit: 10 })),
    sessions: since === null ? listRecentSessions(db, { projectId, except: sessionId, limit: SESSIONS }) : [],
    index,
    full: [...index].sort((a, b) => worthOf(b, index) - worthOf(a, index) || b.id - a.id).slice(0, FULL_COUNT),
  };
}

/** Only what a person said: else one call of one agent would speak to every session of every project. */
function listEverywhere(db: Database, { projectId, ...scope }: Omit<RecentQuery, 'limit'>) {
  const project = findGlobalProject(db);
  if (!project || project.id === projectId) return { observations: [], damaged: 0 };
  return listRecentObservations(db, { ...scope, projectId: project.id, limit: EVERYWHERE_COUNT, onlyByUser: true });
}

/** The newest that says something: a turn of thanks, or a session that only looked, must not hide the work before it. */
function chooseSummary(summaries: Summary[]): Summary | null {
  return summaries.find(({ completed, learned, nextSteps }) => completed || learned || nextSteps) ?? null;
}

function withoutRepeats(observations: Observation[]): Observation[] {
  const seen = new Set<string>();
  return observations.filter(({ type, title }) => {
    const key = `${type} ${title?.toLowerCase()}`;
    if (!title || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

const VALUE: Record<ObservationType, number> = {
  decision: 5,
  bugfix: 4,
  discovery: 3,
  feature: 3,
  refactor: 2,
  change: 1,
};

/** By type, lowered with each newer memory: what the code cannot tell by itself comes first. */
function worthOf(observation: Observation, index: Observation[]): number {
  const age = index.indexOf(observation) / INDEX_SIZE;
  const ruledOut = observation.outcome === 'ruled-out' ? 2 : 0;
  return (observation.pinned ? 100 : 0) + VALUE[observation.type] + ruledOut - 4 * age;
}

// What the status line of a host shows: how much is remembered where it is, what waits, and whether anything is silent.
import type { Database } from 'bun:sqlite';
import type { Silence, StatuslineAnswer } from '../../core/silence.ts';
import { isStuck, readQueue } from '../../store/events/queue.ts';
import { countProjectObservations } from '../../store/memories/observations.ts';
import { findProjectBy } from '../../store/projects/projects.ts';
import { identifyPlace, nameProject } from '../projects/identify-place.ts';
import { findSilence, type SilenceSettings } from '../silence/silence.ts';

export type StatuslineDeps = { db: Database; settings: SilenceSettings; now: number };

export function readStatusline(
  { db, settings, now }: StatuslineDeps,
  { cwd, session }: { cwd?: string; session?: string },
): StatuslineAnswer {
  const identity = cwd === undefined ? NO_FOLDER : identifyPlace(cwd, settings);
  const project = findProjectBy(db, identity);
  const silence: Silence | null = findSilence(db, settings, {
    session: session ?? null,
    cwd: cwd ?? '',
    project: nameProject(db, identity),
    at: now,
  });
  return {
    observations: project ? countProjectObservations(db, project.id) : 0,
    waiting: readQueue(db, now).depth,
    isHealthy: !isStuck(db, now),
    silence,
  };
}

/** No project is called so. */
const NO_FOLDER = { key: '', name: '', root: '', remote: null };

// After a command failed as it did in an earlier session: what is known about that error.
import type { Database } from 'bun:sqlite';
import { markError } from '../core/error-mark.ts';
import type { ToolEvent } from '../core/event.ts';
import { listErrorLessons } from '../store/memories/lessons.ts';
import type { Observation } from '../store/memories/observations.ts';
import { pickLessons } from './pick-lessons.ts';

export type ErrorRecall = {
  /** By which the error was known: said once in a session. */
  mark: string;
  /** The best first. */
  observations: Observation[];
};

const MOST_MEMORIES = 2;

/** Null when nothing of an earlier session tells of this error. Reads only. */
export function recallError(
  db: Database,
  { projectId, sessionId, event }: { projectId: number; sessionId: number; event: Pick<ToolEvent, 'error'> },
): ErrorRecall | null {
  const marks = event.error === null ? [] : markError(event.error);
  if (marks.length === 0) return null;
  const lessons = listErrorLessons(db, { projectId, exceptSession: sessionId, marks });
  const observations = pickLessons(db, lessons, MOST_MEMORIES);
  const [best] = observations;
  // The most telling of its marks: another error with it would be the same.
  const mark = best && marks.find((one) => lessons.some((lesson) => lesson.id === best.id && lesson.mark === one));
  return mark ? { mark, observations } : null;
}

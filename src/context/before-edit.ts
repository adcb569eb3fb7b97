// Before a file is edited: what was decided about it, what it holds in store for whoever edits it, and what was tried in vain.
import type { Database } from 'bun:sqlite';
import { readCommitted } from '../store/commits.ts';
import { type Lesson, listFileLessons } from '../store/lessons.ts';
import type { Observation } from '../store/observations.ts';
import { pickLessons } from './pick-lessons.ts';

const MOST_MEMORIES = 3;

/**
 * Of other sessions, the best first. `path` as memories name it: relative to the session's root. Reads only, and neither asks git nor
 * searches: an edit waits for it.
 */
export function recallFile(
  db: Database,
  { projectId, sessionId, path }: { projectId: number; sessionId: number; path: string },
): Observation[] {
  const lessons = listFileLessons(db, { projectId, exceptSession: sessionId, path });
  return pickLessons(db, commitsLast(db, lessons), MOST_MEMORIES);
}

/** What a session learned says more than what a commit says of itself. */
function commitsLast(db: Database, lessons: Lesson[]): Lesson[] {
  const committed = readCommitted(
    db,
    lessons.map(({ id }) => id),
  );
  const isCommit = ({ id }: Lesson) => committed.get(id)?.isCommit === true;
  return [...lessons.filter((one) => !isCommit(one)), ...lessons.filter(isCommit)];
}

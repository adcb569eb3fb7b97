// Before a file is edited: what was decided about it, what it holds in store for whoever edits it, and what was tried in vain.
import type { Database } from 'bun:sqlite';
import { readCommitted } from '../store/commits/commits.ts';
import { type FileLesson, type Lesson, listFileLessons } from '../store/memories/lessons.ts';
import type { Observation } from '../store/memories/observations.ts';
import { readCurrentByIds } from '../store/trust/tellable-observations.ts';
import { foldCommits } from './fold-commits.ts';
import { pickLessons } from './pick-lessons.ts';

const MOST_MEMORIES = 3;
/** So many commits are compared with each other. */
const COMPARED = 20;

export type FileQuestion = {
  projectId: number;
  sessionId: number;
  /** As memories name it: relative to the session's root. */
  path: string;
  /** What it was called before. */
  earlier?: string[];
};

/** Of other sessions, the best first. Reads only, and neither asks git nor searches: an edit waits for it. */
export function recallFile(db: Database, { projectId, sessionId, path, earlier = [] }: FileQuestion): Observation[] {
  const lessons = listFileLessons(db, { projectId, exceptSession: sessionId, paths: [path, ...earlier] });
  return pickLessons(db, commitsLast(db, onlyLastWork(lessons)), MOST_MEMORIES);
}

/** What the code shows by itself: one is enough, to know what was last done there. */
function onlyLastWork(lessons: FileLesson[]): FileLesson[] {
  const last = lessons.find(({ rank }) => rank === 'work');
  return lessons.filter((one) => one.rank !== 'work' || one === last);
}

/** What a session learned says more than what a commit says of itself; and of commits that say the same, one is enough. */
function commitsLast(db: Database, lessons: Lesson[]): Lesson[] {
  const committed = readCommitted(
    db,
    lessons.map(({ id }) => id),
  );
  const isCommit = ({ id }: Lesson) => committed.get(id)?.isCommit === true;
  const commits = lessons.filter(isCommit).slice(0, COMPARED);
  const observations = readCurrentByIds(
    db,
    commits.map(({ id }) => id),
  );
  const kept = new Set(foldCommits(observations).map(({ id }) => id));
  return [...lessons.filter((one) => !isCommit(one)), ...commits.filter(({ id }) => kept.has(id))];
}

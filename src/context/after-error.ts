// After a command failed as it did in an earlier session: what is known about that error, its cause, its fix, and what did not help.
import type { Database } from 'bun:sqlite';
import { findTellingLines, markError, readErrorLines } from '../core/error-mark.ts';
import { hashParts } from '../core/ids.ts';
import { listErrorLessons } from '../memory/for-context.ts';
import type { Observation } from '../memory/observations.ts';
import { pickLessons } from './before-edit.ts';

type ErrorRecall = {
  /** By which the error was known: said once in a session. */
  mark: string;
  /** The best first. */
  observations: Observation[];
};

export const MOST_MEMORIES = 2;
export const KNOWN_ERROR = 'this error, which was seen before';

/** Null when no memory of an earlier session is known by this error. Reads only. */
export function recallError(
  db: Database,
  { projectId, sessionId, error }: { projectId: number; sessionId: number; error: string },
): ErrorRecall | null {
  const marks = markError(error);
  if (marks.length === 0) return null;
  const lessons = listErrorLessons(db, { projectId, exceptSession: sessionId, marks });
  const observations = pickLessons(db, lessons, MOST_MEMORIES);
  const [best] = observations;
  // The most telling of its marks: another error with it would be the same.
  const mark = best && marks.find((one) => lessons.some((lesson) => lesson.id === best.id && lesson.mark === one));
  return mark ? { mark, observations } : null;
}

/** The lines that tell what went wrong, else the first; null where it printed nothing. With that by which it is said once. */
export function readErrorText(error: string): { text: string; mark: string } | null {
  const lines = readErrorLines(error);
  const told = findTellingLines(lines);
  const text = (told.length > 0 ? told : lines.slice(0, FIRST_LINES)).join('\n').slice(0, LONGEST);
  return text === '' ? null : { text, mark: hashParts(['error', text]).slice(0, 16) };
}

const FIRST_LINES = 2;
const LONGEST = 400;

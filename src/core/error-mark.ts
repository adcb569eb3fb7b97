// By what an error is known again, whatever numbers, paths and times stand in it.
import { findTellingLines, readErrorLines } from './error-lines.ts';
import { shapeOf } from './error-shape.ts';
import { findSubject } from './error-subject.ts';
import { hashParts } from './ids.ts';

const MARKS_KEPT = 4;

/**
 * Hashes of what tells what went wrong, as far as it would be the same the next time: the lines that tell most, the tests that failed,
 * and what the error is about where that alone is enough. None for what any failure may print.
 */
export function markError(error: string): string[] {
  if (isNoError(error)) return [];
  const lines = readErrorLines(error);
  const subject = findSubject(lines);
  const room = subject ? MARKS_KEPT - 1 : MARKS_KEPT;
  const told = findTellingLines(lines)
    .filter((line) => !IS_OF_PORT.test(line))
    .flatMap((line) => shapeOf(line) ?? []);
  const texts = [...new Set(told)].slice(0, room).concat(subject ?? []);
  return texts.map((text) => hashParts(['error', text]).slice(0, 16));
}

/** Without its port it could be any service's, and with it the subject tells it. */
const IS_OF_PORT = /ECONNREFUSED|EADDRINUSE|connection refused|already in use|already allocated/i;

/** What the agent's own tools answer to a slip, and what a person did not let happen: nothing of the project failed. */
const isNoError = (error: string) =>
  /^(?:Exit code (?:130|137|143)\s*$|String to replace not found|File (?:has not been read|does not exist|has been (?:unexpectedly )?modified)|InputValidationError|<tool_use_error>|Found \d+ matches of the string|No changes to make|EISDIR|File content \()|doesn't want to (?:proceed|take this action)|interrupted by user|\[Request interrupted|was rejected|permission to use|requires approval/.test(
    error.slice(0, 400),
  );

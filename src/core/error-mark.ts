// By what an error is known again, whatever numbers, paths and times stand in it.
import { hashParts } from './ids.ts';

/** Hashes of the lines that tell what went wrong, as far as they would be the same the next time. */
export function markError(error: string): string[] {
  const lines = error.split('\n').filter((line) => /error|fail|exception|panic|cannot|not found/i.test(line));
  return [...new Set(lines.slice(0, 3).map((line) => hashParts([line.replace(/\d+/g, '0').trim()]).slice(0, 16)))];
}

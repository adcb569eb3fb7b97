// An error as a terminal may show it: it may name something stored, which must not steer the terminal.
import { readableLine } from '../core/plain-line.ts';

const LONGEST = 2000;

/** Line by line, as our own messages are written. */
export function describeError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message
    .split('\n')
    .map((line) => `${/^ */.exec(line)?.[0] ?? ''}${readableLine(line, LONGEST)}`)
    .join('\n');
}

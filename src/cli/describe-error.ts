// An error as a terminal may show it: it may name something stored, which must not steer the terminal.
import { AskError } from '../core/ask-error.ts';
import { readableLine } from '../core/plain-line.ts';

const LONGEST = 2000;

/** Line by line, as our own messages are written. */
export function describeError(error: unknown): string {
  const said = error instanceof Error ? error.message : String(error);
  const message = error instanceof AskError ? `${said} ${error.hint}` : said;
  return message
    .split('\n')
    .map((line) => `${/^ */.exec(line)?.[0] ?? ''}${readableLine(line, LONGEST)}`)
    .join('\n');
}

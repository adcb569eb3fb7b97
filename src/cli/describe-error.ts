// An error as a terminal may show it: it may name something stored, which must not steer the terminal.
import { AskError } from '../core/ask-error.ts';
import { plainLine } from '../core/plain-line.ts';
import { findPaths } from '../paths.ts';

const LONGEST = 2000;

/** The end of a process that does one thing. No top-level await: with bytecode the bundle is CommonJS. */
export function runToEnd(running: Promise<void>): void {
  running.then(
    () => process.exit(process.exitCode ?? 0),
    (error) => {
      process.stderr.write(`${wrapText(describeError(error), process.stderr)}\n`);
      process.exit(isMisuse(error) ? MISUSED : 1);
    },
  );
}

export const MISUSED = 2;

const isMisuse = (error: unknown) => error instanceof AskError && error.kind === 'invalid';

export function describeError(error: unknown): string {
  const said = error instanceof Error ? error.message : String(error);
  const remedy = error instanceof AskError ? error.hint : adviseOnPlace(error);
  const message = remedy === '' ? said : `${said} ${remedy}`;
  return message
    .split('\n')
    .map((line) => `${/^ */.exec(line)?.[0] ?? ''}${plainLine(line, LONGEST)}`)
    .join('\n');
}

/** At a terminal no line breaks within a word; one that is longer than a line stays whole. What follows is indented like its beginning. */
export function wrapText(text: string, { isTTY, columns = 80 }: { isTTY?: boolean; columns?: number } = process.stdout): string {
  if (!isTTY) return text;
  return text
    .split('\n')
    .map((line) => {
      if (Bun.stringWidth(line) <= columns) return line;
      const [lead = ''] = /^ *(?:- |\S {2})?/.exec(line) ?? [];
      const [end = ''] = / *$/.exec(line) ?? [];
      const shown = Bun.wrapAnsi(line.slice(lead.length).trimEnd(), columns - lead.length);
      return `${lead}${shown.replaceAll('\n', `\n${' '.repeat(lead.length)}`)}${end}`;
    })
    .join('\n');
}

const NOT_WRITABLE = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR'];

/** A data dir that cannot be made or written to: the system only says no. */
function adviseOnPlace(error: unknown): string {
  if (!(error instanceof Error && 'code' in error && 'path' in error)) return '';
  const { dataDir } = findPaths();
  const isOurs = typeof error.path === 'string' && `${error.path}/`.startsWith(`${dataDir}/`);
  if (!isOurs || !NOT_WRITABLE.includes(String(error.code))) return '';
  return `\nThe data dir ${dataDir} cannot be written to. Make it writable, or set CLAUDE_MEM_DATA_DIR to a folder that is.`;
}

// What was meant by a word that is not known.

/** ` Did you mean X?`, or nothing where no candidate is near. */
export function suggest(word: string, candidates: readonly string[]): string {
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: countEdits(word.toLowerCase(), candidate.toLowerCase()) }))
    .sort((one, other) => one.distance - other.distance);
  const [best] = ranked;
  return best && best.distance <= Math.max(1, Math.floor(best.candidate.length / 3)) ? ` Did you mean ${best.candidate}?` : '';
}

/** Letters put in, left out, exchanged for others, or in the wrong order. Nobody means a word by a text. */
function countEdits(from: string, to: string): number {
  if (from.length > 2 * to.length + 2) return from.length;
  let [before, last] = [[] as number[], Array.from({ length: to.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= from.length; row++) {
    const next = [row];
    for (let at = 1; at <= to.length; at++) {
      const isSame = from[row - 1] === to[at - 1];
      const isSwapped = row > 1 && at > 1 && from[row - 1] === to[at - 2] && from[row - 2] === to[at - 1];
      const edits = Math.min((last[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1, (last[at - 1] ?? 0) + (isSame ? 0 : 1));
      next.push(isSwapped ? Math.min(edits, (before[at - 2] ?? 0) + 1) : edits);
    }
    [before, last] = [last, next];
  }
  return last[to.length] ?? 0;
}

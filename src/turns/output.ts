// What is kept of a command's output: all of a short one, of a long one the lines that tell, and its end.
import { tellingLines } from './telling-lines.ts';

const SHORT = 700;
const SHORT_FAILED = 1600;
const LONGEST_LINE = 300;
const LAST_LINES = 4;
/** As every tool prints it, whatever the language: something went wrong, was expected, or was counted. */
const TELLS =
  /error|fail|exception|panic|fatal|assert|expected|received|actual|cannot|not found|denied|refused|undefined|traceback|warn|✗|✘|×|\b\d+ (?:passed|failed|errors?|tests?)\b|^\s*(?:E |at |-->)/i;
const ESCAPES = /\u001b\[[0-?]{0,40}[ -/]{0,8}[@-~]|\r/g;
/** So much of a huge output is looked at, from both ends: what tells stands in one of them. */
const READ = 40_000;

export function tellOutput(output: string, isOk: boolean): string {
  const room = isOk ? SHORT : SHORT_FAILED;
  const ends = output.length <= 2 * READ ? output : `${output.slice(0, READ)}\n${output.slice(-READ)}`;
  const text = ends.replace(ESCAPES, '').trim();
  if (text.length <= room) return text;
  const lines = text
    .split('\n')
    .map((line) => line.trimEnd().slice(0, LONGEST_LINE))
    .filter(Boolean);
  const last = lines.slice(-LAST_LINES).join('\n');
  // The first line says what it is the output of.
  const bonus = (line: string, at: number) => (at === 0 && isOk ? 10 : TELLS.test(line) ? 1 : 0);
  const telling = tellingLines(lines.slice(0, -LAST_LINES), Math.max(0, room - last.length), bonus);
  return [telling, '…', last]
    .filter(Boolean)
    .join('\n')
    .slice(0, room + LONGEST_LINE);
}

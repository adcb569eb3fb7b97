// What is kept of a command's output: all of a short one, of a long one the lines that tell, and its end.

const SHORT = 700;
const SHORT_FAILED = 1600;
const LONGEST_LINE = 300;
const LAST_LINES = 4;
/** As every tool prints it, whatever the language: something went wrong, was expected, or was counted. */
const TELLS = new RegExp(
  'error|fail|exception|panic|fatal|assert|expected|received|actual|cannot|not found|denied|refused|undefined|traceback|' +
    'warn|✗|✘|×|\\b\\d+ (?:passed|failed|errors?|tests?)\\b|^\\s*(?:E |at |-->)',
  'i',
);
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

// Of a long text the lines that tell: those whose words are rare in it. What stands there all the time says nothing, in any language.

const GAP = '…';

/** At most `room` characters, in their order, a mark at each gap. `bonus` raises a line over rarer ones. */
export function tellingLines(all: string[], room: number, bonus: (line: string, at: number) => number): string {
  const lines = all.map((line) => line.trimEnd().slice(0, LONGEST_LINE));
  const words = lines.map(wordsOf);
  const counts = new Map<string, number>();
  for (const one of words) for (const word of one) counts.set(word, (counts.get(word) ?? 0) + 1);
  const total = Math.log(lines.length);
  const rarities = new Map([...counts].map(([word, count]) => [word, Math.max(0, total - Math.log(count))]));
  const rarity = (one: string[]) => (one.length === 0 ? 0 : one.reduce((sum, word) => sum + (rarities.get(word) ?? 0), 0) / one.length);
  const order = lines
    .map((line, at) => ({ at, length: line.length, score: rarity(words[at] ?? []) + bonus(line, at) }))
    .filter(({ length }) => length > 0)
    .sort((one, other) => other.score - one.score || one.at - other.at);
  const kept = new Set<number>();
  let left = room;
  for (const { at, length } of order) {
    const gaps = (kept.has(at - 1) ? 0 : 1) + (kept.has(at + 1) ? 0 : 1) - 1;
    const cost = length + 1 + gaps * (GAP.length + 1);
    if (cost > left) continue;
    kept.add(at);
    left -= cost;
  }
  return lines.flatMap((line, at) => (kept.has(at) ? [line] : kept.has(at + 1) ? [GAP] : [])).join('\n');
}

/** Pieces of names count like words, a run of other letters than Latin as one; numbers are counters and times. */
const wordsOf = (line: string): string[] => line.match(/[A-Z]?[a-z]+|[A-Z]{2,}|[^\x00-\x7f]+/g) ?? [];

// The parser's time grows with the text and with nothing else.
import { expect, test } from 'bun:test';
import { parseAnswer } from '../../src/model/answer.ts';
import { cpuMs } from '../support/cpu-time.ts';

const SHORT = 62_500;
/** Three doublings at once, which a collection of garbage here or there does not hide: linear is 8, quadratic 64. */
const TIMES = 8;
const MOST_RATIO = 2.5 ** 3;
/** Below this a ratio says more about the clock than about the parser. */
const TOO_SHORT_MS = 2;

const repeat = (unit: string, before = '', after = '') => [unit, before, after] as const;

test.each<readonly [string, readonly [string, string, string]]>([
  ['opening tags', repeat('<observation>')],
  ['closing tags of something else', repeat('<summary></observation>')],
  ['deep fields', repeat('<narrative>', '<observation>')],
  ['items never closed', repeat('<fact>', '<observation><facts>')],
  ['brackets', repeat('<', '<observation><narrative>')],
  ['unclosed CDATA', repeat('<![CDATA[')],
  ['attributes', repeat('a="b" ', '<observation ', '>')],
  ['quotes that never fit', repeat('<title " a="')],
  ['spaces', repeat(' ', '<observation><narrative>a', 'b')],
  ['lines', repeat('\n ', '<observation><narrative>a', 'b')],
  ['combining marks', repeat('\u0301\u0323', '<observation><narrative>a')],
  ['commas', repeat('a,', '<observation><files_read>', '</files_read>')],
])(
  '%s',
  (_, [unit, before, after]) => {
    const text = (length: number) => before + unit.repeat(Math.floor(length / unit.length)) + after;
    const { short, long } = bestTimes(text(SHORT), text(TIMES * SHORT));
    expect(long).toBeLessThan(Math.max(MOST_RATIO * short, TOO_SHORT_MS));
    expect(long).toBeLessThan(1000);
  },
  // A machine can be busy for a whole round; what is not linear fails every time.
  { retry: 3 },
);

test('ten megabytes cost no more than what is read of them', () => {
  const { short, long } = bestTimes('</observation>'.repeat(37_000), '</observation>'.repeat(750_000));
  expect(long).toBeLessThan(Math.max(2.5 * short, 20));
});

/** Taken in turn, so that a busy machine is busy for both, and longer while the longer one had no quiet moment yet. */
function bestTimes(text: string, longer: string): { short: number; long: number } {
  const best = { short: Number.POSITIVE_INFINITY, long: Number.POSITIVE_INFINITY };
  for (let round = 0; round < 30 && (round < 5 || best.long > 12 * best.short); round++) {
    best.short = Math.min(best.short, timeOf(text));
    best.long = Math.min(best.long, timeOf(longer));
  }
  return best;
}

function timeOf(text: string): number {
  return cpuMs(() => parseAnswer(text), 1);
}

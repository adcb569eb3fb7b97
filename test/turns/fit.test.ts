// A record has its size: of the longest texts the middle goes, and it says so.
import { describe, expect, test } from 'bun:test';
import { fitRecord, type Step, type TurnRecord, writeRecord } from '../../src/turns/record.ts';

const MOST = 64 * 1024;
const sizeOf = (record: TurnRecord) => Buffer.byteLength(writeRecord(fitRecord(record)));
const times = (count: number, step: (at: number) => Step) => Array.from({ length: count }, (_, at) => step(at));
const long = (word: string, characters: number) => word.repeat(Math.ceil(characters / word.length));

const TODO = { status: 'pending' as const, text: 'Write a test for each of the nine' };
const HUGE: [string, TurnRecord][] = [
  ['one long message', { steps: [], closing: long('A sentence. ', 400_000) }],
  [
    'a thousand outputs',
    { steps: times(1000, (at) => ({ kind: 'ran', command: `test ${at}`, isOk: true, output: long('ok ', 700) })), closing: 'x' },
  ],
  ['fifty thousand looks', { steps: times(50_000, (at) => ({ kind: 'read', file: `src/${at}.ts` })), closing: 'x' }],
  [
    'a list of thousands',
    {
      steps: [
        { kind: 'todo', items: Array.from({ length: 9000 }, () => TODO) },
        { kind: 'said', text: 'x' },
      ],
      closing: 'Done.',
    },
  ],
];

test.each(HUGE)('%s fits', (_, record) => {
  expect(Buffer.byteLength(writeRecord(record))).toBeGreaterThan(MOST);
  expect(sizeOf(record)).toBeLessThanOrEqual(MOST);
  expect(writeRecord(fitRecord(record))).toMatch(/\[… \d+ (characters|steps) left out …\]/);
});

describe('what is long', () => {
  const said: Step = { kind: 'said', text: 'The cause is the clock of the worker.' };
  const output: Step = { kind: 'ran', command: 'bun test', isOk: false, output: `BEGIN${long('x', 90_000)}END` };
  const fitted = fitRecord({ steps: [said, output], closing: 'Fixed: the clock.' });

  test('keeps its beginning and its end, and what is short stays whole', () => {
    expect(fitted.steps[0]).toEqual(said);
    expect(fitted.closing).toBe('Fixed: the clock.');
    const [, ran] = fitted.steps;
    expect(ran?.kind === 'ran' && ran.output).toMatch(/^BEGINx+\n\[… \d+ characters left out …\]\nx+END$/);
  });
});

test('a record that fits stays as it is', () => {
  const record: TurnRecord = { steps: [{ kind: 'said', text: long('word ', 60_000) }], closing: 'Done.' };
  expect(fitRecord(record)).toBe(record);
});

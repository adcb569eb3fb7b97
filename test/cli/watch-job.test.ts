// How far a job is, in a line that fits.
import { expect, test } from 'bun:test';
import { describeProgress } from '../../src/cli/watch-job.ts';

const progress = {
  step: '120 of 2,000 sessions',
  done: 60e6,
  total: 1e9,
  unit: 'bytes',
  counts: { events: 12_345, observations: 1 },
} as const;
const BAR = `[█${' '.repeat(23)}] `;

test.each<[string, number, string]>([
  ['all of it', 200, `${BAR}120 of 2,000 sessions · 30.0 MB/s · 32 s left · 12,345 events · 1 observation`],
  ['without its last parts', 79, `${BAR}120 of 2,000 sessions · 30.0 MB/s · 32 s left`],
  ['only the step', 50, `${BAR}120 of 2,000 sessions`],
  ['without the bar', 30, '120 of 2,000 sessions'],
  ['cut, where nothing else helps', 10, '120 of 2,…'],
])('%s', (_, width, line) => expect(describeProgress(progress, 2000, { width })).toBe(line));

test('for a log there is no bar and no end', () => {
  expect(describeProgress({ ...progress, counts: { memories: 1 } }, 2000)).toBe('120 of 2,000 sessions · 30.0 MB/s · 32 s left · 1 memory');
});

// How far a job is, in a line that fits; and what takes longer than a second says so at a terminal.
import { expect, test } from 'bun:test';
import { describeProgress } from '../../src/cli/watch-job.ts';
import { serveFakeWorker } from '../support/fake-worker.ts';
import { runInTerminal } from '../support/in-terminal.ts';
import { createSandbox } from '../support/sandbox.ts';

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

/** A worker at which everything takes so long. */
const SLOW_MS = 2500;
const MERGED = { from: 'shop', project: 'store', key: 'folder:/store', moved: { sessions: 1, observations: 2, summaries: 3 } };

test.each([
  ['of a job how much is done, how fast, and how long it will take', 'export all.jsonl', /\[█+ +\] 3 of 9 rows · \d\/s · \d+ s left/],
  ['of what nobody can count for how long it goes on', 'projects merge shop store --yes', /Merging · 1 s/],
])('at a terminal it says %s', async (_, line, said) => {
  const sandbox = createSandbox();
  const since = performance.now();
  const job = () => {
    const isDone = performance.now() - since > SLOW_MS;
    const step = { step: '3 of 9 rows', done: 3, total: 9, unit: 'rows', counts: {} };
    return { id: 1, kind: 'export', status: isDone ? 'done' : 'running', progress: step, result: ['Exported.'], error: null };
  };
  const worker = serveFakeWorker(sandbox.paths, ({ path }) =>
    path.startsWith('/api/jobs') ? job() : Bun.sleep(SLOW_MS).then(() => MERGED),
  );
  const { shown } = await runInTerminal(line.split(' '), { env: sandbox.env });
  expect(shown).toMatch(said);
  await worker.close();
  await sandbox.dispose();
});

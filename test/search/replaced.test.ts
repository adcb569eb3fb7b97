// What search shows of memories that were replaced, or may be: found, marked, behind the newer.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { readRecap } from '../../src/search/rollup.ts';
import { readTimeline } from '../../src/search/timeline.ts';
import { replaced } from '../support/memories.ts';
import { createTestMemory, DAY, NOW, type TestMemory } from './test-memory.ts';

let memory: TestMemory;
beforeEach(() => {
  memory = createTestMemory();
});
afterEach(() => memory.close());

const shelf = (session: string) => memory.shelf('/home/dev/shop', session);
const marksOf = async (query: string) =>
  (await memory.search(query)).results.map(({ id, replacedBy }) => [id, replacedBy?.id ?? null, replacedBy?.isCertain]);

test('the newer comes first, whatever matches better, and the older says by what it is replaced', async () => {
  const old = shelf('a').observe('Zebra zebra logs are kept for thirty days', NOW - 9 * DAY, { type: 'decision' });
  const now = shelf('b').observe('Okapi: seven days of zebra logs', NOW - DAY, { type: 'discovery' });
  expect((await marksOf('zebra logs kept thirty days'))[0]).toEqual([old, null, undefined]);
  replaced(memory.db, old, now, { isCertain: false });
  expect(await marksOf('zebra logs kept thirty days')).toEqual([
    [now, null, undefined],
    [old, now, false],
  ]);
  replaced(memory.db, old, now, { isCertain: true });
  expect((await marksOf('zebra logs kept thirty days'))[1]).toEqual([old, now, true]);
  // What only the older says still finds it.
  expect(await marksOf('thirty')).toEqual([[old, now, true]]);
});

test('a turn that is replaced is marked, too', async () => {
  const asked = shelf('a').ask('Giraffes are painted green', NOW - 2 * DAY);
  const now = shelf('b').ask('No, giraffes are painted yellow', NOW - DAY);
  replaced(memory.db, asked, now, { why: 'refused' });
  expect(await marksOf('giraffes painted')).toEqual([
    [now, null, undefined],
    [asked, now, true],
  ]);
});

test('timeline and recap show the mark; in a recap the newer stands first', async () => {
  const old = shelf('a').observe('Zebra logs are kept for thirty days', NOW - 2 * DAY, { type: 'decision' });
  const now = shelf('b').observe('Okapi sizes decide what is dropped', NOW - DAY, { type: 'decision' });
  replaced(memory.db, old, now, { isCertain: false });
  const timeline = await readTimeline(
    memory.db,
    { anchor: old, depthBefore: 2, depthAfter: 2, projectIds: null, isNamed: false },
    async () => null,
  );
  expect(timeline.items.map(({ id, replacedBy }) => [id, replacedBy?.id])).toEqual([
    [old, now],
    [now, undefined],
  ]);
  const range = { projectIds: null, since: 0, until: NOW, now: NOW };
  const decided = () => readRecap(memory.db, range).projects[0]?.decided.map(({ id }) => id);
  expect(decided()).toEqual([now, old]);
  replaced(memory.db, old, now);
  expect(decided()).toEqual([now]);
});

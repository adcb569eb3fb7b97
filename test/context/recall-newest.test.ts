// Whether a conclusion is the last word, also before anything was marked as superseded.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { findNewer } from '../../src/context/recall-newest.ts';
import { createFinder } from '../../src/search/find.ts';
import { openShelf } from '../support/memories.ts';
import { createTestStore, type TestStore } from '../support/store.ts';

const RULE = 'Overage bills in 50-unit blocks rounded up, no free units, at the block fee';
const LATER = 1000;

let store: TestStore;
beforeEach(() => {
  store = createTestStore();
  const talk = openShelf(store.db, '/shop', 'talk');
  for (let at = 0; at < 40; at++) talk.observe(`Talked about page ${at} of the handbook`, at);
});
afterEach(() => store.close());

/** The session that stands in the place of the rule, after one more was said in a newer session. */
async function newerThan(title: string, type: 'decision' | 'discovery' = 'decision', change = ''): Promise<boolean> {
  const { db } = store;
  const older = openShelf(db, '/shop', 'older');
  older.observe(RULE, 100, { type: 'decision' });
  const newer = openShelf(db, '/shop', 'newer');
  const id = newer.observe(title, LATER, { type });
  if (change) db.query(`UPDATE observations SET ${change} WHERE id = ?`).run(Number(id));
  const finder = createFinder({ db, models: () => [], clock: () => LATER });
  const place = { projectIds: [older.projectId], exceptSession: undefined };
  const found = await findNewer(finder, { text: RULE, at: 100, sessionId: older.sessionId }, place);
  return found === newer.sessionId;
}

const AMENDED = 'Amended: the first 25 overage units are free, the rest bills in blocks';

test('a newer decision that says it amends stands in its place', async () => {
  expect(await newerThan(AMENDED)).toBe(true);
});

test('a newer decision that says the same again stands in its place', async () => {
  expect(await newerThan(`${RULE}, as before`)).toBe(true);
});

test('a newer decision about something else does not', async () => {
  expect(await newerThan('Amended: invoices are sent on Mondays, no longer on Fridays')).toBe(false);
});

test('a newer finding does not', async () => {
  expect(await newerThan(AMENDED, 'discovery')).toBe(false);
});

test('a newer decision that is marked wrong does not', async () => {
  expect(await newerThan(AMENDED, 'decision', "wrong_at = '2026-01-01'")).toBe(false);
});

// What is too old or too much goes, oldest first; what is pinned, young or still to be observed stays.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { touchSession } from '../../src/capture/sessions.ts';
import { createRetention } from '../../src/forget/retention.ts';
import type { Log } from '../../src/log.ts';
import { correct } from '../../src/memory/edit.ts';
import { countObservations } from '../../src/memory/observations.ts';
import { sayRule } from '../../src/memory/rules.ts';
import { readCounters } from '../../src/store/counters.ts';
import { usedBytes } from '../../src/store/read.ts';
import { findTurn, putTurn } from '../../src/turns/turns.ts';
import { checkDocuments, findAll } from '../store/check-documents.ts';
import { startClock } from '../support/cpu-time.ts';
import { openShelf } from '../support/memories.ts';
import { createTestStore, type TestStore } from '../support/store.ts';

const DAY = 86_400_000;
const NOW = Date.parse('2026-06-01T00:00:00Z');
let store: TestStore;
let told: string[] = [];
const quiet = () => undefined;
const tell = (text: string) => {
  told.push(text);
};
const log: Log = { debug: quiet, info: tell, warn: tell, error: quiet };

beforeEach(() => {
  store = createTestStore();
  told = [];
});
afterEach(() => store.close());

/** A session that was last heard of then. */
function shelfAt(root: string, session: string, at: number) {
  const shelf = openShelf(store.db, root, session);
  touchSession(store.db, shelf.sessionId, 'active', at);
  return shelf;
}

function tidyUp(settings: { keepDays?: number; keepRecords?: number; keepMegabytes?: number }, clock = () => NOW) {
  const config = () => ({ keepDays: 0, keepRecords: 0, keepMegabytes: 0, ...settings });
  const retention = createRetention({ db: store.db, config, clock, log });
  let longest = 0;
  for (let more = true; more; ) {
    const held = startClock();
    more = retention.tidy();
    longest = Math.max(longest, held());
  }
  return { retention, longest };
}

const titles = () =>
  store.db
    .query<{ title: string }, []>('SELECT title FROM observations ORDER BY created_at_epoch, id')
    .all()
    .map(({ title }) => title);

test('without a limit everything stays', () => {
  shelfAt('/work/shop', 'session-1', NOW).observe('From long ago', NOW - 5000 * DAY);
  tidyUp({});
  expect(titles()).toEqual(['From long ago']);
});

const pin = (id: number) => correct(store.db, { kind: 'observation', id }, { pinned: true, by: 'user' }, NOW);

test('what is older than keepDays goes with its session, but not what is pinned', () => {
  const old = shelfAt('/work/shop', 'session-old', NOW - 100 * DAY);
  old.ask('What nobody needs any more', NOW - 100 * DAY);
  old.observe('Old', NOW - 100 * DAY, { filesModified: ['src/a.ts'] });
  old.sumUp(NOW - 100 * DAY, { request: 'Old' });
  const kept = shelfAt('/work/other', 'session-kept', NOW - 100 * DAY);
  pin(Number(kept.observe('Old and pinned', NOW - 100 * DAY)));
  kept.ask('Why it is pinned', NOW - 100 * DAY);
  shelfAt('/work/shop', 'session-new', NOW).observe('New', NOW - DAY);
  tidyUp({ keepDays: 30 });
  expect(titles()).toEqual(['Old and pinned', 'New']);
  const sessions = store.db.query<{ id: string }, []>('SELECT host_session_id AS id FROM sessions ORDER BY id').all();
  expect(sessions.map(({ id }) => id)).toEqual(['session-kept', 'session-new']);
  expect(store.db.query('SELECT text FROM prompts').all()).toEqual([{ text: 'Why it is pinned' }]);
  expect(store.db.query('SELECT count(*) AS n FROM citations').get()).toEqual({ n: 0 });
  expect(readCounters(store.db)['expired:age']).toBe(2);
  expect(told).toEqual(['old memories expired']);
  checkDocuments(store.db);
});

/** A turn with all that is made of one. */
function turnAt(session: string, at: number, words: string) {
  const shelf = shelfAt('/work/shop', session, at);
  const prompt = shelf.ask(`Asked: ${words}`, at);
  shelf.observe(`Observed: ${words}`, at);
  shelf.sumUp(at, { request: `Summed up: ${words}`, completed: 'Something' });
  const place = { sessionId: shelf.sessionId, promptNumber: 1 };
  putTurn(
    store.db,
    { ...place, startedAt: at, endedAt: at, branch: null, head: null },
    { steps: [{ kind: 'said', text: `verbatim${words} `.repeat(20) }], closing: `Closed: ${words}` },
  );
  return { place, prompt };
}

test('keepRecords: old records go in small slices with their words, and what was made of them stays', () => {
  const old = turnAt('session-old', NOW - 100 * DAY, 'ancient');
  const young = turnAt('session-young', NOW - DAY, 'recent');
  const many = store.db.transaction(() => {
    for (let one = 0; one < 60; one++) turnAt(`session-${one}`, NOW - 90 * DAY, `number${one}`);
  });
  many.immediate();
  tidyUp({});
  expect(findTurn(store.db, old.place)).not.toBeNull();
  const { longest } = tidyUp({ keepRecords: 30 });
  expect(findTurn(store.db, old.place)).toBeNull();
  expect(findTurn(store.db, young.place)?.record).toContain('verbatimrecent');
  expect(countObservations(store.db)).toBe(62);
  expect(findAll(store.db, ['verbatimancient', 'ancient', 'verbatimrecent'])).toEqual({
    verbatimancient: ['prompt 2'],
    ancient: ['observation 1', 'prompt 1', 'summary 1'],
    verbatimrecent: ['prompt 2'],
  });
  expect(readCounters(store.db)).toMatchObject({ 'expired:records': 61 });
  expect(readCounters(store.db)['expired:age']).toBeUndefined();
  expect(longest).toBeLessThan(150);
  checkDocuments(store.db);
});

test('keepDays takes the record of an old turn, also where something pinned keeps its session', () => {
  const { place } = turnAt('session-old', NOW - 100 * DAY, 'ancient');
  shelfAt('/work/shop', 'session-now', NOW);
  pin(1);
  tidyUp({ keepDays: 30 });
  expect(titles()).toEqual(['Observed: ancient']);
  expect(findTurn(store.db, place)).toBeNull();
  checkDocuments(store.db);
});

test('a clock that is set wrong lets nothing go', () => {
  shelfAt('/work/shop', 'session-1', NOW).observe('Of yesterday', NOW - DAY);
  tidyUp({ keepDays: 30 }, () => NOW + 3650 * DAY);
  expect(titles()).toEqual(['Of yesterday']);
});

test('a session with events that wait is not empty', () => {
  store.take('new', { session_id: 'waiting', cwd: '/work/shop', prompt: 'Still to be observed' });
  store.db.query('UPDATE sessions SET updated_at_epoch = 0').run();
  shelfAt('/work/shop', 'session-now', NOW);
  tidyUp({ keepDays: 30 });
  expect(store.db.query("SELECT 1 FROM sessions WHERE host_session_id = 'waiting'").get()).not.toBeNull();
});

test('over the size the oldest go, in small slices, down to a little below it; the last 30 days stay', () => {
  const shelf = shelfAt('/work/shop', 'session-1', NOW);
  const fill = store.db.transaction(() => {
    for (let day = 400; day > 0; day--)
      for (let one = 0; one < 5; one++)
        shelf.observe(`Day ${day}, number ${one}`, NOW - day * DAY, { narrative: `word${day}x${one} `.repeat(60) });
  });
  fill.immediate();
  const before = usedBytes(store.db);
  const limit = Math.floor(before / 2e6);
  expect(limit).toBeGreaterThan(1);
  const { longest, retention } = tidyUp({ keepMegabytes: limit });
  const after = usedBytes(store.db);
  expect(after).toBeLessThanOrEqual(limit * 1e6 * 0.95);
  expect(after).toBeGreaterThan(limit * 1e6 * 0.6);
  const left = titles();
  expect(left.at(-1)).toBe('Day 1, number 4');
  expect(left.length).toBe(countObservations(store.db));
  // Only from the beginning: what is left is one stretch of days.
  const first = Number(/\d+/.exec(left[0] ?? '')?.[0]);
  expect(left.length).toBe(first * 5);
  expect(readCounters(store.db)['expired:size']).toBe(2000 - left.length);
  expect(retention.problem()).toBeNull();
  expect(longest).toBeLessThan(150);
  checkDocuments(store.db);
});

test('a limit that cannot be kept is told once, and the last 30 days stay', () => {
  const shelf = shelfAt('/work/shop', 'session-1', NOW);
  store.db
    .transaction(() => {
      for (let one = 0; one < 500; one++) shelf.observe(`Young ${one}`, NOW - one * 1000, { narrative: `word${one} `.repeat(300) });
      shelf.observe('Old', NOW - 200 * DAY);
    })
    .immediate();
  const { retention } = tidyUp({ keepMegabytes: 1 });
  expect(countObservations(store.db)).toBe(500);
  expect(retention.problem()).toStartWith('keepMegabytes cannot be kept: ');
  expect(told.filter((text) => text.startsWith('keepMegabytes'))).toHaveLength(1);
});

test('what was set aside goes in the end', () => {
  store.take('new', { session_id: 'session-1', cwd: '/work/shop', prompt: 'Breaks the observer' });
  store.db.query("UPDATE events SET status = 'quarantined', created_at_epoch = ?").run(NOW - 100 * DAY);
  store.db.query("INSERT INTO bad_inputs VALUES ('1', 'new', 'not JSON', 3, 'abc', ?)").run(new Date(NOW - 100 * DAY).toISOString());
  shelfAt('/work/shop', 'session-2', NOW);
  tidyUp({});
  expect(store.db.query('SELECT payload FROM events').all()).toEqual([{ payload: null }]);
  expect(store.db.query('SELECT count(*) AS n FROM bad_inputs').get()).toEqual({ n: 0 });
});

test('a rule of the user does not expire, until it is none', () => {
  const shelf = shelfAt('/work/shop', 'session-1', NOW);
  const user = { type: 'decision', origin: 'user' } as const;
  const rule = Number(shelf.observe('Never push to main', NOW - 100 * DAY, { ...user, isRule: true }));
  shelf.observe('Use Postgres', NOW - 100 * DAY, user);
  tidyUp({ keepDays: 30 });
  expect(titles()).toEqual(['Never push to main']);
  sayRule(store.db, rule, false, NOW);
  tidyUp({ keepDays: 30 });
  expect(titles()).toEqual([]);
});

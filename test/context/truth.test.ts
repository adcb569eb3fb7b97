// What the memory says about itself: contradictions, what a line replaced, when it was last given, and what came of what was given.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { describePieces, toToldPieces } from '../../src/context/page.ts';
import type { ObservationDraft } from '../../src/core/observation.ts';
import { countGiven, recordTelling } from '../../src/memory/injections.ts';
import { memoryRoutes } from '../../src/server/routes/memories.ts';
import { openShelf, replaced, type Shelf } from '../support/memories.ts';
import { createTestStore, type TestStore } from '../support/store.ts';
import { createTestApi } from '../support/test-api.ts';
import { tell } from './told.ts';

const AT = Date.UTC(2026, 0, 2, 10, 30);
const DECISION: Partial<ObservationDraft> = { type: 'decision', filesModified: ['src/store.ts'] };
const MAYBE = { isCertain: false, why: 'user said so', words: 'Postgres instead' } as const;

let store: TestStore;
let before: Shelf;
let after: Shelf;
beforeEach(() => {
  store = createTestStore();
  before = openShelf(store.db, '/home/dev/shop', 'before');
  after = openShelf(store.db, '/home/dev/shop', 'after');
});
afterEach(() => store.close());

const give = async () => tell(store.db, { projectId: before.projectId });

describe('memories that seem to disagree', () => {
  const list = async () =>
    (await createTestApi(memoryRoutes({ db: store.db, clock: Date.now })).call('GET', '/api/contradictions?all=true')).body;

  test('are listed with the words that show it, and the page says so in one line', async () => {
    const old = before.observe('Store jobs in SQLite', AT, DECISION);
    const now = after.observe('Keep jobs in Postgres', AT + 5, DECISION);
    expect((await give()).context).not.toContain('contradict');
    replaced(store.db, old, now, MAYBE);
    expect((await list()).items).toMatchObject([{ newer: { id: now }, older: { id: old }, words: 'Postgres instead' }]);
    expect((await give()).context.match(/may contradict each other/g)).toHaveLength(1);
  });
});

describe('a line of the page', () => {
  test('says what it replaced and when it was last given', async () => {
    const old = before.observe('Store jobs in SQLite', AT, DECISION);
    const now = after.observe('Keep jobs in Postgres', AT + 5, DECISION);
    replaced(store.db, old, now);
    const told = await give();
    const whyOf = () => describePieces(store.db, told.pieces).find(({ id }) => id === now);
    expect(whyOf()).toMatchObject({ replaced: [old], lastGivenAt: null });
    const telling = { sessionId: after.sessionId, occasion: 'start', about: null, source: 'startup' } as const;
    recordTelling(store.db, { ...telling, at: AT + 60_000, pieces: toToldPieces(told.pieces) });
    expect(whyOf()).toMatchObject({ lastGivenAt: AT + 60_000 });
  });
});

describe('what was given', () => {
  test('counts as used where the session then opened or changed a file that it is about', async () => {
    before.observe('Store jobs in SQLite', AT, DECISION);
    before.observe('Use tabs', AT + 1, { type: 'decision', filesModified: ['.editorconfig'] });
    before.observe('Never log mail addresses', AT + 2, { type: 'decision', filesModified: ['src/log.ts'] });
    const { pieces } = await give();
    const telling = {
      sessionId: after.sessionId,
      occasion: 'start',
      about: null,
      source: 'startup',
      at: AT + 9,
    } as const;
    recordTelling(store.db, { ...telling, pieces: toToldPieces(pieces) });
    expect(countGiven(store.db, 0)).toMatchObject({ sessions: 1, memories: 3, opened: 0, edited: 0 });
    after.observe('Open the store later', AT + 20, { filesModified: ['src/store.ts'], filesRead: ['src/log.ts'] });
    expect(countGiven(store.db, 0)).toMatchObject({ sessions: 1, memories: 3, opened: 2, edited: 1 });
    expect(countGiven(store.db, AT + 10)).toMatchObject({ sessions: 0, memories: 0, opened: 0, edited: 0 });
  });

  test('names the fixes whose error came back', () => {
    const fix = before.observe('Fixed the login loop', AT, { type: 'bugfix', outcome: 'passed' });
    const again = after.observe('The login loops again', AT + 5, { type: 'discovery' });
    replaced(store.db, fix, again, { why: 'failed again', at: AT + 5 });
    expect(countGiven(store.db, 0)).toMatchObject({ cameBack: [fix] });
    expect(countGiven(store.db, AT + 6)).toMatchObject({ cameBack: [] });
  });
});

// What a session gets of memories that were replaced, or may be: never the older alone. And what the memory says of itself.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { ContextSettings } from '../../src/context/gather.ts';
import { writeFileNote } from '../../src/context/known-notes.ts';
import { describePieces, toToldPieces } from '../../src/context/page.ts';
import type { ObservationDraft } from '../../src/core/observation.ts';
import { countGiven, recordTelling } from '../../src/memory/injections.ts';
import { memoryRoutes } from '../../src/server/routes/memories.ts';
import { openShelf, replaced, type Shelf } from '../support/memories.ts';
import { createTestStore, type TestStore } from '../support/store.ts';
import { createTestApi } from '../support/test-api.ts';
import { parseBlock, tell } from './told.ts';

const DAY = 86_400_000;
const AT = new Date(2026, 0, 2, 10, 30).getTime();
const FILE = 'src/store.ts';
const DECISION: Partial<ObservationDraft> = { type: 'decision', filesModified: [FILE] };

let store: TestStore;
let before: Shelf;
let after: Shelf;
beforeEach(() => {
  store = createTestStore();
  before = openShelf(store.db, '/home/dev/shop', 'before');
  after = openShelf(store.db, '/home/dev/shop', 'after');
});
afterEach(() => store.close());

const give = () => tell(store.db, { projectId: before.projectId });
const context = async (settings: Partial<ContextSettings> = {}) =>
  (await tell(store.db, { projectId: before.projectId, settings })).context;
const note = async () => {
  const checkFreshness = async () => new Map();
  const place = { projectId: before.projectId, sessionId: 0, root: '/home/dev/shop', path: FILE, isExcluded: () => false };
  return (await writeFileNote({ db: store.db, checkFreshness }, place)).map(({ text }) => text).join('\n');
};
const maybe = { isCertain: false, why: 'user said so', words: 'instead of WAL' } as const;

describe('what is replaced for certain', () => {
  test('is never given', async () => {
    const old = before.observe('Store jobs in SQLite', AT, DECISION);
    const now = after.observe('Keep orders in Postgres', AT + DAY, DECISION);
    replaced(store.db, old, now);
    expect(parseBlock(await context())).toEqual([now]);
    expect(await note()).not.toContain(`#${old} `);
  });

  test('and was ruled out is given as that, with when', async () => {
    const old = before.observe('Try the async driver', AT, { ...DECISION, outcome: 'ruled-out' });
    const now = after.observe('Revert the async driver', AT + DAY, DECISION);
    replaced(store.db, old, now, { why: 'reverted', at: AT + DAY });
    expect(await context()).toContain(`[ruled out] [replaced by #${now}: reverted on 3 Jan 2026 in session after]`);
  });
});

describe('what may be replaced', () => {
  test('stands on a line of its own behind what may replace it', async () => {
    const old = before.observe('Store jobs in SQLite with WAL', AT, DECISION);
    const between = before.observe('Round prices per line', AT + 1000, DECISION);
    const now = after.observe('Queue writes through one process', AT + DAY, DECISION);
    replaced(store.db, old, now, maybe);
    const ids = parseBlock(await context());
    expect(ids.indexOf(old)).toBe(ids.indexOf(now) + 1);
    expect(ids.toSorted()).toEqual([old, between, now].toSorted());
    const line = (await context()).split('\n').find((text) => text.startsWith(`#${old} `));
    expect(line).toEndWith(` [may be replaced by #${now}]`);
    expect(line).toContain('2026-01-02 decision Store jobs in SQLite with WAL');
  });

  test('brings along what may replace it, also where the settings leave that out', async () => {
    const old = before.observe('Store jobs in SQLite with WAL', AT, DECISION);
    const now = after.observe('The journal is written by one process', AT + DAY);
    replaced(store.db, old, now, maybe);
    expect(parseBlock(await context({ contextTypes: ['decision'] }))).toEqual([now, old]);
  });

  test('by a turn stands below the prompt of that turn', async () => {
    const old = before.observe('Store jobs in SQLite with WAL', AT, DECISION);
    const now = after.ask('Could we do without WAL?', AT + DAY);
    replaced(store.db, old, now, maybe);
    expect(parseBlock(await context())).toEqual([now, old]);
    expect(await note()).toMatch(new RegExp(`^#${now} .*prompt Could we.*\n#${old} .*\\[may be replaced by #${now}\\]$`, 'm'));
  });

  test('one after the other, the last one stands behind the newest, and the others are left out', async () => {
    const a = before.observe('Cache for an hour', AT, DECISION);
    const b = before.observe('Expire entries by their size', AT + 1000, DECISION);
    const c = after.observe('Drop the oldest pages first', AT + DAY, DECISION);
    replaced(store.db, a, b, maybe);
    replaced(store.db, b, c, maybe);
    const { context: page, leftOut } = await tell(store.db, { projectId: before.projectId });
    expect(parseBlock(page)).toEqual([c, b]);
    expect(leftOut).toMatchObject([{ id: a, reason: `may be replaced by #${b}` }]);
  });

  test('is in a note about its file only behind the newer one', async () => {
    const old = before.observe('Store jobs in SQLite with WAL', AT + DAY, DECISION);
    const now = after.observe('Queue writes through one process', AT, { type: 'decision' });
    replaced(store.db, old, now, maybe);
    expect((await note()).match(/^#\d+/gm)).toEqual([`#${now}`, `#${old}`]);
  });

  test('is in a note what has lost a line to something newer, unless that was put back', async () => {
    const old = before.observe('Round prices up', AT, DECISION);
    const now = after.observe('Round prices to the nearest cent', AT + DAY, { filesModified: [FILE], outcome: 'passed' });
    const change = (id: string, added: string[], removed: string[]) =>
      store.db.run(`UPDATE citations SET did = 'changed', added = ?, removed = ? WHERE observation_id = ?`, [
        JSON.stringify(added),
        JSON.stringify(removed),
        Number(id),
      ]);
    change(old, ['ceil', 'import'], []);
    change(now, ['round'], ['ceil']);
    expect(await note()).toMatch(new RegExp(`#${now} [^]*#${old} .*\\[may be replaced by #${now}\\]`));
    const back = after.observe('Prices are rounded up again', AT + 2 * DAY, { filesModified: [FILE], outcome: 'passed' });
    change(back, ['ceil'], ['round']);
    expect(await note()).not.toContain(`replaced by #${now}`);
  });

  test('names no session', async () => {
    const old = before.observe('Store jobs in SQLite with WAL', AT, DECISION);
    const now = after.observe('Queue writes through one process', AT + DAY, DECISION);
    const named = openShelf(store.db, '/home/dev/shop', 'last');
    named.ask('and the colours?', AT + 2 * DAY);
    named.observe('Colours of the shelf', AT + 2 * DAY);
    store.db.run(`UPDATE sessions SET title = 'Store jobs in SQLite with WAL; Round prices', prompt_counter = 1 WHERE id = ?`, [
      before.sessionId,
    ]);
    const sessions = async () => (await context()).split('## Recent sessions')[1] ?? '';
    expect(await sessions()).toContain('SQLite with WAL');
    replaced(store.db, old, now, maybe);
    expect(await sessions()).not.toContain('SQLite with WAL');
  });

  test('is left out where the newer one may not be given', async () => {
    const old = before.observe('Store jobs in SQLite with WAL', AT, DECISION);
    const now = after.observe('Queue writes through one process', AT + DAY, DECISION);
    replaced(store.db, old, now, maybe);
    store.db.run(`UPDATE observations SET wrong_at = '2026-01-01' WHERE id = ${now}`);
    // Then nothing may replace it: it is given as it was.
    expect(parseBlock(await context())).toEqual([old]);
    expect(await context()).not.toContain('replaced');
  });
});

describe('memories that seem to disagree', () => {
  const list = async () =>
    (await createTestApi(memoryRoutes({ db: store.db, clock: Date.now })).call('GET', '/api/contradictions?all=true')).body;

  test('are listed with the words that show it, and the page says so in one line', async () => {
    const old = before.observe('Store jobs in SQLite', AT, DECISION);
    const now = after.observe('Keep jobs in Postgres', AT + 5, DECISION);
    expect((await give()).context).not.toContain('contradict');
    replaced(store.db, old, now, maybe);
    expect((await list()).items).toMatchObject([{ newer: { id: now }, older: { id: old }, words: 'instead of WAL' }]);
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

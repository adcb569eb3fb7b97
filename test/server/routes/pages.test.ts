// What the viewer's pages ask: the overview counts only what was stored, steps are a person's to tick, decisions say what they replaced.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { markWrong } from '../../../src/memory/edit.ts';
import { recordTelling } from '../../../src/memory/injections.ts';
import { putSteps } from '../../../src/memory/open-steps.ts';
import { memoryRoutes } from '../../../src/server/routes/memories.ts';
import { pageRoutes } from '../../../src/server/routes/pages.ts';
import { openShelf, replaced, type Shelf } from '../../support/memories.ts';
import { createTestStore, type TestStore } from '../../support/store.ts';
import { createTestApi, type TestApi } from '../../support/test-api.ts';

const NOW = Date.parse('2026-03-18T12:00:00Z');
const DAY = 86_400_000;

let store: TestStore;
let http: TestApi;
let shop: Shelf;

beforeEach(() => {
  store = createTestStore();
  http = createTestApi(pageRoutes({ db: store.db, clock: () => NOW, checkFreshness: async () => new Map() }));
  shop = openShelf(store.db, '/home/dev/shop', 'session-1');
});
afterEach(() => store.close());

test('the overview counts what was made in its days, and nothing before them', async () => {
  shop.observe('Prices are integers', NOW - DAY, { type: 'decision', filesModified: ['src/price.ts'] });
  shop.observe('The cart lost its voucher', NOW - 2 * DAY, { type: 'bugfix', filesModified: ['src/price.ts', 'src/cart.ts'] });
  shop.observe('Long ago', NOW - 40 * DAY, { filesModified: ['src/old.ts'] });
  const { body } = await http.call('GET', '/api/overview?days=7&shown=30');
  expect(body.made).toEqual({ memories: 2, decisions: 1, fixes: 1 });
  expect(body.given).toEqual({ sessions: 0, memories: 0, opened: 0, edited: 0, errors: 0 });
  expect(body.days).toHaveLength(30);
  expect(body.days.at(-2).count).toBe(1);
  expect(body.files.map(({ file, changed }: { file: string; changed: number }) => [file, changed])).toEqual([
    ['src/price.ts', 2],
    ['src/cart.ts', 1],
  ]);
});

test('an open step is ticked off by a person, and opened again by one', async () => {
  shop.ask('Migrate the invoices', NOW - DAY);
  const turn = { sessionId: shop.sessionId, projectId: shop.projectId, promptNumber: 1, at: NOW - DAY };
  store.db.transaction(() => putSteps(store.db, turn, [{ text: 'add an index', source: 'closing' }])).immediate();
  const steps = async () => (await http.call('GET', '/api/overview')).body.steps;
  const [step] = await steps();
  expect(step).toMatchObject({ text: 'add an index', project: 'shop' });
  const tick = (isDone: boolean, by?: string) => http.call('POST', `/api/steps/${step.id}`, { isDone, ...(by ? { by } : {}) });
  expect((await tick(true)).status).toBe(409);
  expect(await steps()).toHaveLength(1);
  expect((await tick(true, 'user')).body).toEqual({ text: 'add an index', isDone: true });
  expect(await steps()).toEqual([]);
  await tick(false, 'user');
  expect(await steps()).toEqual([step]);
  expect((await http.call('POST', '/api/steps/999', { isDone: true, by: 'user' })).status).toBe(404);
});

test('decisions come with what they replaced, and a memory with the sessions that were given it', async () => {
  const older = shop.observe('Wait 5 seconds', NOW - 3 * DAY, { type: 'decision' });
  const newer = shop.observe('Wait 30 seconds', NOW - DAY, { type: 'decision' });
  shop.observe('No decision', NOW - DAY);
  replaced(store.db, older, newer);
  const wrong = shop.observe('Wait for ever', NOW, { type: 'decision' });
  store.db.transaction(() => markWrong(store.db, Number(wrong), NOW)).immediate();
  const { body } = await http.call('GET', '/api/decisions?project=shop');
  // What no session gets is the last, however new it is.
  expect(body.current.map(({ id }: { id: string }) => id)).toEqual([newer, wrong]);
  expect(body.replaced).toMatchObject([{ older: { id: older }, newer: { id: newer } }]);
  const whole = await http.call('GET', `/api/memories/${newer}`);
  expect(whole.body).toMatchObject({ memory: { id: newer }, replaced: [{ id: older }], uses: [], usesTotal: 0 });
  expect((await http.call('GET', '/api/memories/999')).status).toBe(404);
});

test('what a session was given, the errors it met again and what was spent on it are counted and shown', async () => {
  const given = shop.observe('Wait 30 seconds', NOW - 2 * DAY, { type: 'decision' });
  const { sessionId } = shop;
  for (const [occasion, about] of [
    ['start', null],
    ['error', 'cannot find module dotenv'],
  ] as const) {
    const pieces = [
      { ref: { kind: 'observation' as const, id: Number(given) }, section: 'now', text: 'Wait', freshness: null, reason: 'newest' },
    ];
    recordTelling(store.db, { sessionId, occasion, about, source: 'startup', at: NOW - DAY, pieces });
  }
  // What an earlier time asked of a model is of an earlier time.
  for (const [at, inputTokens] of [
    [NOW - DAY, 1200],
    [NOW - 40 * DAY, 9000],
  ] as const)
    store.db.run(
      `INSERT INTO model_calls (session_id, provider, model, input_tokens, output_tokens, status, created_at, created_at_epoch)
       VALUES (?, 'claude', 'm', ?, 100, 'answered', 'now', ?)`,
      [sessionId, inputTokens, at],
    );
  const { body } = await http.call('GET', '/api/overview?days=7');
  expect(body).toMatchObject({ given: { sessions: 1, memories: 1, errors: 1 }, spent: { tokens: 1300, calls: 1 } });
  const { current } = (await http.call('GET', '/api/decisions?project=shop')).body;
  expect(current).toMatchObject([{ id: given, lastGivenAt: NOW - DAY }]);
  const whole = (await http.call('GET', `/api/memories/${given}`)).body;
  expect(whole).toMatchObject({ usesTotal: 1, uses: [{ session: 'session-1', at: NOW - DAY }] });
  const listed = await createTestApi(memoryRoutes({ db: store.db, clock: () => NOW })).call('GET', '/api/sessions');
  expect(listed.body.items).toMatchObject([{ session: 'session-1', spend: { tokens: 10_400, calls: 2 } }]);
});

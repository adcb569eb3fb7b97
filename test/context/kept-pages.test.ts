// The page of a starting session is written once, and again as soon as anything that it was made of is another.
import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { createKeptPages } from '../../src/context/kept-pages.ts';
import type { Surroundings } from '../../src/context/surroundings.ts';
import { tellSession } from '../../src/context/tell.ts';
import type { FreshnessWord } from '../../src/core/evidence.ts';
import { hideMemory } from '../../src/memory/hide.ts';
import { observeBatch } from '../../src/observe/observe.ts';
import { processTurn } from '../../src/observe/process-turn.ts';
import { settleTurn } from '../../src/observe/settle.ts';
import { ensureGlobalProject } from '../../src/projects/projects.ts';
import { createCountChanges } from '../../src/store/changes.ts';
import { openShelf, replaced, type Shelf } from '../support/memories.ts';
import { bash, sessionStart, stop, userPrompt } from '../support/payloads.ts';
import { byRules, createTestStore, type TestStore } from '../support/store.ts';
import { DEFAULTS } from './told.ts';

let store: TestStore;
let db: Database;
let shop: Shelf;
let other: Shelf;
let tell: ReturnType<typeof createKeptPages>;
/** What the code says of every memory. */
let word: FreshnessWord;
let around: Partial<Surroundings>;
beforeEach(() => {
  store = createTestStore();
  ({ db } = store);
  [shop, other] = [openShelf(db, '/home/dev/shop', 'a'), openShelf(db, '/home/dev/other', 'b')];
  shop.ask('Make refunds exact', 1);
  shop.observe('Floats lose a cent in refunds', 2, { type: 'decision' });
  shop.observe('The cart rounds half up', 3);
  openShelf(db, '/home/dev/shop', 'c').observe('Coupons are counted once', 4);
  [word, around] = ['fresh', {}];
  tell = createKeptPages({ db, checkFreshness });
});
afterEach(() => store.close());

type Check = Parameters<typeof createKeptPages>[0]['checkFreshness'];
const checkFreshness: Check = async (list) => new Map(list.map(({ id }) => [id, { word, renamed: [] }]));

const query = () => ({
  project: { id: shop.projectId, name: 'shop' },
  root: '/home/dev/shop',
  sessionId: 0,
  settings: DEFAULTS,
  surroundings: {
    ...{ root: '/home/dev/shop', branch: null, dirty: new Set<string>(), recent: new Set<string>() },
    ...{ isSaid: () => false, isExcluded: () => false, stamp: 'as it is', ...around },
  },
});
const keptPage = () => tell({ ...query(), isAhead: true });
/** As it would be if nothing had been kept. */
const newPage = () => tellSession({ db, checkFreshness }, { ...query(), since: null });

test('nothing is written twice while nothing has changed but what no page says', async () => {
  const first = await keptPage();
  expect(await keptPage()).toBe(first);
  // The same page for one that waits.
  expect(await tell(query())).toBe(first);
  store.take('context', sessionStart('new', '/home/dev/shop'));
  store.take('new', userPrompt('b', '/home/dev/other', 'elsewhere'));
  other.observe('Something of another project', 9);
  store.take('save', bash('a', '/home/dev/shop', 'ls', ''));
  expect((await keptPage()).context).toBe((await newPage()).context);
  const second = await keptPage();
  // All of a turn elsewhere, with its record and its memories.
  store.take('save', bash('b', '/home/dev/other', 'bun test', '1 passed'));
  store.take('summary', stop('b', '/home/dev/other', 'Decided: round half even, because refunds lose a cent.'));
  const { kind } = processTurn(db, other.sessionId, { ...byRules(observeBatch), settle: settleTurn });
  expect(kind).toBe('observed');
  expect(await keptPage()).toBe(second);
});

test('a change of anything else writes it anew, the same as without a kept one', async () => {
  const [above, over] = [shop.observe('The price includes tax', 10), other.observe('The price is net', 11)];
  const changes: (() => unknown)[] = [
    () => shop.observe('A new memory', 20),
    () => replaced(db, above, over, { isCertain: true }),
    () => hideMemory(db, { kind: 'observation', id: Number(over) }, 1),
    () => db.run('UPDATE observations SET hidden_at = NULL'),
    () => shop.sumUp(21, { completed: 'Refunds are exact' }),
    () => db.run('UPDATE sessions SET title = ?', ['Exact refunds']),
    () => db.run("INSERT INTO distrusted (source, created_at) VALUES ('session:a', '')"),
    () => db.run('DELETE FROM distrusted'),
    () => ensureGlobalProject(db, 1),
    () => shop.ask('And now the tax', 22),
    () => db.run('UPDATE observations SET pinned = 1 WHERE id = ?', [Number(above)]),
    () => db.run('DELETE FROM replacements'),
    () => db.run('DELETE FROM observations WHERE id = ?', [Number(above)]),
  ];
  for (const change of changes) {
    const before = await keptPage();
    expect(await keptPage()).toBe(before);
    change();
    const after = await keptPage();
    expect(after, String(change)).not.toBe(before);
    expect(after.context, String(change)).toBe((await newPage()).context);
  }
});

test('so does another connection, other code, other settings, and a place that is not as it was', async () => {
  const changes: (() => unknown)[] = [
    () => new Database(db.filename).run("UPDATE sessions SET title = 'by another'"),
    () => {
      word = 'changed';
    },
    () => {
      around = { stamp: 'other', dirty: new Set(['src/cart.ts']) };
    },
  ];
  for (const change of changes) {
    const before = await keptPage();
    expect(await keptPage()).toBe(before);
    change();
    const after = await keptPage();
    expect(after).not.toBe(before);
    expect(after.context).toBe((await newPage()).context);
  }
  const few = await tell({ ...query(), settings: { ...DEFAULTS, contextSections: ['decisions'] } });
  expect(few.context).not.toBe((await newPage()).context);
});

test('a place of which it cannot be said whether it is as it was keeps none', async () => {
  around = { stamp: null };
  const first = await keptPage();
  expect(await keptPage()).not.toBe(first);
});

test('what is rolled back has changed nothing', () => {
  const count = createCountChanges(db);
  const before = count([shop.projectId]);
  const work = db.transaction(() => {
    shop.observe('never', 30);
    expect(count([shop.projectId])).not.toBe(before);
    throw new Error('back');
  });
  expect(work).toThrow('back');
  expect(count([shop.projectId])).toBe(before);
});

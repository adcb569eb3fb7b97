// The feed over HTTP: every kind of memory once, in order, whatever comes in between.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { Memory } from '../../../src/core/shapes/memory.ts';
import { hideMemories } from '../../../src/memory/hide.ts';
import { memoryRoutes } from '../../../src/server/routes/memories.ts';
import { seededRandom } from '../../core/seeded-random.ts';
import { openShelf, type Shelf } from '../../support/memories.ts';
import { createTestStore, type TestStore } from '../../support/store.ts';
import { createTestApi, type TestApi } from '../../support/test-api.ts';

const NOW = Date.parse('2026-03-18T12:00:00Z');
const AT = NOW - 10 * 86_400_000;

let store: TestStore;
let http: TestApi;
let shop: Shelf;
let other: Shelf;

beforeEach(() => {
  store = createTestStore();
  http = createTestApi(memoryRoutes({ db: store.db, clock: () => NOW }));
  shop = openShelf(store.db, '/home/dev/shop', 'session-1');
  other = openShelf(store.db, '/home/dev/other', 'session-2');
});
afterEach(() => store.close());

type Answer = { memories: Memory[]; next: string | null };
const ask = async (query = ''): Promise<Answer> => (await http.call('GET', `/api/feed${query}`)).body;
const ids = ({ memories }: Answer) => memories.map(({ id }) => id);

/** All pages, one after the other. */
async function readAll(query: string, between: (page: number) => void = () => undefined): Promise<string[]> {
  const seen: string[] = [];
  let next: string | null = '';
  for (let page = 0; next !== null; page++) {
    const answer: Answer = await ask(`${query}${next ? `&before=${next}` : ''}`);
    seen.push(...ids(answer));
    next = answer.next;
    between(page);
    expect(page).toBeLessThan(500);
  }
  return seen;
}

test('all kinds are in it in full, newest first', async () => {
  shop.ask('Make it fast', AT);
  shop.observe('It was the index', AT + 1000, { narrative: 'Because of a scan.', facts: [{ text: 'One scan', sources: [] }] });
  shop.sumUp(AT + 2000, { request: 'Make it fast', completed: 'An index' });
  other.observe('Elsewhere', AT + 500);
  const answer = await ask();
  expect(ids(answer)).toEqual(['S1', '1', '2', 'P1']);
  expect(answer.next).toBeNull();
  const [summary, observation, , prompt] = answer.memories;
  expect(summary?.summary?.completed).toBe('An index');
  expect(observation).toMatchObject({ narrative: 'Because of a scan.', facts: ['One scan'], project: 'shop' });
  expect(prompt?.text).toBe('Make it fast');
});

test('at one moment a prompt comes before what was made of it, and a summary after', async () => {
  shop.observe('One', AT);
  shop.sumUp(AT, { request: 'x' });
  shop.ask('x', AT);
  shop.observe('Two', AT);
  expect(ids(await ask())).toEqual(['S1', '2', '1', 'P1']);
  expect(await readAll('?limit=1')).toEqual(['S1', '2', '1', 'P1']);
});

test('pages of any size show everything once, whatever is added at the front meanwhile', async () => {
  const random = seededRandom(3);
  const shelves = Array.from({ length: 7 }, (_, n) => openShelf(store.db, `/home/dev/p${n}`, `s-${n}`));
  store.db.transaction(() => {
    for (let n = 0; n < 300; n++) {
      const shelf = random.of(shelves);
      const at = AT + random.below(40) * 1000;
      random.of([() => shelf.ask(`p ${n}`, at), () => shelf.observe(`o ${n}`, at), () => shelf.sumUp(at, { request: `${n}` })])();
    }
  })();
  const whole = await readAll('?limit=200');
  expect(whole).toHaveLength(300);
  expect(new Set(whole).size).toBe(300);
  for (const limit of [1, 7, 50]) {
    const seen = await readAll(`?limit=${limit}`, (page) => page < 3 && shop.observe('New', NOW + page));
    expect(seen.filter((id) => whole.includes(id))).toEqual(whole);
  }
  const prompts = whole.filter((id) => id.startsWith('P'));
  expect(await readAll('?limit=7&type=prompt')).toEqual(prompts);
});

test('goes on after a memory that is gone by now', async () => {
  for (let n = 0; n < 4; n++) shop.observe(`${n}`, AT + n);
  const { next } = await ask('?limit=2');
  hideMemories(store.db, [{ kind: 'observation', id: 3 }], NOW);
  expect(ids(await ask(`?before=${next}`))).toEqual(['2', '1']);
});

describe('a filter', () => {
  beforeEach(() => {
    shop.observe('A decision', AT, { type: 'decision', filesModified: ['src/queue.ts'] });
    shop.observe('A bugfix', AT + 86_400_000, { type: 'bugfix', filesRead: ['src/queue.ts'] });
    shop.sumUp(AT + 2 * 86_400_000, { request: 'x', filesEdited: ['src/myqueue.ts'] });
    other.observe('A change', AT + 3 * 86_400_000, { type: 'change', filesModified: ['lib/src/queue.ts'] });
    other.ask('src/queue.ts please', AT + 4 * 86_400_000);
  });

  test.each([
    ['?project=shop', ['S1', '2', '1']],
    ['?cwd=/home/dev/other', ['P1', '3']],
    ['?type=decision,prompt', ['P1', '1']],
    ['?type=observation', ['3', '2', '1']],
    ['?since=2026-03-10T12:00:00Z&until=2026-03-11T12:00:00Z', ['3', 'S1']],
    ['?until=2026-03-08T12:00:00Z', ['1']],
    ['?file=src/queue.ts', ['3', '2', '1']],
    ['?file=queue.ts&project=shop', ['2', '1']],
    ['?file=/home/dev/shop/src/queue.ts&project=shop', ['2', '1']],
    ['?file=%22', []],
  ])('of %s leaves %p', async (query, expected) => {
    expect(ids(await ask(query))).toEqual(expected);
  });

  test('is paged like the rest', async () => {
    expect(await readAll('?limit=1&file=src/queue.ts')).toEqual(['3', '2', '1']);
    expect(await readAll('?limit=1&type=observation')).toEqual(['3', '2', '1']);
    expect(await readAll('?limit=1&since=2026-03-10T12:00:00Z')).toEqual(['P1', '3', 'S1']);
  });

  test.each(['before=x', 'before=1.elephant.2', 'limit=201', 'type=gossip', 'offset=5'])('of %s is a 400', async (query) => {
    expect((await http.call('GET', `/api/feed?${query}`)).status).toBe(400);
  });
});

// A memory of a few rows: each of its words tells something, and what goes is gone at once.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { hideMemory } from '../../src/memory/hide.ts';
import { loadStatic } from '../../src/search/embed/static.ts';
import { ASSETS } from './embed/assets.ts';
import { createTestMemory, NOW, type TestMemory } from './test-memory.ts';

let memory: TestMemory;
beforeEach(() => {
  memory = createTestMemory();
});
afterEach(() => memory.close());

const shelf = (session: string) => memory.shelf('/home/dev/shop', session);

describe('a small memory', () => {
  test('that is empty answers any query with a note', async () => {
    for (const query of ['zebra', '', '   ', '"', '東京', 'a AND b']) {
      const { results, total, note } = await memory.search(query);
      expect({ results, total }).toEqual({ results: [], total: 0 });
      expect(note).toBeString();
    }
  });

  test('of one memory finds it by each of its words, by what begins it and by what ends it', async () => {
    const id = memory.shop.observe('A zebra crossed the road', 1);
    for (const query of ['zebra', 'ZEBRA', 'zebras', 'crossed', 'crossing', 'road', 'zebra road', 'the zebra?']) {
      expect({ query, found: await memory.find(query) }).toEqual({ query, found: [id] });
    }
    expect(await memory.find('giraffe')).toEqual([]);
  });

  test('finds a memory also by a question with words that it does not have', async () => {
    const id = memory.shop.observe('Sessions are kept in Redis', 1);
    await memory.addModel(loadStatic(ASSETS)).embed();
    for (const query of ['where do we keep sessions', 'redis configuration', 'why did we choose Redis for sessions']) {
      expect({ query, found: await memory.find(query) }).toEqual({ query, found: [id] });
    }
  });

  test('finds a word in a title, a subtitle, a narrative, a fact, a concept, a file, a summary, a prompt, a day', async () => {
    shelf('title').observe('zebra', 1);
    shelf('subtitle').observe('apples', 2, { subtitle: 'zebra' });
    shelf('narrative').observe('pears', 3, { narrative: 'zebra' });
    shelf('fact').observe('plums', 4, { facts: [{ text: 'zebra', sources: ['e1'] }] });
    shelf('concept').observe('figs', 5, { concepts: ['zebra'] });
    shelf('file').observe('nuts', 6, { filesRead: ['src/zebra.ts'] });
    shelf('request').sumUp(7, { request: 'zebra', notes: 'grapes' });
    shelf('learned').sumUp(8, { learned: 'zebra', notes: 'dates' });
    shelf('edited').sumUp(9, { notes: 'kiwis', filesEdited: ['src/zebra/stripes.ts'] });
    shelf('prompt').ask('zebra', 10);
    const sessions = (await memory.search('zebra')).results.map(({ session }) => session);
    expect(sessions.toSorted()).toEqual('concept edited fact file learned narrative prompt request subtitle title'.split(' '));
    expect(await memory.find('e1')).toEqual([]);
    const day = shelf('day').observe('On a Friday', new Date(2024, 4, 31, 12).getTime());
    expect(await memory.find('31 May 2024')).toEqual([day]);
  });
});

describe('what is gone', () => {
  const sessions = ['one', 'two', 'three', 'four', 'five', 'six'];

  test('changes what the words tell at once: the rest is still found', async () => {
    const ids = sessions.map((session, at) => shelf(session).observe(at % 3 === 2 ? 'zebra' : `thing ${session}`, at));
    expect(await memory.find('zebra')).toHaveLength(1);
    // The newest stays: nothing but the number of documents tells that something has changed.
    for (const id of [0, 1, 3, 4]) hideMemory(memory.db, { kind: 'observation', id: Number(ids[id]) }, 9);
    expect((await memory.search('zebra')).results.flatMap(({ id, alike }) => [id, ...alike])).toHaveLength(2);
    hideMemory(memory.db, { kind: 'observation', id: Number(ids[2]) }, 9);
    expect(await memory.find('zebra')).toEqual([ids[5] ?? '']);
    hideMemory(memory.db, { kind: 'observation', id: Number(ids[5]) }, 9);
    expect(await memory.find('zebra')).toEqual([]);
  });
});

// Where words are all there is: no model yet, or it fails.
const CASES: [texts: string[], queries: string[]][] = [
  [['parseQuery drops the namespace'], ['parseQuery', 'parseQuery crash', 'why does parseQuery crash on empty input', 'namespace bug']],
  [
    ['E11000 comes from the unique index', 'E11000 again', 'E11000 in tests'],
    ['E11000', 'E11000 duplicate key', 'mongo E11000'],
  ],
  [['Сервер упал ночью'], ['сервер', 'сервер ошибка', 'почему упал сервер вчера']],
  [['認証トークンの有効期限'], ['認証', '認証の問題', 'トークンの更新']],
];

describe.each(CASES)('a memory of %j, by words alone', (texts, queries) => {
  test.each(queries)('answers %s also where it does not have all of the words', async (query) => {
    for (const text of texts) memory.shelf('/home/dev/shop', text).observe(text, NOW);
    const { results } = await memory.search(query);
    expect(results.flatMap(({ id, alike }) => [id, ...alike])).toHaveLength(texts.length);
  });

  test('says that it has nothing where it has none of them', async () => {
    for (const text of texts) memory.shelf('/home/dev/shop', text).observe(text, NOW);
    expect(await memory.search('apple pie with cinnamon')).toMatchObject({ results: [], note: expect.any(String) });
  });
});

test('a large memory is not convinced by one word that all of it has', async () => {
  memory.db.transaction(() => {
    for (let n = 0; n < 200; n++) memory.shelf('/home/dev/shop', `s${n}`).observe(`note ${n}`, NOW);
  })();
  expect(await memory.find('note about apple pie with cinnamon')).toEqual([]);
});

// Where words are all there is (no model yet, or it fails), a memory of a few rows still answers, and still knows when it has nothing.
import { describe, expect, test } from 'bun:test';
import { createTestMemory, NOW } from './test-memory.ts';

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
    const memory = createTestMemory();
    for (const text of texts) memory.shelf('/home/dev/shop', text).observe(text, NOW);
    const { results } = await memory.search(query);
    expect(results.flatMap(({ id, alike }) => [id, ...alike])).toHaveLength(texts.length);
    memory.close();
  });

  test('says that it has nothing where it has none of them', async () => {
    const memory = createTestMemory();
    for (const text of texts) memory.shelf('/home/dev/shop', text).observe(text, NOW);
    expect(await memory.search('apple pie with cinnamon')).toMatchObject({ results: [], note: expect.any(String) });
    memory.close();
  });
});

test('a large memory is not convinced by one word that all of it has', async () => {
  const memory = createTestMemory();
  memory.db.transaction(() => {
    for (let n = 0; n < 200; n++) memory.shelf('/home/dev/shop', `s${n}`).observe(`note ${n}`, NOW);
  })();
  expect(await memory.find('note about apple pie with cinnamon')).toEqual([]);
  memory.close();
});

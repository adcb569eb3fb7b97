import { expect, test } from 'bun:test';
import { searchWords } from '../../src/search/keyword.ts';
import { createKnownWords } from '../../src/search/known-words.ts';
import { createTestMemory, NOW } from './test-memory.ts';

test.each([99_999, 130_090, 130_091, 1_234_567])('a memory of %d documents is searched by words', (documents) => {
  const memory = createTestMemory();
  memory.shop.observe('Rounded the ledger half up', NOW);
  const known = { ...createKnownWords(memory.db), documents: () => documents };
  const found = searchWords(memory.db, known, {
    query: 'ledger rounding',
    scope: { accept: undefined, count: documents },
    limit: 10,
  });
  expect(found).toHaveLength(1);
  memory.close();
});

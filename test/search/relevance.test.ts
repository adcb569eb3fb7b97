// When a search says nothing: our models read English, so that a text in the language of the question is near to it, whatever it says.
import { expect, test } from 'bun:test';
import { STATIC_ID } from '../../src/search/embed/static.ts';
import type { Found } from '../../src/search/find.ts';
import type { SearchableModel } from '../../src/search/indexer.ts';
import { isRead } from '../../src/search/meaning.ts';
import { onlyRelevant } from '../../src/search/relevance.ts';

// Only the model's name is asked for.
const model = (id: string) => ({ embedder: { id } }) as unknown as SearchableModel;

test.each([
  ['wie lange muss das brot in dem ofen bleiben', STATIC_ID, false],
  ['how long does the bread stay in the oven', STATIC_ID, true],
  ['wie lange muss das brot in dem ofen bleiben', 'a model of many languages', true],
])('%s, by %s', (query, id, expected) => {
  expect(isRead([model(id)], query)).toBe(expected);
});

test('a likeness that would do in English is not enough where no model reads the language', () => {
  const scored = [{ likeness: 0.45, coverage: 0 }] as unknown as Found['scored'];
  const found = { scored, isCut: false, hasMeaning: true, problem: null };
  expect(onlyRelevant({ ...found, isRead: true })).toHaveLength(1);
  expect(onlyRelevant({ ...found, isRead: false })).toHaveLength(0);
});

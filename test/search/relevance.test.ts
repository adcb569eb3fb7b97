// When a search says nothing: our models read English, so that a text in the language of the question is near to it, whatever it says.
import { expect, test } from 'bun:test';
import { STATIC_ID } from '../../src/search/embed/static.ts';
import { type Found, onlyRelevant } from '../../src/search/find.ts';
import type { SearchableModel } from '../../src/search/indexer.ts';
import { isRead } from '../../src/search/meaning.ts';

// Only the model's name is asked for.
const model = (id: string) => ({ embedder: { id } }) as unknown as SearchableModel;

test.each([
  ['wie lange muss das brot in dem ofen bleiben', STATIC_ID, false],
  ['how long does the bread stay in the oven', STATIC_ID, true],
  ['wie lange muss das brot in dem ofen bleiben', 'a model of many languages', true],
  ['面包要烤多久', STATIC_ID, false],
  ['сколько печь хлеб', STATIC_ID, false],
])('%s, by %s', (query, id, expected) => {
  expect(isRead([model(id)], query)).toBe(expected);
});

const found = (item: { likeness: number; coverage: number; words: string[] }) => ({
  scored: [item] as unknown as Found['scored'],
  isCut: false,
  hasMeaning: true,
  problem: null,
  documents: 1000,
});

test('a likeness that would do in English is nothing where no model reads the language', () => {
  const alike = found({ likeness: 0.6, coverage: 0.2, words: ['ofen'] });
  expect(onlyRelevant({ ...alike, isRead: true })).toHaveLength(1);
  expect(onlyRelevant({ ...alike, isRead: false })).toHaveLength(0);
  // Among few a word hardly meets by chance.
  expect(onlyRelevant({ ...alike, isRead: false, documents: 200 })).toHaveLength(1);
});

test.each([
  ['two words that meet', 0.1, ['ofen', 'brot'], 1],
  ['a word that is one of two', 0.35, ['ofen'], 1],
  ['one word of many', 0.3, ['ofen'], 0],
  ['a name and its pieces', 0.3, ['GraphQL', 'Graph', 'QL'], 0],
  ['the pairs of one word', 0.3, ['ポイ', 'イン', 'ント'], 0],
  ['the pairs of two words', 0.1, ['支付', '失败'], 1],
])('in a language that no model reads: %s', (_, coverage, words, rows) => {
  expect(onlyRelevant({ ...found({ likeness: 0.1, coverage, words }), isRead: false })).toHaveLength(rows);
});

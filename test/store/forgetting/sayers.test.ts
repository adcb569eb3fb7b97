import { afterEach, beforeEach, expect, test } from 'bun:test';
import { formatRef, parseRef } from '../../../src/core/memory.ts';
import { eraseMemories } from '../../../src/store/forgetting/erase.ts';
import { openShelf, type Shelf } from '../../support/memories.ts';
import { createTestStore, type TestStore } from '../../support/store.ts';

let store: TestStore;
let shelf: Shelf;
beforeEach(() => {
  store = createTestStore();
  shelf = openShelf(store.db, '/home/dev/shop', 's');
});
afterEach(() => store.close());

const erase = (id: string) => {
  const ref = parseRef(id);
  return eraseMemories(store.db, ref ? [ref] : [], { at: 9, onPieces: () => undefined }).sayers.map(formatRef);
};

test('one word that only a few have tells who still says it', () => {
  const text = 'Every release needs the consent of Brondlewhip, who reads the contracts of all our customers first';
  const erased = shelf.observe('Releases need consent', 1, { narrative: text });
  const note = shelf.observe('Wrote to brondlewhip', 2);
  shelf.observe('Wrote to the printer', 3);
  expect(erase(erased)).toEqual([note]);
});

test('common words and the way a sentence is built do not', () => {
  const erased = shelf.observe('We decided to use the queue of Postgres instead of the other one', 1);
  shelf.observe('We decided to use the cache of Redis instead of the other two', 2);
  for (let at = 3; at < 10; at++) shelf.observe(`Changed the schema of Postgres, step ${at}`, at);
  expect(erase(erased)).toEqual([]);
});

test('a short text that stands there word for word is found without any rare word', () => {
  const erased = shelf.observe('We use tabs and not four spaces in each new file', 1);
  const again = shelf.observe('Ann: we use tabs and not four spaces in each new file', 2);
  expect(erase(erased)).toEqual([again]);
});

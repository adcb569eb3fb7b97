import { afterEach, beforeEach, expect, test } from 'bun:test';
import { formatRef, parseRef } from '../../src/core/memory.ts';
import { eraseMemories } from '../../src/forget/erase.ts';
import { openShelf, type Shelf } from '../support/memories.ts';
import { createTestStore, type TestStore } from '../support/store.ts';

let store: TestStore;
let shelf: Shelf;
beforeEach(() => {
  store = createTestStore();
  shelf = openShelf(store.db, '/home/dev/shop', 's');
});
afterEach(() => store.close());

const erase = (id: string) => {
  const ref = parseRef(id);
  return [...eraseMemories(store.db, ref ? [ref] : [], { at: 9 }).tally.sayers.values()].map(formatRef);
};

test.each([
  ['a key', 'quokka7731marmalade', 'Wrote QUOKKA7731MARMALADE into the notes'],
  ['an identifier', 'frobnicateLedger', 'frobnicateLedger rounds to even'],
  ['a constant', 'brondle_whip', 'Set brondle_whip anew'],
  ['a number', '49301177', 'Called 49301177 about the printer'],
  ['a host', 'vault.brondlewhip.internal', 'Pinged vault.brondlewhip.internal twice'],
  ['an address', '10.20.3.17', 'The printer is 10.20.3.17 again'],
])('%s of it tells who still says it', (_, name, said) => {
  const text = `Every release needs the consent of ${name}, which reads the contracts of all our customers first`;
  const erased = shelf.observe('Releases need consent', 1, { narrative: text });
  const note = shelf.observe(said, 2);
  shelf.observe('Wrote to the printer in German', 3);
  expect(erase(erased)).toEqual([note]);
});

test('a run of words that carries a meaning tells it, too, out of a long text', () => {
  const narrative = `The invoices of quarterly customers are rounded down. ${'It was looked at for a while, and then for another. '.repeat(8)}`;
  const erased = shelf.observe('Rounding', 1, { narrative });
  const note = shelf.observe('Ann says the invoices of quarterly customers are rounded down.', 2);
  shelf.observe('Customers get their invoices by post', 3);
  expect(erase(erased)).toEqual([note]);
});

test('none of a small memory is listed for a plain word it shares', () => {
  const erased = shelf.observe('The authentication middleware of Brondlewhip rejects expired sessions', 1, {
    facts: [{ text: 'Passkeys replace the authentication by passwords', sources: [] }],
  });
  const garden = openShelf(store.db, '/home/dev/garden', 'g');
  for (const [at, title] of [
    'Brondlewhip likes the greenhouse',
    'Authentication of the sprinkler is turned off',
    'Expired seeds go to the compost, rejects as well',
  ].entries())
    garden.observe(title, at + 2);
  expect(erase(erased)).toEqual([]);
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

test('what was made of a turn is named when its prompt goes, whatever it says', () => {
  const asked = shelf.ask('Implement the plan.', 1);
  const made = [shelf.observe('Sheds the old routing', 2), shelf.sumUp(3, { completed: 'Routing is a list' })];
  openShelf(store.db, '/home/dev/garden', 'g').observe('Sheds are painted', 4);
  expect(erase(asked).sort()).toEqual(made.sort());
});

test('a path tells nothing: all of a project names it', () => {
  const narrative = `cd /Users/ann/Development/brondlewhip\nRefunds go through the ledger of Quellmont first`;
  const erased = shelf.observe('Switched the routing', 1, { narrative });
  const later = openShelf(store.db, '/home/dev/shop', 'later');
  const again = later.observe('Ann: refunds go through the ledger of Quellmont first', 2);
  later.observe('Ran cd /Users/ann/Development/brondlewhip and pushed', 3);
  later.observe('Read /Users/ann/Development/brondlewhip/apps/options.js', 4);
  expect(erase(erased)).toEqual([again]);
});

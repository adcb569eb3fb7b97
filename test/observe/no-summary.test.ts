// A turn of which nothing came is kept as its prompt, and makes no summary.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { createToldWork, type ToldWork } from '../support/told-work.ts';

let told: ToldWork;
beforeEach(() => {
  told = createToldWork();
});
afterEach(() => told.close());

const requests = () =>
  told.db
    .query<{ request: string }, []>('SELECT request FROM summaries ORDER BY id')
    .all()
    .map(({ request }) => request);

test('a greeting makes none, and its session goes on as any other', () => {
  told.turn('s1', 'hello', [], 'Hello! What shall we work on?');
  expect(requests()).toEqual([]);
  expect(told.db.query('SELECT text FROM prompts').all()).toEqual([{ text: 'hello' }]);
  told.turn('s1', 'Run the tests of the cart', [{ ran: 'npm test', out: 'Tests: 12 passed, 12 total' }], 'All green.');
  expect(requests()).toEqual(['Run the tests of the cart']);
});

test('what was only decided makes one', () => {
  told.turn('s1', 'Never commit to main directly.', [], 'Understood.');
  expect(requests()).toHaveLength(1);
});

// Which conversation was it: sessions, ranked by what was found in them.
import { afterAll, expect, test } from 'bun:test';
import { searchSessions } from '../../src/search/search-sessions.ts';
import { putTurn } from '../../src/turns/turns.ts';
import { createTestMemory, DAY, NOW } from './test-memory.ts';

const memory = createTestMemory();
afterAll(() => memory.close());

test('a turn counts once, however many memories were made of it', async () => {
  const chatty = memory.shelf('/home/dev/pond', 'chatty');
  for (const what of ['nest', 'eggs', 'food', 'flight']) chatty.observe(`The ${what} of the heron`, NOW - DAY);
  const two = memory.shelf('/home/dev/pond', 'two-turns');
  two.ask('Where does the heron sleep', NOW - DAY);
  two.ask('How does the heron fish', NOW - DAY);
  const found = await searchSessions(memory.finder, { query: 'heron', filters: { projectIds: null }, limit: 5 });
  expect(found.map(({ sessionId }) => sessionId)).toEqual([two.sessionId, chatty.sessionId]);
  expect(found[1]?.best).toHaveLength(4);
});

const LONG = 'Rollers, ladders and buckets are back in the shed. '.repeat(8);

function keepTurn(session: string, asked: string, closing: string) {
  const shelf = memory.shelf('/home/dev/reef', session);
  shelf.ask(asked, NOW - DAY);
  const place = { sessionId: shelf.sessionId, promptNumber: 1, root: '/home/dev/reef', branch: null, head: null };
  putTurn(memory.db, { ...place, startedAt: NOW - DAY, endedAt: NOW - DAY }, { steps: [], closing });
  return shelf;
}

const ask = async (query: string) =>
  (await searchSessions(memory.finder, { query, filters: { projectIds: null }, limit: 5 })).map(({ sessionId }) => sessionId);

test('a turn counts by its record, not by the short texts that were drawn from it', async () => {
  const told = keepTurn('told', 'Why does the otter leave the dam', `The otter leaves, the dam is dry. ${LONG}`);
  const aside = keepTurn('aside', 'Paint the harbour wall', `The wall is painted. ${LONG} An otter sat on the dam.`);
  aside.observe('Otter on the dam', NOW - DAY);
  expect(await ask('otter dam')).toEqual([told.sessionId, aside.sessionId]);
});

// Which conversation was it: sessions, ranked by what was found in them.
import { afterAll, expect, test } from 'bun:test';
import { searchSessions } from '../../src/search/search-sessions.ts';
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
  expect(found[1]?.documents).toHaveLength(4);
});

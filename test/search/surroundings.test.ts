// What stands beside a find counts for words that stand alone; the record of a turn says itself what it is about.
import { expect, test } from 'bun:test';
import { putTurn } from '../../src/turns/turns.ts';
import { createTestMemory, NOW } from './test-memory.ts';

test.each([
  ['counts for words without a record', false],
  ['does not count for a turn that has one', true],
])('what was said before and after %s', async (_, hasRecord) => {
  const memory = createTestMemory();
  const { ask, sessionId } = memory.shop;
  const asked = ['The walrus pond leaks', 'Look into the walrus pump', 'Close the walrus valve'].map((text, at) => ask(text, NOW + at));
  const record = { steps: [], closing: 'The walrus is dry.' };
  if (hasRecord)
    for (const promptNumber of [1, 2, 3]) {
      const place = { sessionId, promptNumber, root: '/home/dev/shop', branch: null, head: null };
      putTurn(memory.db, { ...place, startedAt: NOW, endedAt: NOW }, record);
    }
  const { results } = await memory.search('walrus pump', { why: true });
  const pump = results.find(({ id, sameTurn }) => [id, ...sameTurn].includes(asked[1] ?? ''));
  expect((pump?.why?.neighbours ?? 0) > 0).toBe(!hasRecord);
  memory.close();
});

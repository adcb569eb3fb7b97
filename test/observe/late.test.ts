// What comes to a session that is over: processed soon, since nobody ends its turn any more.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { sessionEnd, stop, userPrompt } from '../support/payloads.ts';
import { until } from '../support/until.ts';
import { createTestWorker, type TestWorker } from '../support/worker-app.ts';

const CWD = '/home/dev/shop';
let worker: TestWorker;
beforeEach(async () => {
  worker = createTestWorker();
  await worker.start();
});
afterEach(() => worker.dispose());

test('a prompt from the offline queue is processed without its stop', async () => {
  const before = Date.now() - 60_000;
  await worker.send('new', userPrompt('s', CWD, 'Make the cart blue', { prompt_id: 'p2' }));
  await worker.send('summary', stop('s', CWD, 'The cart is blue.', { prompt_id: 'p2' }));
  await worker.send('cleanup', sessionEnd('s', CWD));
  await worker.settle();
  await worker.send('new', userPrompt('s', CWD, 'Make the cart red', { prompt_id: 'p1' }), { receivedAt: before });
  await until(() => worker.rows("SELECT 1 FROM events WHERE status IN ('pending','claimed')").length === 0);
  expect(worker.rows("SELECT status FROM events WHERE kind = 'prompt'")).toEqual([{ status: 'done' }, { status: 'done' }]);
});

import { afterEach, expect, test } from 'bun:test';
import { sessionStart, userPrompt } from '../support/payloads.ts';
import { createTestWorker, type TestWorker } from '../support/worker-app.ts';

const HOUR = 3_600_000;

let worker: TestWorker | null = null;
afterEach(() => worker?.dispose());

test('a pause holds though the clock is set back after it began, until it is ended', async () => {
  let back = 0;
  const clock = () => Date.now() - back;
  worker = createTestWorker({ clock });
  await worker.start();
  const say = (words: string, receivedAt = clock()) => worker?.send('new', userPrompt('s', '/home/dev/shop', words), { receivedAt });
  await worker.send('context', sessionStart('s', '/home/dev/shop'));
  await say('Said before the pause.');
  await worker.call('POST', '/api/silence', { minutes: 15 });

  back = HOUR;
  // Its hook has read the clock before the worker does.
  await say('Said in the pause.', clock() - 5);
  expect(worker.filesWith('Said in the pause')).toEqual([]);
  expect((await worker.call('GET', '/api/silence')).body.silences).toMatchObject([{ kind: 'paused' }]);

  expect((await worker.call('DELETE', '/api/silence')).body).toMatchObject({ ended: 1, silences: [] });
  // What is read of it later happened in the pause, as its time says.
  const [pause] = worker.rows<{ since: number; until: number }>(
    'SELECT since_epoch AS since, until_epoch AS until FROM silences -- of a test',
  );
  expect(pause?.since).toBeLessThan(clock() - 5);
  expect(pause?.until).toBeLessThanOrEqual(clock());
  await say('Said after the pause.');
  const prompts = worker.rows<{ text: string }>('SELECT text FROM prompts ORDER BY id -- of a test');
  expect(prompts.map(({ text }) => text)).toEqual(['Said before the pause.', 'Said after the pause.']);
});

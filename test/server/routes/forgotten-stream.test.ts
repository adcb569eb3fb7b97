// What was forgotten is not told again to whoever comes back to the stream.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { bash, nextId, stop, userPrompt } from '../../support/payloads.ts';
import { until } from '../../support/until.ts';
import { createTestWorker, type TestWorker } from '../../support/worker-app.ts';

let worker: TestWorker;
let aborter: AbortController;

beforeEach(async () => {
  worker = createTestWorker();
  aborter = new AbortController();
  await worker.start();
});
afterEach(async () => {
  aborter.abort();
  await worker.dispose();
});

const CANARY = 'the zanzibar contract';

/** All that comes, as it comes. */
async function listen(lastId = ''): Promise<() => string> {
  const { body } = await fetch('http://localhost/stream', {
    unix: worker.paths.httpSocket,
    signal: aborter.signal,
    headers: { 'last-event-id': lastId },
  });
  let heard = '';
  const read = async () => {
    for await (const piece of body ?? []) heard += new TextDecoder().decode(piece);
  };
  read().catch(() => undefined);
  await until(() => heard.includes('event: ready'));
  return () => heard;
}

async function work(): Promise<void> {
  const session = nextId('s');
  await worker.send('new', userPrompt(session, '/work/shop', `We decided on ${CANARY}`));
  await worker.send('save', bash(session, '/work/shop', `grep "${CANARY}" notes`, 'found'));
  await worker.send('summary', stop(session, '/work/shop', `We decided on ${CANARY}, because it is cheaper.`));
  await worker.settle();
}

test.each([
  ['erased', '?erase=true&related=true'],
  ['hidden', ''],
])('neither the memory nor the events under it, when it is %s', async (_, how) => {
  const live = await listen();
  await work();
  await until(() => live().includes('event: observation') && live().includes('event: prompt'));
  const first = /^id: (.*)$/m.exec(live())?.[1] ?? '';
  expect((await listen(first))()).toContain(CANARY);

  const { body } = await worker.call('GET', '/api/feed');
  const ids = body.memories.map((memory: { id: string }) => memory.id).join(',');
  expect((await worker.call('DELETE', `/api/observations/${ids}${how}`)).status).toBe(200);
  const again = await listen(first);
  expect(again()).toContain('event: reset');
  expect(again()).not.toContain(CANARY);
});

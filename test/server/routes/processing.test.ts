// Whether a spinner should turn.
import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { createProcessing } from '../../../src/server/activity-flag.ts';
import { nextId, stop, userPrompt } from '../../support/payloads.ts';
import { until } from '../../support/until.ts';
import { createTestWorker, type TestWorker } from '../../support/worker-app.ts';

let worker: TestWorker;

beforeEach(async () => {
  worker = createTestWorker();
  await worker.start();
});
afterEach(() => worker.dispose());

const IDLE = { isProcessing: false, queueDepth: 0, openTurns: 0, sessions: [] };
const read = async () => (await worker.call('GET', '/api/processing-status')).body;
const say = (body: object) => worker.call('POST', '/api/processing', body);

test('it turns while a turn that has ended waits, not while one goes on', async () => {
  expect(await read()).toEqual(IDLE);
  const session = nextId('s');
  await worker.send('new', userPrompt(session, '/work/shop', 'Cache the orders'));
  expect(await read()).toEqual({ isProcessing: false, queueDepth: 1, openTurns: 1, sessions: [session] });
  await worker.send('summary', stop(session, '/work/shop', 'Done.'));
  expect(await until(async () => ((await read()).isProcessing ? null : read()))).toEqual(IDLE);
});

test('it turns while a host says so', async () => {
  expect((await say({ isProcessing: true })).body).toEqual({ ...IDLE, isProcessing: true });
  expect((await say({ isProcessing: true, sessionId: 'window-1' })).body.sessions).toEqual(['window-1']);
  expect((await say({ isProcessing: false })).body.isProcessing).toBe(true);
  expect((await say({ isProcessing: false, claudeSessionId: 'window-1' })).body).toEqual(IDLE);
});

test('a host that says nothing for ten minutes is not believed any more', async () => {
  await worker.stop();
  const db = new Database(worker.paths.database);
  let now = 1_000_000;
  const state = createProcessing({ db, clock: () => now, hasModelWork: () => false });
  state.say(true, 'window-1');
  now += 9 * 60_000;
  expect(state.read()).toEqual({ isProcessing: true, queueDepth: 0, openTurns: 0, sessions: ['window-1'] });
  now += 2 * 60_000;
  expect(state.read()).toEqual(IDLE);
  db.close();
});

test('it turns while a model has work', async () => {
  await worker.stop();
  const db = new Database(worker.paths.database);
  expect(createProcessing({ db, clock: Date.now, hasModelWork: () => true }).read().isProcessing).toBe(true);
  db.close();
});

// The session routes by our own number of a session: each field, what is unknown, a restart, and the end of a run.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getSession } from '../../../src/capture/sessions.ts';
import { sessionEventRoutes } from '../../../src/server/routes/session-events.ts';
import { openStore } from '../../../src/store/open.ts';
import { GOOD_ANSWER, say, startFakeModel } from '../../support/fake-model.ts';
import { edit, nextId, stop, userPrompt } from '../../support/payloads.ts';
import { createTestApi } from '../../support/test-api.ts';
import { until } from '../../support/until.ts';
import { createTestWorker, type TestWorker } from '../../support/worker-app.ts';

let worker: TestWorker;
let cwd: string;

beforeEach(async () => {
  worker = createTestWorker();
  cwd = join(worker.paths.dataDir, 'work/shop');
  mkdirSync(cwd, { recursive: true });
  await worker.start();
});
afterEach(() => worker.dispose());

const post = (route: string, body: unknown) => worker.call('POST', route, body);
const get = (route: string) => worker.call('GET', route);

/** A session that is known, and its number. */
async function openSession(sessionId = nextId('ide')): Promise<{ sessionId: string; id: number }> {
  const { body } = await post('/sessions/init', { sessionId, cwd, prompt: 'Cache the orders' });
  return { sessionId, id: body.sessionDbId };
}

const kindsOf = (id: number) =>
  worker.rows<{ kind: string }>(`SELECT kind FROM events WHERE session_id = ${id} ORDER BY seq`).map(({ kind }) => kind);

const TOOL = { tool_name: 'Bash', tool_input: '{"command":"make"}', tool_output: '{"stdout":"ok"}' };

describe('the answer has the fields of', () => {
  test('init', async () => {
    const { id, sessionId } = await openSession();
    const answer = await post(`/sessions/${id}/init`, { project: 'shop', userPrompt: 'Go on', promptNumber: 2 });
    const fields = { status: 'initialized', sessionDbId: id, sessionId, project: 'shop', promptNumber: 2 };
    expect(answer).toEqual({ status: 200, body: { ...fields, queueLength: 2, port: expect.any(Number) } });
  });

  test('observations and summarize', async () => {
    const { id } = await openSession();
    const observed = await post(`/sessions/${id}/observations`, { ...TOOL, prompt_number: 1 });
    expect(observed).toEqual({ status: 200, body: { status: 'queued', sessionDbId: id, queueLength: 2 } });
    const summarized = await post(`/sessions/${id}/summarize`, { prompt_number: 1 });
    expect(summarized).toEqual({ status: 200, body: { status: 'queued', sessionDbId: id, queueLength: 3 } });
    await worker.settle();
    expect(kindsOf(id)).toEqual(['prompt', 'tool', 'stop']);
  });

  test('status', async () => {
    const { id, sessionId } = await openSession();
    const fields = { status: 'active', sessionDbId: id, sessionId, sdkSessionId: null, project: 'shop', promptNumber: 1 };
    expect(await get(`/sessions/${id}/status`)).toEqual({ status: 200, body: { ...fields, pendingMessages: 1, queueLength: 1 } });
  });

  test('an end of the run', async () => {
    const { id } = await openSession();
    const answer = await worker.call('DELETE', `/sessions/${id}`);
    expect(answer).toEqual({ status: 200, body: { status: 'aborted', sessionDbId: id, queueLength: 1 } });
    expect((await get(`/sessions/${id}/status`)).body).toMatchObject({ status: 'failed', pendingMessages: 1 });
  });
});

test('a second end of the run is a 404, until something happens again', async () => {
  const { id } = await openSession();
  const end = () => worker.call('DELETE', `/sessions/${id}`);
  expect((await end()).status).toBe(200);
  expect(await end()).toEqual({ status: 404, body: { error: expect.stringContaining('was aborted'), hint: expect.any(String) } });
  await post(`/sessions/${id}/observations`, TOOL);
  expect((await end()).status).toBe(200);
});

test('a tool may put out as much as in a hook: it is cut, not refused', async () => {
  const { id } = await openSession();
  const tool_output = { stdout: `first line\n${'x'.repeat(9_000_000)}\nlast line`, stderr: '<private>zwiebelturm-5</private>' };
  const answer = await post(`/sessions/${id}/observations`, { ...TOOL, tool_output });
  expect(answer).toMatchObject({ status: 200, body: { status: 'queued' } });
  const [kept] = worker.rows<{ payload: string }>("SELECT payload FROM events WHERE kind = 'tool'");
  expect(kept?.payload.length).toBeLessThan(200_000);
  expect(JSON.parse(kept?.payload ?? '').action.stdout).toMatch(/^first line\n[\s\S]*last line$/);
  expect(worker.filesWith('zwiebelturm-5')).toEqual([]);
});

test('a prompt that was told by its session already is not told again by its number', async () => {
  const { id } = await openSession();
  const { body } = await post(`/sessions/${id}/init`, { userPrompt: 'Cache the orders', promptNumber: 1 });
  expect(body).toMatchObject({ status: 'initialized', promptNumber: 1 });
  expect(kindsOf(id)).toEqual(['prompt']);
});

test('a program that counts no prompts yet is understood', async () => {
  const { id } = await openSession();
  expect((await post(`/sessions/${id}/observations`, { ...TOOL, prompt_number: 0 })).body.status).toBe('queued');
});

test('a worker that was restarted knows the session', async () => {
  const { id } = await openSession();
  await worker.stop();
  await worker.start();
  expect((await post(`/sessions/${id}/observations`, TOOL)).body).toEqual({ status: 'queued', sessionDbId: id, queueLength: 2 });
  expect((await post(`/sessions/${id}/summarize`, {})).status).toBe(200);
  await worker.settle();
  expect((await get(`/sessions/${id}/status`)).body).toMatchObject({ project: 'shop', pendingMessages: 0 });
  expect(kindsOf(id)).toEqual(['prompt', 'tool', 'stop']);
});

describe('a number that nobody has', () => {
  test.each([
    ['POST', '/sessions/4711/init', { userPrompt: 'x' }],
    ['GET', '/sessions/4711/status', undefined],
    ['DELETE', '/sessions/4711', undefined],
  ])('is a 404 of %s %s', async (method, route, body) => {
    const answer = await worker.call(method, route, body);
    expect(answer).toEqual({ status: 404, body: { error: 'There is no session 4711.', hint: expect.any(String) } });
    expect(worker.rows('SELECT 1 FROM sessions')).toEqual([]);
  });

  test('keeps an observation aside, once, where the status shows it', async () => {
    for (const _ of [1, 2]) {
      const answer = await post('/sessions/4711/observations', { ...TOOL, tool_output: 'a <private>zwiebelturm</private> b' });
      expect(answer).toEqual({ status: 202, body: { status: 'quarantined', sessionDbId: expect.any(Number), queueLength: 0 } });
    }
    expect((await post('/sessions/4711/summarize', { last_assistant_message: 'Done.' })).status).toBe(202);
    const { body } = await get('/api/status');
    expect(body.queue).toMatchObject({ depth: 0, quarantined: 2 });
    expect(body.counters['quarantined:unknown-session']).toBe(2);
    const [kept] = worker.rows<{ payload: string; error: string; session: string }>(
      'SELECT e.payload, e.error, s.host_session_id AS session FROM events e JOIN sessions s ON s.id = e.session_id',
    );
    expect(kept).toMatchObject({ error: 'there is no session 4711', session: 'unknown:4711' });
    expect(JSON.parse(kept?.payload ?? '').action).toMatchObject({ command: 'make', stdout: expect.stringContaining('b') });
    await worker.stop();
    expect(worker.filesWith('zwiebelturm')).toEqual([]);
    await worker.start();
    expect((await get('/api/status')).body.queue.quarantined).toBe(2);
  });

  test('keeps nothing in a pause', async () => {
    await post('/api/silence', {});
    const answer = await post('/sessions/4711/observations', TOOL);
    expect(answer.body).toEqual({ status: 'skipped', reason: 'left-out', sessionDbId: null, queueLength: 0 });
    expect(worker.rows('SELECT 1 FROM sessions')).toEqual([]);
  });
});

test('what is no number is a 400 that says so', async () => {
  const answer = await post('/sessions/window-1/observations', TOOL);
  expect(answer.status).toBe(400);
  expect(answer.body.error).toBe('"window-1" is not the number of a session.');
});

describe('a run that is ended while the model is asked', () => {
  async function startWithModel(model: { baseUrl: string }): Promise<void> {
    await worker.stop();
    const own = { provider: 'openai', model: 'fake', baseUrl: model.baseUrl, quietSeconds: 0 };
    writeFileSync(worker.paths.config, JSON.stringify(own));
    await worker.start();
  }

  async function runTurn(session: string): Promise<number> {
    await worker.send('new', userPrompt(session, cwd, 'Cache the orders for a minute'));
    await worker.send('save', edit(session, cwd, 'src/cache.ts', ['-const TTL = 3600;', '+const TTL = 60;']));
    await worker.send('summary', stop(session, cwd, 'We decided to cache orders for 60 seconds.'));
    return worker.rows<{ id: number }>(`SELECT id FROM sessions WHERE host_session_id = '${session}'`)[0]?.id ?? 0;
  }

  test('loses nothing: the local result stands, the next turn is asked again', async () => {
    let isHanging = true;
    let cutOff = 0;
    const server = startFakeModel(() => (isHanging ? new Promise<Response>(() => undefined) : say(GOOD_ANSWER)));
    try {
      await startWithModel(server);
      const session = nextId('s');
      const id = await runTurn(session);
      await until(() => server.prompts.length === 1);
      // An open turn waits, too.
      await worker.send('new', userPrompt(session, cwd, 'And the customers'));
      const before = performance.now();
      expect((await worker.call('DELETE', `/sessions/${id}`)).body).toMatchObject({ status: 'aborted', queueLength: 1 });
      cutOff = performance.now() - before;

      expect((await get(`/sessions/${id}/status`)).body).toMatchObject({ status: 'failed', pendingMessages: 1 });
      expect(worker.rows("SELECT 1 FROM batches WHERE status = 'waiting'")).toEqual([]);
      expect(worker.rows<{ n: number }>('SELECT count(*) AS n FROM observations WHERE provisional = 0')[0]?.n).toBeGreaterThan(0);
      expect(worker.rows("SELECT 1 FROM model_calls WHERE status = 'failed'")).toHaveLength(1);

      isHanging = false;
      await worker.send('save', edit(session, cwd, 'src/customers.ts', ['-const TTL = 3600;', '+const TTL = 90;']));
      await worker.send('summary', stop(session, cwd, 'We decided to cache customers for 90 seconds.'));
      await until(() => server.prompts.length === 2);
      await worker.settle();
      expect((await get(`/sessions/${id}/status`)).body.status).toBe('active');
      expect(kindsOf(id)).toEqual(['prompt', 'tool', 'stop', 'prompt', 'tool', 'stop']);
      expect(worker.rows("SELECT 1 FROM events WHERE status <> 'done'")).toEqual([]);
      expect(worker.rows('SELECT observer FROM batches ORDER BY id')).toEqual([{ observer: 'local' }, { observer: 'model' }]);
      expect(cutOff).toBeLessThan(3000);
    } finally {
      server.close();
    }
  });

  test('leaves what still waits to the rules', async () => {
    const server = startFakeModel(() => say(GOOD_ANSWER));
    try {
      await startWithModel(server);
      const session = nextId('s');
      await worker.send('new', userPrompt(session, cwd, 'Cache the orders for a minute'));
      await worker.send('save', edit(session, cwd, 'src/cache.ts', ['-const TTL = 3600;', '+const TTL = 60;']));
      const [row] = worker.rows<{ id: number }>('SELECT id FROM sessions');
      await worker.call('DELETE', `/sessions/${row?.id}`);
      await worker.stop();
      // After so much silence the turn is observed without its end.
      worker.rows('UPDATE events SET created_at_epoch = created_at_epoch - 660000 RETURNING seq');
      await worker.start();
      await worker.settle();
      expect(worker.rows('SELECT observer, status FROM batches')).toEqual([{ observer: 'local', status: 'done' }]);
      expect(server.prompts).toEqual([]);
    } finally {
      server.close();
    }
  });

  test('waits no longer for its end than is set', async () => {
    const { id } = await openSession();
    await worker.stop();
    const db = openStore(worker.paths.database);
    const deps = { db, stopSession: () => new Promise(() => undefined), timeoutMs: () => 50 };
    expect((await createTestApi(sessionEventRoutes(deps as never)).call('DELETE', `/sessions/${id}`)).status).toBe(200);
    expect(getSession(db, id)?.status).toBe('failed');
    db.close();
  });

  test('leaves other sessions alone', async () => {
    const server = startFakeModel(() => new Promise<Response>(() => undefined));
    try {
      await startWithModel(server);
      const id = await runTurn(nextId('s'));
      await runTurn(nextId('s'));
      await until(() => server.prompts.length === 2);
      await worker.call('DELETE', `/sessions/${id}`);
      expect(worker.rows("SELECT session_id FROM batches WHERE status = 'waiting'")).toHaveLength(1);
      expect(worker.rows("SELECT 1 FROM model_calls WHERE status = 'started'")).toHaveLength(1);
    } finally {
      server.close();
    }
  });
});

// One session over HTTP: its turns, what was done in them, what came of it, and nothing that is private or hidden.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { expirePayloads } from '../../../src/capture/events.ts';
import { remember } from '../../../src/capture/remember.ts';
import { findSession } from '../../../src/capture/sessions.ts';
import { hideMemories } from '../../../src/memory/hide.ts';
import { insertObservation } from '../../../src/memory/observations.ts';
import { observeBatch } from '../../../src/observe/observe.ts';
import { processTurn } from '../../../src/observe/process-turn.ts';
import { memoryRoutes } from '../../../src/server/routes/memories.ts';
import { EMPTY_OBSERVATION, openShelf } from '../../support/memories.ts';
import { bash, bashFailure, edit, sessionEnd, sessionStart, stop, userPrompt } from '../../support/payloads.ts';
import { byRules, createTestStore, type TestStore } from '../../support/store.ts';
import { createTestApi, type TestApi } from '../../support/test-api.ts';

const CWD = '/home/dev/shop';
const SESSION = 'aaaa-1111-session';

let store: TestStore;
let http: TestApi;

beforeEach(() => {
  store = createTestStore();
  http = createTestApi(memoryRoutes({ db: store.db, clock: Date.now }));
});
afterEach(() => store.close());

const ask = (session = SESSION, query = '') => http.call('GET', `/api/sessions/${session}${query}`);
const ofSession = () => findSession(store.db, SESSION)?.id ?? 0;
const distil = () => processTurn(store.db, ofSession(), byRules(observeBatch));

/** A turn with an edit that becomes an observation. */
function work(file: string): void {
  store.take('new', userPrompt(SESSION, CWD, `Fix ${file}`));
  store.take('save', bashFailure(SESSION, CWD, `bun test ${file}`, '1 fail\nexpected 2, got 3'));
  store.take('save', edit(SESSION, CWD, file, ['-const retries = 2;', '+const retries = 3;']));
  store.take('save', bash(SESSION, CWD, `bun test ${file}`, '3 pass\n0 fail'));
  store.take('summary', stop(SESSION, CWD, `Fixed ${file}: it tries three times now.`));
  distil();
}

describe('GET /api/sessions/:session', () => {
  test('tells a session turn by turn, with what came of each tool', async () => {
    store.take('context', sessionStart(SESSION, CWD));
    work('src/upload.ts');
    work('src/queue.ts');
    store.take('cleanup', sessionEnd(SESSION, CWD));
    const { status, body } = await ask();
    expect(status).toBe(200);
    expect(body.session).toMatchObject({
      session: SESSION,
      host: 'claude-code',
      project: 'shop',
      cwd: CWD,
      status: 'completed',
      firstPrompt: 'Fix src/upload.ts',
      prompts: 2,
      spend: { tokens: 0, calls: 0 },
    });
    expect(body.session.completedAt).toBeGreaterThan(body.session.startedAt);
    expect(body).toMatchObject({ total: 2, limit: 10, offset: 0 });
    const [first, second] = body.turns;
    expect(first).toMatchObject({ number: 1, isPrivate: false, moreTools: 0, moreObservations: 0 });
    expect(first.prompt).toMatchObject({ id: 'P1', text: 'Fix src/upload.ts' });
    expect(first.tools).toMatchObject([
      { tool: 'Bash', subject: 'bun test src/upload.ts', isError: true, status: 'done' },
      { tool: 'Edit', subject: 'src/upload.ts', isError: false, status: 'done' },
      { tool: 'Bash', subject: 'bun test src/upload.ts', isError: false, status: 'done' },
    ]);
    expect(first.observations.length).toBeGreaterThan(0);
    const ids = first.observations.map(({ id }: { id: string }) => id);
    expect(ids).toContain(first.tools[1].observations[0]);
    expect(second.summary.summary.request).toContain('src/queue.ts');
    expect(second.summary.promptNumber).toBe(2);
  });

  test('says nothing of what went into a tool and came out of it', async () => {
    work('src/upload.ts');
    const { body } = await ask();
    const tools = JSON.stringify(body.turns[0].tools);
    for (const text of ['expected 2', 'const retries', '3 pass']) expect(tools).not.toContain(text);
  });

  test('shows tools that wait, and of old ones what is still known', async () => {
    store.take('new', userPrompt(SESSION, CWD, 'Look around'));
    store.take('save', bash(SESSION, CWD, 'ls -la', 'x'));
    expect((await ask()).body.turns[0].tools).toMatchObject([{ status: 'pending', subject: 'ls -la', observations: [] }]);
    store.take('summary', stop(SESSION, CWD, 'Looked.'));
    distil();
    expirePayloads(store.db, Number.MAX_SAFE_INTEGER);
    const [tool] = (await ask()).body.turns[0].tools;
    expect(tool).toMatchObject({ tool: null, subject: null, isError: false });
    expect(['done', 'skipped']).toContain(tool.status);
  });

  test('keeps a private prompt private', async () => {
    store.take('new', userPrompt(SESSION, CWD, '<private>the merger</private>'));
    store.take('new', userPrompt(SESSION, CWD, 'Something else'));
    const { body } = await ask();
    expect(body.turns.map(({ prompt, isPrivate }: never) => [prompt, isPrivate])).toEqual([
      [null, true],
      [expect.objectContaining({ text: 'Something else' }), false],
    ]);
  });

  test('hides what is hidden, and what it was made of', async () => {
    work('src/upload.ts');
    const before = (await ask()).body.turns[0];
    const id = Number(before.tools[1].observations[0]);
    hideMemories(
      store.db,
      [
        { kind: 'observation', id },
        { kind: 'prompt', id: 1 },
      ],
      0,
    );
    const { session, turns } = (await ask()).body;
    expect(turns[0].prompt).toBeNull();
    expect(turns[0].observations.map((one: { id: string }) => one.id)).not.toContain(String(id));
    expect(turns[0].tools[1]).toMatchObject({ tool: 'Edit', subject: null, observations: [] });
    expect(session.observations).toBe(before.observations.length - 1);
  });

  test('shows no secret that a newer rule would find', async () => {
    store.take('new', userPrompt(SESSION, CWD, 'Call it'));
    store.take('save', bash(SESSION, CWD, 'curl api.example.com', 'x'));
    const key = `sk-ant-api03-${'aB3dE6gH9j'.repeat(9)}AA`;
    store.db
      .query("UPDATE events SET payload = json_set(payload, '$.action.command', ?) WHERE kind = 'tool'")
      .run(`curl -H "x-api-key: ${key}" api.example.com\n${'y'.repeat(50_000)}`);
    const [tool] = (await ask()).body.turns[0].tools;
    expect(tool.subject).toStartWith('curl -H "x-api-key: [secret:');
    expect(tool.subject.length).toBeLessThan(130);
  });

  test('is paged by turns, from either end', async () => {
    for (let n = 1; n <= 5; n++) store.take('new', userPrompt(SESSION, CWD, `Prompt ${n}`));
    const numbers = async (query: string) => (await ask(SESSION, query)).body.turns.map((turn: { number: number }) => turn.number);
    expect(await numbers('?limit=2')).toEqual([1, 2]);
    expect(await numbers('?limit=2&offset=4')).toEqual([5]);
    expect(await numbers('?limit=2&order=newest')).toEqual([5, 4]);
    expect(await numbers('?offset=9')).toEqual([]);
    expect((await ask(SESSION, '?limit=2')).body.total).toBe(5);
  });

  test('of a turn without end lists the first and counts the rest', async () => {
    store.take('new', userPrompt(SESSION, CWD, 'Do much'));
    store.db.transaction(() => {
      for (let n = 0; n < 230; n++) store.take('save', bash(SESSION, CWD, `echo ${n}`, 'x'));
    })();
    const owner = { sessionId: ofSession(), projectId: 1, promptNumber: 1, batchId: null, isProvisional: false };
    for (let n = 0; n < 205; n++) insertObservation(store.db, owner, { ...EMPTY_OBSERVATION, title: `Note ${n}` });
    const [turn] = (await ask()).body.turns;
    expect(turn.tools).toHaveLength(200);
    expect(turn).toMatchObject({ moreTools: 30, moreObservations: 5 });
    expect(turn.tools[199].subject).toBe('echo 199');
  });

  test('finds a session by the beginning of its id', async () => {
    openShelf(store.db, CWD, SESSION).ask('One', 1000);
    openShelf(store.db, CWD, 'aaaa-2222-session').ask('Two', 2000);
    expect((await ask('aaaa-1')).body.session.session).toBe(SESSION);
    const several = await ask('aaaa');
    expect(several.status).toBe(409);
    expect(several.body.candidates.sort()).toEqual([SESSION, 'aaaa-2222-session']);
    expect((await ask('bbbb')).status).toBe(404);
    expect((await ask(SESSION, '?order=sideways')).status).toBe(400);
  });

  test('does not take notes by hand for a session', async () => {
    openShelf(store.db, CWD, SESSION);
    remember(store.db, { text: 'Deploy on Tuesdays.', project: 'shop', by: 'user' }, 5000);
    expect(store.db.query('SELECT host_session_id AS id FROM sessions').all()).toEqual([{ id: SESSION }]);
  });
});

// The session routes by the host's own id: both prefixes, all spellings, and where a session belongs that names no folder.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { AGENTS } from '../../../src/agents/agents.ts';
import { nextId } from '../../support/payloads.ts';
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

type Event = { kind: string; payload: string; status: string; prompt: number };
const events = (session: string): Event[] =>
  worker.rows(
    `SELECT e.kind, e.payload, e.status, e.prompt_number AS prompt FROM events e JOIN sessions s ON s.id = e.session_id
     WHERE s.host_session_id = '${session}' ORDER BY e.seq`,
  );
const projectOf = (session: string) =>
  worker.rows<{ name: string; id: number; root: string }>(
    `SELECT p.name, p.id, s.root FROM sessions s JOIN projects p ON p.id = s.project_id WHERE s.host_session_id = '${session}'`,
  )[0];

describe.each(['/api/sessions', '/sessions'])('under %s', (prefix) => {
  test('a whole session is told, and each answer has its fields', async () => {
    const sessionId = nextId('ide');
    const init = await post(`${prefix}/init`, { sessionId, cwd, userPrompt: 'Cache the orders' });
    expect(init).toEqual({
      status: 200,
      body: {
        status: 'initialized',
        sessionDbId: expect.any(Number),
        queueLength: 1,
        sessionId,
        project: 'shop',
        promptNumber: 1,
        port: expect.any(Number),
      },
    });
    const { sessionDbId } = init.body;
    const tool = { tool_name: 'Bash', tool_input: { command: 'make test' }, tool_response: { stdout: 'ok' } };
    const observed = await post(`${prefix}/observations`, { claudeSessionId: sessionId, cwd, ...tool });
    expect(observed).toEqual({ status: 200, body: { status: 'queued', sessionDbId, queueLength: 2 } });
    const rest = { session_id: sessionId, last_user_message: 'Cache the orders', last_assistant_message: 'It is cached.' };
    const summarized = await post(`${prefix}/summarize`, rest);
    expect(summarized).toEqual({ status: 200, body: { status: 'queued', sessionDbId, queueLength: 3 } });
    const completed = await post(`${prefix}/complete`, { sessionId, reason: 'exit' });
    expect(completed.body).toEqual({ status: 'completed', sessionDbId, queueLength: expect.any(Number) });
    await worker.settle();

    expect(events(sessionId).map(({ kind }) => kind)).toEqual(['prompt', 'tool', 'stop', 'end']);
    expect(worker.rows(`SELECT end_reason AS reason, status FROM sessions WHERE id = ${sessionDbId}`)).toEqual([
      { reason: 'exit', status: 'completed' },
    ]);
    expect(worker.rows<{ n: number }>('SELECT count(*) AS n FROM summaries')[0]?.n).toBe(1);
  });
});

describe('a body', () => {
  test.each([
    ['an object', { command: 'make' }],
    ['JSON in a string', '{"command":"make"}'],
  ])('has its tool input as %s', async (_, tool_input) => {
    const sessionId = nextId('ide');
    await post('/sessions/observations', { sessionId, cwd, tool_name: 'Bash', tool_input, tool_output: '{"stdout":"42"}' });
    expect(JSON.parse(events(sessionId)[0]?.payload ?? '').action).toMatchObject({ command: 'make', stdout: '42' });
  });

  test('has plain text as what a tool said, also of one that failed', async () => {
    const sessionId = nextId('ide');
    const tool = { tool_name: 'Deploy', tool_input: { path: '/a.ts' }, tool_response: 'File saved' };
    await post('/api/sessions/observations', { sessionId, cwd, ...tool });
    await post('/api/sessions/observations', { sessionId, cwd, tool_name: 'Bash', error: 'Exit code 2\nno rule' });
    const [saved, failed] = events(sessionId).map(({ payload }) => JSON.parse(payload));
    expect(saved.action).toEqual({ type: 'other', input: { path: '/a.ts' }, output: 'File saved' });
    expect(failed.error).toBe('Exit code 2\nno rule');
  });

  test('may have a session that is a number, and fields that nobody knows', async () => {
    const { body } = await post('/sessions/init', { sessionId: 7, cwd, prompt: 'Hi', colour: 'blue', project: null });
    expect(body).toMatchObject({ status: 'initialized', sessionId: '7' });
  });

  test.each<[string, string, unknown, RegExp]>([
    ['without a session', '/sessions/init', { prompt: 'x' }, /^sessionId is missing/],
    ['without a tool', '/sessions/observations', { sessionId: 's' }, /^tool_name is missing/],
    ['with a tool that is a number', '/sessions/observations', { sessionId: 's', tool_name: 1 }, /^tool_name: .*string/],
    ['with a prompt that is a list', '/api/sessions/init', { sessionId: 's', prompt: ['x'] }, /^prompt: .*string/],
    ['with a relative folder', '/sessions/init', { sessionId: 's', cwd: 'shop', prompt: 'x' }, /^cwd is not/],
    ['with a host that nobody knows', '/sessions/init', { sessionId: 's', host: 'emacs', prompt: 'x' }, /^host: .*"codex"/],
    ['with a prompt number that is none', '/sessions/init', { sessionId: 's', promptNumber: 'one' }, /^promptNumber: .*(number|int)/],
    ['that is no JSON', '/sessions/complete', '{', /^The body is not JSON/],
    ['that is a list', '/sessions/summarize', [], /^The body: .*object/],
  ])('%s is a 400 that says so', async (_, route, body, error) => {
    const answer = await post(route, body);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ error: expect.stringMatching(error), hint: expect.any(String) });
    expect(worker.rows('SELECT 1 FROM sessions')).toEqual([]);
  });
});

test.each(AGENTS.map(({ name }) => name))('what a program says for %s is kept, whatever words that agent has itself', async (host) => {
  const sessionId = nextId('ide');
  expect((await post('/sessions/init', { sessionId, cwd, host, prompt: 'Cache the orders' })).body.promptNumber).toBe(1);
  const tool = { tool_name: 'Bash', tool_input: { command: 'make test' }, tool_response: { stdout: 'ok' } };
  for (const tool_use_id of ['one', 'two']) await post('/sessions/observations', { sessionId, cwd, host, ...tool, tool_use_id });
  await post('/sessions/summarize', { sessionId, cwd, host, last_assistant_message: 'It is cached.' });
  await post('/sessions/complete', { sessionId, cwd, host });
  expect(events(sessionId).map(({ kind, prompt }) => [kind, prompt])).toEqual([
    ...['prompt', 'tool', 'tool', 'stop', 'end'].map((kind) => [kind, 1]),
  ]);
  expect(events(sessionId)[1]?.payload).toContain('make test');
});

describe('last_user_message', () => {
  const rest = (sessionId: string, user: string, agent: string) =>
    post('/sessions/summarize', { sessionId, cwd, last_user_message: user, last_assistant_message: agent });
  const prompts = (sessionId: string) =>
    worker
      .rows<{ text: string }>(
        `SELECT p.text FROM prompts p JOIN sessions s ON s.id = p.session_id WHERE s.host_session_id = '${sessionId}'`,
      )
      .map(({ text }) => text);

  test('is the prompt of a turn that has none, once, without what is private', async () => {
    const sessionId = nextId('ide');
    await post('/sessions/observations', { sessionId, cwd, tool_name: 'Bash', tool_input: { command: 'make' }, tool_response: 'ok' });
    for (const _ of [1, 2]) await rest(sessionId, 'Cache the orders <private>zwiebelturm-9</private>', 'Done.');
    for (const _ of [1, 2]) await rest(sessionId, 'And the prices', 'Done, too.');
    await worker.settle();
    expect(prompts(sessionId).map((text) => text.trim())).toEqual(['Cache the orders', 'And the prices']);
    expect(events(sessionId).map(({ kind }) => kind)).toEqual(['tool', 'prompt', 'stop', 'prompt', 'stop']);
  });

  test('changes nothing where the prompt is known, also one that was private', async () => {
    const sessionId = nextId('ide');
    await post('/sessions/init', { sessionId, cwd, prompt: 'Cache the orders' });
    await rest(sessionId, 'cache THE orders', 'Done.');
    await post('/sessions/init', { sessionId, cwd, prompt: '<private>zwiebelturm-9</private>' });
    await rest(sessionId, 'zwiebelturm-9', 'Done.');
    await worker.settle();
    expect(prompts(sessionId)).toEqual(['Cache the orders', '']);
    expect(worker.filesWith('zwiebelturm-9')).toEqual([]);
  });
});

describe('what is told twice', () => {
  test('is one event, and a prompt is one prompt', async () => {
    const sessionId = nextId('ide');
    const prompt = { sessionId, cwd, prompt: 'Cache the orders' };
    const tool = { sessionId, cwd, tool_name: 'FileSave', tool_input: { path: 'a.ts' }, tool_response: 'saved' };
    for (const _ of [1, 2]) expect((await post('/sessions/init', prompt)).body.promptNumber).toBe(1);
    for (const _ of [1, 2]) expect((await post('/sessions/observations', tool)).body.queueLength).toBe(2);
    for (const _ of [1, 2]) await post('/sessions/summarize', { sessionId, last_assistant_message: 'Done.' });
    await worker.settle();
    expect(events(sessionId).map(({ kind }) => kind)).toEqual(['prompt', 'tool', 'stop']);
  });

  test('is two when something happened in between', async () => {
    const sessionId = nextId('ide');
    const tool = { sessionId, cwd, tool_name: 'FileSave', tool_input: { path: 'a.ts' }, tool_response: 'saved' };
    for (const n of [1, 2]) {
      expect((await post('/sessions/init', { sessionId, cwd, prompt: 'Go on' })).body.promptNumber).toBe(n);
      await post('/sessions/observations', tool);
      await post('/sessions/summarize', { sessionId });
    }
    await worker.settle();
    expect(events(sessionId).map(({ kind, prompt }) => `${kind} ${prompt}`)).toEqual([
      'prompt 1',
      'tool 1',
      'stop 1',
      'prompt 2',
      'tool 2',
      'stop 2',
    ]);
  });

  test('is said anew after other words', async () => {
    const sessionId = nextId('ide');
    for (const prompt of ['Yes', 'No', 'No', 'Yes']) await post('/sessions/init', { sessionId, cwd, prompt });
    const said = worker.rows<{ text: string }>('SELECT text FROM prompts ORDER BY prompt_number');
    expect(said.map(({ text }) => text)).toEqual(['Yes', 'No', 'Yes']);
  });

  test('by a hook, too, when it names the tool use', async () => {
    const session_id = nextId('ide');
    const tool = { session_id, cwd, tool_name: 'Bash', tool_input: { command: 'make' }, tool_use_id: nextId('toolu') };
    await worker.send('save', { ...tool, hook_event_name: 'PostToolUse', tool_response: { stdout: 'ok' } });
    await post('/sessions/observations', { ...tool, tool_response: { stdout: 'ok' } });
    expect(events(session_id)).toHaveLength(1);
  });
});

describe('what must not be kept', () => {
  test('private text and secrets are in no file', async () => {
    const sessionId = nextId('ide');
    const key = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    await post('/sessions/init', { sessionId, cwd, prompt: 'Deploy <private>zwiebelturm-1</private> now' });
    const output = { stdout: `<private>zwiebelturm-2</private> GITHUB_TOKEN=${key}` };
    await post('/sessions/observations', { sessionId, cwd, tool_name: 'Bash', tool_input: { command: 'env' }, tool_output: output });
    await post('/sessions/summarize', { sessionId, last_assistant_message: `<private>zwiebelturm-3</private> It is ${key}.` });
    await worker.settle();
    await worker.stop();
    expect(worker.filesWith('Deploy')).not.toEqual([]);
    expect(worker.filesWith('zwiebelturm')).toEqual([]);
    expect(worker.filesWith(key)).toEqual([]);
  });

  test('a wholly private prompt leaves a marker, and what is done under it nothing', async () => {
    const sessionId = nextId('ide');
    const init = await post('/sessions/init', { sessionId, cwd, prompt: '<private>zwiebelturm</private>' });
    expect(init.body).toMatchObject({ status: 'skipped', reason: 'private', promptNumber: 1 });
    const tool = { sessionId, cwd, tool_name: 'Bash', tool_input: { command: 'echo zwiebelturm' } };
    const observed = await post('/sessions/observations', tool);
    expect(observed.body).toMatchObject({ status: 'skipped', reason: 'private', queueLength: 0 });
    await worker.stop();
    expect(worker.filesWith('zwiebelturm')).toEqual([]);
  });

  test.each([
    ['folder', () => ({ cwd })],
    ['project', () => ({ project: 'shop' })],
  ])('nothing is kept in a pause of a session that names its %s', async (_, where) => {
    await post('/api/silence', {});
    const { body } = await post('/sessions/init', { sessionId: nextId('ide'), ...where(), prompt: 'zwiebelturm' });
    expect(body).toMatchObject({ status: 'skipped', reason: 'left-out', sessionDbId: null, project: null });
    expect(worker.rows('SELECT 1 FROM sessions')).toEqual([]);
    expect((await worker.call('GET', '/api/status')).body.counters['dropped:paused']).toBe(1);
  });

  test('a tool that tells nothing is kept for the record only', async () => {
    const { body } = await post('/sessions/observations', { sessionId: nextId('ide'), cwd, tool_name: 'SlashCommand' });
    expect(body).toMatchObject({ status: 'skipped', reason: 'skipped-tool', queueLength: 0 });
  });
});

describe('a session that names no folder', () => {
  test('belongs to the project that is named, and so does the next', async () => {
    const [one, two] = [nextId('ide'), nextId('ide')];
    for (const sessionId of [one, two]) {
      const { body } = await post('/sessions/init', { sessionId, project: 'shop', userPrompt: 'Cache the orders' });
      expect(body).toMatchObject({ status: 'initialized', project: 'shop' });
      // As the examples do it: only the first says where it is.
      await post('/api/sessions/observations', { claudeSessionId: sessionId, tool_name: 'FileSave', tool_response: 'saved' });
      await post('/api/sessions/observations', {
        claudeSessionId: sessionId,
        tool_name: 'Bash',
        tool_input: { command: 'make test' },
        tool_response: { stdout: 'ok' },
      });
      await post('/api/sessions/summarize', {
        claudeSessionId: sessionId,
        last_assistant_message: 'Orders are cached for a minute, as the prices in src/orders.ts change that often.',
      });
    }
    await worker.settle();
    expect(projectOf(one)).toMatchObject({ name: 'shop', root: '' });
    expect(projectOf(two)?.id).toBe(projectOf(one)?.id ?? 0);
    const found = await worker.call('GET', '/api/summaries?project=shop');
    expect(found.body.total).toBe(2);
  });

  test('belongs to the one project of that name whose folder is known', async () => {
    await post('/sessions/init', { sessionId: nextId('ide'), cwd, prompt: 'Begin' });
    const sessionId = nextId('ide');
    await post('/sessions/init', { sessionId, project: 'shop', prompt: 'Go on' });
    expect(projectOf(sessionId)).toMatchObject({ name: 'shop', root: expect.stringContaining('work/shop') });
  });

  test('is at home as soon as its folder is known, with what it left before', async () => {
    const sessionId = nextId('ide');
    await post('/sessions/observations', { sessionId, tool_name: 'FileSave', tool_response: 'saved' });
    expect(projectOf(sessionId)).toMatchObject({ name: 'unknown', root: '' });
    await post('/sessions/init', { sessionId, project: 'bakery', prompt: 'Bake' });
    expect(projectOf(sessionId)).toMatchObject({ name: 'bakery', root: '' });
    await post('/sessions/init', { sessionId, cwd, prompt: 'Begin' });
    expect(projectOf(sessionId)).toMatchObject({ name: 'shop', root: expect.stringContaining('work/shop') });
  });

  test('is paused with its project', async () => {
    const sessionId = nextId('ide');
    await post('/sessions/init', { sessionId, project: 'shop', prompt: 'Begin' });
    await post('/api/silence', { project: 'shop' });
    for (const session of [sessionId, nextId('ide')]) {
      const { body } = await post('/sessions/init', { sessionId: session, project: 'shop', prompt: 'zwiebelturm' });
      expect(body).toMatchObject({ status: 'skipped', reason: 'left-out' });
    }
    await worker.stop();
    expect(worker.filesWith('zwiebelturm')).toEqual([]);
  });
});

test('an observation belongs to the prompt whose number it names', async () => {
  const sessionId = nextId('ide');
  for (const promptNumber of [1, 2]) await post('/sessions/init', { sessionId, cwd, prompt: `Step ${promptNumber}`, promptNumber });
  await post('/sessions/observations', { sessionId, cwd, tool_name: 'FileSave', tool_response: 'saved', prompt_number: 1 });
  expect(events(sessionId).at(-1)).toMatchObject({ kind: 'tool', prompt: 1 });
});

describe('what a program says of itself', () => {
  const TOKEN = `ghp_${'a1B2'.repeat(9)}`;

  test('is cleaned before it says where things are kept', async () => {
    const body = { tool_name: 'Bash', tool_input: { command: 'ls' } };
    await post('/api/sessions/observations', { ...body, sessionId: `one <private>canary-id</private>${TOKEN}` });
    await post('/api/sessions/observations', { ...body, sessionId: nextId('s'), project: `shop<private>canary-name</private> ${TOKEN}` });
    await worker.stop();
    for (const text of ['canary-id', 'canary-name', TOKEN]) expect(worker.filesWith(text)).toEqual([]);
  });

  test('is no session when nothing is left of it', async () => {
    const { status } = await post('/api/sessions/init', { sessionId: '<private>all of it</private>', cwd });
    expect(status).toBe(400);
  });

  test('is refused when it is one of ours', async () => {
    expect((await post('/api/sessions/init', { sessionId: 'unknown:7', cwd, userPrompt: 'Hello' })).status).toBe(409);
  });

  test('of a time that is yet to come is not believed', async () => {
    const sessionId = nextId('s');
    await post('/api/sessions/init', { sessionId, cwd, userPrompt: 'Hello', timestamp: '2099-01-01T00:00:00Z' });
    const [row] = worker.rows<{ at: number }>(
      `SELECT p.created_at_epoch AS at FROM prompts p JOIN sessions s ON s.id = p.session_id WHERE s.host_session_id = '${sessionId}'`,
    );
    expect(row?.at).toBeLessThan(Date.now() + 60_000);
  });
});

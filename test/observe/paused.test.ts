import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sayStatusline } from '../../src/cli/commands/statusline.ts';
import { createMemoryApi } from '../../src/client/memory-api.ts';
import { spool } from '../../src/hook/spool.ts';
import { bash, nextId, sessionEnd, sessionStart, stop, userPrompt } from '../support/payloads.ts';
import { until } from '../support/until.ts';
import { createTestWorker, envelopeOf, type TestWorker } from '../support/worker-app.ts';

const NEEDLE = 'zwiebelturm-4711';
const KEPT = 'apfelstrudel-0815';

let worker: TestWorker;
let cwd: string;

beforeEach(async () => {
  worker = createTestWorker();
  cwd = join(worker.paths.dataDir, '..', nextId('shop'));
  await worker.start();
});
afterEach(() => worker.dispose());

/** A whole turn whose every part says the words. */
async function runTurn(session: string, words: string): Promise<void> {
  await worker.send('context', sessionStart(session, cwd));
  await worker.send('new', userPrompt(session, cwd, `We decided that ${words} is the name of the queue.`));
  await worker.send('save', bash(session, cwd, `echo ${words}`, words));
  await worker.send('summary', stop(session, cwd, `The queue is now called ${words}.`));
  await worker.send('cleanup', sessionEnd(session, cwd));
}

const statusline = (session = 's') =>
  sayStatusline(worker.paths, JSON.stringify({ session_id: session, cwd, workspace: { project_dir: cwd } }), 20_000);

describe('what is said in a pause', () => {
  test('is in no file afterwards and is found by nobody', async () => {
    await runTurn(nextId('s'), KEPT);
    expect((await worker.call('POST', '/api/silence', {})).status).toBe(201);
    await runTurn(nextId('s'), NEEDLE);
    expect((await worker.call('DELETE', '/api/silence')).body).toMatchObject({ ended: 1, silences: [] });
    await runTurn(nextId('s'), `${KEPT} again`);
    await worker.settle();

    const found = await worker.call('GET', `/api/search?all=true&query=${NEEDLE}`);
    expect(JSON.stringify(found.body.hits ?? found.body)).not.toContain(`The queue is now called ${NEEDLE}`);
    const status = await worker.call('GET', '/api/status');
    expect(status.body.counters['dropped:paused']).toBe(5);
    await worker.stop();
    expect(worker.filesWith(KEPT)).not.toEqual([]);
    expect(worker.filesWith(NEEDLE)).toEqual([]);
  });

  test('is dropped when it waited in the spool until the pause was over', async () => {
    const { body } = await worker.call('POST', '/api/silence', {});
    const within: number = body.silences[0].since;
    await until(() => Date.now() > within);
    await worker.call('DELETE', '/api/silence');
    await worker.stop();
    const said = (words: string) => userPrompt('s', cwd, words);
    spool(worker.paths, envelopeOf('new', said(NEEDLE), { receivedAt: within }));
    spool(worker.paths, envelopeOf('new', said(KEPT), { receivedAt: Date.now() }));
    expect(worker.filesWith(NEEDLE)).toHaveLength(1);
    await worker.start();
    await worker.stop();
    expect(worker.filesWith(NEEDLE)).toEqual([]);
    expect(worker.filesWith(KEPT)).not.toEqual([]);
  });

  test('in a project that is off is in no file either', async () => {
    await worker.stop();
    mkdirSync(worker.paths.dataDir, { recursive: true });
    const project = cwd.split('/').at(-1) ?? '';
    writeFileSync(worker.paths.config, JSON.stringify({ projects: { [project]: { off: true } } }));
    await worker.start();
    await runTurn(nextId('s'), NEEDLE);
    expect((await worker.call('GET', '/api/status')).body.silences).toMatchObject([{ kind: 'off', name: project }]);
    expect(await statusline()).toBe('mem off here');
    await worker.stop();
    expect(worker.filesWith(NEEDLE)).toEqual([]);
  });
});

test.each([
  ['{"off": true,}', 'cannot be read'],
  ['{"off": "ja"}', 'off: must be true or false'],
  ['{"projects": {"blog": {"excludePaths": 5}}}', 'projects: blog: excludePaths'],
])('with the settings %s a new worker keeps and tells nothing, and says why', async (text, reason) => {
  await runTurn(nextId('s'), KEPT);
  await worker.settle();
  await worker.stop();
  writeFileSync(worker.paths.config, text);
  await worker.start();
  const said = await worker.send('context', sessionStart(nextId('s'), cwd));
  expect(JSON.parse(said).systemMessage).toMatch(/^claude-mem is off: .*; fix it or .*nothing is stored or added to sessions\.$/);
  expect(said).toContain(reason);
  expect(said).not.toContain(KEPT);
  await runTurn(nextId('s'), NEEDLE);
  const { body } = await worker.call('GET', '/api/status');
  expect(body.silences).toMatchObject([{ kind: 'off', reason: expect.stringContaining(reason) }]);
  expect(body.counters['dropped:off']).toBe(6);
  expect(await statusline()).toBe('mem off: see claude-mem status');
  const { body: preview } = await worker.call('GET', `/api/context/preview?cwd=${encodeURIComponent(cwd)}`);
  expect(preview).toMatchObject({ text: '', note: expect.stringContaining(reason) });
  await worker.stop();
  expect(worker.filesWith(NEEDLE)).toEqual([]);
});

test('an agent cannot have anything remembered in a pause, a person can', async () => {
  await worker.call('POST', '/api/silence', { cwd });
  const save = (text: string, more: object) => worker.call('POST', '/api/memory/save', { text, cwd, ...more });
  expect(await save(NEEDLE, {})).toMatchObject({ status: 409, body: { error: expect.stringContaining('paused') } });
  expect((await save(NEEDLE, { by: 'agent' })).status).toBe(409);
  expect((await save(KEPT, { by: 'user' })).status).toBe(201);
  expect((await worker.call('POST', '/api/memory/save', '{')).body.error).toContain('not JSON');
  await worker.call('DELETE', `/api/silence?cwd=${encodeURIComponent(cwd)}`);
  expect((await save('said after it', {})).status).toBe(201);
  await worker.stop();
  expect(worker.filesWith(NEEDLE)).toEqual([]);
});

test('the tool of an agent in a silent session refuses to remember', async () => {
  const inSession = (session: string) => createMemoryApi(worker.paths, { session, cwd });
  await worker.call('POST', '/api/silence', { session: 'one' });
  await expect(inSession('one').remember({ text: NEEDLE, cwd, by: 'agent' })).rejects.toThrow('paused for this session');
  expect((await inSession('two').remember({ text: KEPT, cwd, by: 'agent' })).isNew).toBe(true);
});

describe('the routes of silence', () => {
  test('pause a project, a session and everything, and say what is silent', async () => {
    await worker.call('POST', '/api/silence', { cwd, minutes: 60 });
    await worker.call('POST', '/api/silence', { session: 'one' });
    const { body } = await worker.call('GET', '/api/silence');
    expect(body.silences).toMatchObject([
      { kind: 'paused', scope: 'session', name: 'one', until: null },
      { kind: 'paused', scope: 'project', name: cwd.split('/').at(-1), until: expect.any(Number) },
    ]);
    expect((await worker.call('GET', '/api/status')).body.silences).toEqual(body.silences);
    expect((await worker.call('DELETE', '/api/silence?session=one')).body.ended).toBe(1);
    expect((await worker.call('DELETE', '/api/silence')).body.ended).toBe(0);
    expect((await worker.call('DELETE', '/api/silence?all=true')).body).toEqual({ ended: 1, silences: [] });
  });

  test.each([
    ['both ends', { minutes: 5, until: '2099-01-01T00:00:00Z' }, 409],
    ['no time', { until: 'soon' }, 400],
    ['a time that is over', { until: '2020-01-01T00:00:00Z' }, 400],
    ['a negative length', { minutes: -5 }, 400],
    ['an unknown project', { project: 'nobody' }, 404],
    ['a relative folder', { cwd: 'shop' }, 400],
    ['an unknown field', { hours: 1 }, 400],
  ])('refuse %s', async (_, body, status) => {
    expect((await worker.call('POST', '/api/silence', body)).status).toBe(status);
    expect((await worker.call('GET', '/api/silence')).body.silences).toEqual([]);
  });
});

describe('the status line', () => {
  test('shows what is remembered here, and every kind of silence', async () => {
    await runTurn('s', KEPT);
    await worker.settle();
    expect(await statusline()).toMatch(/^mem \d+$/);
    await worker.call('POST', '/api/silence', { session: 's' });
    expect(await statusline()).toBe('mem incognito');
    expect(await statusline('another')).toMatch(/^mem \d+$/);
    await worker.call('POST', '/api/silence', { cwd, minutes: 60 });
    expect(await statusline('another')).toMatch(/^mem paused here until [\d :-]+$/);
    await worker.call('POST', '/api/silence', {});
    expect(await statusline('another')).toBe('mem paused');
  });

  test('says that nobody is awake, and takes any input', async () => {
    expect(await sayStatusline(worker.paths, 'not json', 20_000)).toMatch(/^mem \d+$/);
    expect(await sayStatusline(worker.paths, 'null', 20_000)).toMatch(/^mem \d+$/);
    await worker.stop();
    expect(await statusline()).toBe('mem asleep');
  });
});

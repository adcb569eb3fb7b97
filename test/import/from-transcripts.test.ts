// The past, read from transcripts: once, whatever happens meanwhile, and nothing that was to be kept out.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { readFileSync, rmSync } from 'node:fs';
import { createLines, ordinarySession, SESSION } from '../support/claude-lines.ts';
import { toLines } from '../support/transcript.ts';
import { createTranscripts, importAll, type Transcripts } from '../support/transcripts.ts';
import { until } from '../support/until.ts';
import { createTestWorker, type TestWorker } from '../support/worker-app.ts';

let worker: TestWorker;
let past: Transcripts;

beforeEach(async () => {
  worker = createTestWorker();
  past = createTranscripts();
  await worker.start();
});

afterEach(async () => {
  await worker.dispose();
  past.dispose();
});

const read = (parameters: object = {}) => importAll(worker, { path: past.folder, ...parameters });
const own = `shop/${SESSION}.jsonl`;
const tools = () =>
  worker.rows<{ id: string }>("SELECT tool_use_id AS id FROM events WHERE kind = 'tool' ORDER BY seq").map(({ id }) => id);
const prompts = () => worker.rows<{ text: string }>('SELECT text FROM prompts ORDER BY id').map(({ text }) => text);
const SECRET = ['ghp', 'aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYz1A2'].join('_');
const ALL = ['toolu_1', 'toolu_2', 'toolu_3', 'toolu_4', 'toolu_5', 'toolu_6'];

test('a session is read once, however often; its raw payloads are gone, and it has ended', async () => {
  const path = past.write(own, ordinarySession());
  const written = readFileSync(path, 'utf8');
  const first = await read();
  expect(first).toMatchObject({ status: 'done', progress: { counts: { events: 15 } } });
  expect(first.result?.[0]).toStartWith('Imported 1 session (15 new events): ');
  expect(tools()).toEqual(ALL);
  expect(prompts()).toEqual(['Fix the slug, it must keep umlauts.', '/ship now', 'And the tests?', 'Also on Windows!']);
  const before = worker.rows('SELECT * FROM observations');
  expect(before.length).toBeGreaterThan(0);
  for (let again = 0; again < 2; again++) expect((await read()).progress.counts.events).toBe(0);
  past.write(`copied/elsewhere/${SESSION}.jsonl`, ordinarySession());
  await read();
  expect(tools()).toEqual(ALL);
  expect(worker.rows('SELECT * FROM observations')).toEqual(before);
  expect(readFileSync(path, 'utf8')).toBe(written);
  expect(worker.rows('SELECT payload FROM events WHERE payload IS NOT NULL')).toEqual([]);
  expect(worker.rows('SELECT status, branch, started_at FROM sessions')).toEqual([
    { status: 'completed', branch: 'main', started_at: '2026-03-02T09:00:01.000Z' },
  ]);
});

test('what is cut off in the middle of a line is read on when the rest is there', async () => {
  const text = toLines(ordinarySession());
  for (let end = 200; end < text.length; end += Math.ceil(text.length / 12)) {
    past.write(own, text.slice(0, end), Date.now());
    expect((await read()).status).toBe('done');
  }
  past.write(own, text);
  await read();
  expect(tools()).toEqual(ALL);
  expect(prompts()).toHaveLength(4);
});

test('another file under the same name is read from its beginning', async () => {
  past.write(own, ordinarySession());
  await read();
  const { prompt, bash } = createLines({ from: Date.parse('2026-04-01T09:00:00Z') });
  past.write(own, [prompt('Something else', 'q1'), ...bash('toolu_x', 'ls', 'y')], Date.parse('2026-04-02T09:00:00Z'));
  await read();
  expect(tools()).toEqual([...ALL, 'toolu_x']);
});

describe('what was to be kept out stays out', () => {
  const { prompt, bash, say } = createLines();
  const turn = (id: string, text: string) => [
    prompt(text, id),
    ...bash(`toolu_${id}`, `echo ${id}-canary`, `${id}-canary`),
    say(`${id} done.`),
  ];

  test('private words, all under a wholly private prompt, and secrets', async () => {
    past.write(own, [
      ...turn('open', `Use the key ${SECRET} <private>only-canary</private>`),
      ...turn('hidden', '<private>all of it</private>'),
    ]);
    past.write(
      `shop/${SESSION}/subagents/agent-a.jsonl`,
      createLines({ from: Date.parse('2026-03-02T10:00:00Z') })
        .bash('toolu_a', 'ls', 'agent-canary')
        .map((line) => ({ ...line, promptId: 'hidden', isSidechain: true, agentId: 'a' })),
    );
    // A fork repeats the prompt in a session of its own.
    past.write(
      'shop/fork.jsonl',
      turn('hidden', '<private>all of it</private>').map((line) => ({ ...line, sessionId: 'fork' })),
    );
    await read();
    expect(tools()).toEqual(['toolu_open']);
    for (const canary of ['only-canary', 'hidden-canary', 'agent-canary', 'all of it', SECRET])
      expect([canary, ...worker.filesWith(canary)]).toEqual([canary]);
  });

  test('what happened in a pause', async () => {
    const at = (time: string) => Date.parse(`2026-03-02T${time}Z`);
    past.write(own, [
      ...createTurn('before', at('10:00:00')),
      ...createTurn('during', at('11:30:00')),
      ...createTurn('after', at('12:30:00')),
    ]);
    worker.rows(
      `INSERT INTO silences (scope, key, since_epoch, until_epoch) VALUES ('everything', '', ${at('11:00:00')}, ${at('12:00:00')})`,
    );
    await read();
    expect(tools()).toEqual(['toolu_before', 'toolu_after']);
    expect(worker.filesWith('during')).toEqual([]);
  });

  const createTurn = (id: string, from: number) => {
    const lines = createLines({ from });
    return [lines.prompt(`Do ${id}`, id), ...lines.bash(`toolu_${id}`, `echo ${id}`, id), lines.say(`${id} done.`)];
  };

  test('an incognito session, by whatever name its file has', async () => {
    const payload = { session_id: SESSION };
    await worker.send('context', payload, { incognito: true });
    past.write(own, ordinarySession());
    past.write('elsewhere/copy.jsonl', ordinarySession());
    await read();
    expect(worker.rows('SELECT * FROM sessions')).toEqual([]);
    expect(worker.filesWith('umlauts')).toEqual([]);
  });

  test('what was forgotten', async () => {
    past.write(own, ordinarySession());
    await read();
    const ids = worker
      .rows<{ id: string }>("SELECT 'P' || id AS id FROM prompts")
      .map(({ id }) => id)
      .join(',');
    await worker.call('DELETE', `/api/observations/${ids}?erase=true&related=true`);
    rmSync(`${past.folder}/${own}`);
    past.write(`again/${SESSION}.jsonl`, ordinarySession());
    await read();
    expect(prompts().join('')).toBe('');
  });
});

test('lines without end, strange files and folders are no obstacle', async () => {
  const huge = { ...createLines().prompt('x'.repeat(100), 'p0'), blob: 'y'.repeat(12_000_000) };
  past.write(own, [huge, ...ordinarySession()]);
  past.write('shop/empty.jsonl', '');
  past.write('shop/binary.jsonl', '\0\u0001\uffff\n{}\n[]\nnull\n');
  past.write('shop/notes.jsonl', '{"title":"not a transcript"}\n');
  const job = await read();
  expect(job.status).toBe('done');
  expect(tools()).toEqual(ALL);
  expect(worker.rows('SELECT id FROM sessions')).toHaveLength(1);
  expect(await importAll(worker, { path: '/no/such/folder' })).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(/^There is no \/no\/such\/folder\./),
  });
  expect(await importAll(worker, { agent: 'nobody' })).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(/Known: .*claude-code/),
  });
});

test('cancelled, it ends soon; the next import goes on', async () => {
  const count = 150;
  for (let number = 0; number < count; number++) {
    const lines = createLines({ session: `s-${number}` });
    past.write(`p/s-${number}.jsonl`, [
      lines.prompt(`Do ${number}`, `p${number}`),
      ...lines.bash(`toolu_${number}`, 'ls', 'x'),
      lines.say('Done.'),
    ]);
  }
  const { body } = await worker.call('POST', '/api/jobs', { kind: 'import', parameters: { path: past.folder } });
  await until(() => tools().length > 0);
  await worker.call('DELETE', `/api/jobs/${body.id}`);
  const state = async () => (await worker.call('GET', `/api/jobs/${body.id}`)).body;
  await until(async () => (await state()).status === 'cancelled');
  expect(await state()).toMatchObject({ status: 'cancelled', result: [expect.stringMatching(/^Stopped after/)] });
  await read();
  expect(new Set(tools()).size).toBe(count);
  expect(tools()).toHaveLength(count);
  // On a busy machine the importer may hold the database for longer than the worker waits.
  expect(worker.problems.filter((said) => !said.includes('database is locked'))).toEqual([]);
});

test('a job that a dead worker left is taken up by the next', async () => {
  past.write(own, ordinarySession());
  worker.rows(`INSERT INTO jobs (kind, parameters, status, created_at, created_at_epoch)
    VALUES ('import', '${JSON.stringify({ path: past.folder })}', 'running', '2026-01-01', 0)`);
  await worker.stop();
  await worker.start();
  await until(() => worker.rows("SELECT 1 FROM jobs WHERE status = 'done'").length === 1);
  expect(tools()).toEqual(ALL);
  const { jobs } = (await worker.call('GET', '/api/jobs')).body;
  expect(jobs[0].result.at(-1)).toMatch(/^It was interrupted and resumed: .* of what was left\.$/);
});

// A real worker that is watched: hooks by its socket, the stream by its HTTP door.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { remember } from '../../../src/capture/remember.ts';
import { openStore } from '../../../src/store/open.ts';
import { bash, sessionEnd, sessionStart, stop, userPrompt } from '../../support/payloads.ts';
import { type Heard, type StreamClient, watch } from '../../support/stream-client.ts';
import { until } from '../../support/until.ts';
import { createTestWorker, type TestWorker } from '../../support/worker-app.ts';

let worker: TestWorker;
const clients: StreamClient[] = [];
const CWD = '/work/shop';

beforeEach(async () => {
  worker = createTestWorker();
  await worker.start();
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  expect(worker.problems).toEqual([]);
  await worker.dispose();
});

async function open(options: { query?: string; lastId?: string } = {}): Promise<StreamClient> {
  const client = await watch(worker.paths.httpSocket, options);
  clients.push(client);
  return client;
}

/** A turn of which something is remembered. */
async function work(session: string, what: string): Promise<void> {
  await worker.send('new', userPrompt(session, CWD, `Always use ${what} for the price table from now on.`));
  await worker.send('save', bash(session, CWD, `git commit -m "Use ${what}"`, `[main abc1234] Use ${what}`));
  await worker.send('summary', stop(session, CWD, `We decided to use ${what} instead of floats because it rounds.`));
}

const title = ({ data }: Heard) => data.title;

test('a turn is heard as it happens: prompt, event, session, observation, summary, and that it is worked on', async () => {
  const client = await open();
  await work('s1', 'decimals');
  expect((await client.next('prompt')).data.text).toContain('decimals');
  expect((await client.next('event', ({ data }) => data.kind === 'tool')).data).toMatchObject({
    ...{ session: 's1', project: 'shop', tool: 'Bash', subject: 'git commit -m "Use decimals"' },
  });
  await client.next('session', ({ data }) => data.status === 'active');
  const { data: observation } = await client.next('observation');
  expect(observation).toMatchObject({ kind: 'observation', session: 's1', project: 'shop' });
  expect((await client.next('summary')).data).toMatchObject({ kind: 'summary', session: 's1' });
  await client.next('session', ({ data }) => data.title !== null);
  await client.next('processing', ({ data }) => !data.isProcessing && data.queueDepth === 0);
  await worker.send('cleanup', sessionEnd('s1', CWD));
  await client.next('session', ({ data }) => data.status === 'completed');
  const listed = await worker.call('POST', '/api/observations/batch', { ids: [observation.id] });
  expect(listed.body.memories[0].title).toBe(observation.title);
});

test('what belongs to an open turn is heard as waiting', async () => {
  const client = await open();
  await worker.send('save', bash('s1', CWD, 'npm test', 'ok'));
  expect((await client.next('event')).data).toMatchObject({ kind: 'tool', isWaiting: true });
});

test('what was missed is heard on coming back, nothing twice', async () => {
  const witness = await open();
  const client = await open();
  await work('s1', 'decimals');
  await client.next('summary');
  client.close();
  const before = [...client.heard];
  await work('s2', 'fractions');
  await witness.next('summary', ({ data }) => data.session === 's2');
  const back = await open({ lastId: client.lastId() });
  await back.next('summary', ({ data }) => data.session === 's2');
  await until(() => before.length + back.heard.length >= witness.heard.length);
  const heard = [...before, ...back.heard].map(({ id }) => id);
  expect(heard).toEqual(witness.heard.slice(0, heard.length).map(({ id }) => id));
});

test('a worker that was started anew says so to whoever comes back', async () => {
  const client = await open();
  await work('s1', 'decimals');
  await client.next('summary');
  await worker.stop();
  await until(client.isEnded);
  await worker.start();
  const back = await open({ lastId: client.lastId() });
  await back.next('reset');
  expect(back.heard.filter(({ type }) => type !== 'reset')).toEqual([]);
});

test('corrected, hidden, shown again and erased: each is heard', async () => {
  const client = await open();
  await work('s1', 'decimals');
  const { id } = (await client.next('observation')).data;
  await worker.settle();
  await worker.call('PATCH', `/api/observations/${id}`, { title: 'Use decimals everywhere', by: 'user' });
  await client.next('changed', (one) => title(one) === 'Use decimals everywhere');
  await worker.call('DELETE', `/api/observations/${id}`);
  await client.next('removed', ({ data }) => data.ids.includes(id));
  const count = client.heard.length;
  await worker.call('POST', '/api/memory/unhide', { ids: [id] });
  await until(() => client.heard.slice(count).some(({ type, data }) => type === 'changed' && data.id === id));
  const shown = client.heard.length;
  await worker.call('DELETE', `/api/observations/${id}?erase=true`);
  await until(() => client.heard.slice(shown).some(({ type, data }) => type === 'removed' && data.ids.includes(id)));
});

test('what is remembered by hand is heard', async () => {
  const client = await open();
  await worker.call('POST', '/api/memory/save', { text: 'The price table is in cents.', cwd: CWD });
  expect((await client.next('observation')).data).toMatchObject({ title: 'The price table is in cents.' });
});

test('what is private is never heard, and what came twice is heard once', async () => {
  const client = await open();
  const tool = bash('s1', CWD, 'npm test', 'ok');
  for (const _ of [1, 2]) await worker.send('save', tool);
  await worker.send('new', userPrompt('s1', CWD, '<private>the canary</private>', { prompt_id: 'p9' }));
  await worker.send('save', bash('s1', CWD, 'cat canary', 'canary', { prompt_id: 'p9' }));
  await worker.send('cleanup', sessionEnd('s1', CWD));
  await client.next('event', ({ data }) => data.kind === 'end');
  expect(client.heard.filter(({ type }) => type === 'event').map(({ data }) => data.subject)).toEqual(['npm test', 'other']);
  expect(JSON.stringify(client.heard)).not.toContain('canary');
});

/** As another process does. */
function store(count: number): void {
  const db = openStore(worker.paths.database);
  db.transaction(() => {
    for (let n = 1; n <= count; n++) remember(db, { text: `Price ${n} is kept in cents.`, cwd: CWD, by: 'user' }, Date.now());
  })();
  db.close();
}

test('what another process stored is heard, and that one stands in the place of another', async () => {
  const older = (await worker.call('POST', '/api/memory/save', { text: 'The price table is in euros.', cwd: CWD })).body.id;
  const client = await open();
  store(1);
  const { id: newer } = (await client.next('observation', (one) => title(one) === 'Price 1 is kept in cents.')).data;
  expect(client.heard.filter(({ type }) => type === 'observation')).toHaveLength(1);
  await worker.call('POST', '/api/memory/replace', { older, newer, by: 'user' });
  expect((await client.next('changed', ({ data }) => data.id === older)).data.replacedBy).toMatchObject({ id: newer });
});

test('more than two hundred at once, and a project with another name, are a reason to ask again', async () => {
  const client = await open();
  store(201);
  await client.next('reset', ({ data }) => data.reason.includes('Many memories'));
  expect(client.heard.filter(({ type }) => type === 'observation')).toEqual([]);
  await worker.call('PATCH', '/api/projects', { project: 'shop', name: 'store' });
  await client.next('reset', ({ data }) => data.reason.includes('Much has changed'));
});

test('a pause is heard when it begins and when it ends', async () => {
  const client = await open();
  await worker.call('POST', '/api/pauses', {});
  await client.next('silences', ({ data }) => data.silences[0]?.scope === 'everything');
  await worker.call('DELETE', '/api/pauses');
  await client.next('silences', ({ data }) => data.silences.length === 0);
});

test('how long a turn waited counts from its arrival, whatever its host says of when it happened', async () => {
  const timestamp = '2026-01-01T00:00:00Z';
  await worker.send('new', { ...userPrompt('s1', CWD, 'Always use decimals for the price table.'), timestamp });
  await worker.send('save', { ...bash('s1', CWD, 'git commit -m "Use decimals"', '[main abc1234] Use'), timestamp });
  await worker.send('summary', { ...stop('s1', CWD, 'We decided to use decimals instead of floats.'), timestamp });
  const { queueWait } = await until(async () => {
    const { latencies } = (await worker.call('GET', '/api/stats')).body;
    return latencies.queueWait.count > 0 ? latencies : null;
  });
  expect(queueWait.count).toBe(1);
  expect(queueWait.p99).toBeLessThan(60_000);
});

test('a turn that goes on is not silent because its host says that it was long ago', async () => {
  const timestamp = '2026-01-01T00:00:00Z';
  await worker.send('new', { ...userPrompt('s1', CWD, 'Always use decimals for the price table.'), timestamp });
  await worker.send('save', { ...bash('s1', CWD, 'git commit -m "Use decimals"', '[main abc1234] Use'), timestamp });
  // Distils whatever is ready, before it answers.
  await worker.send('context', sessionStart('s2', CWD));
  expect(worker.rows("SELECT 1 FROM events WHERE kind = 'tool' AND status = 'pending'")).toHaveLength(1);
});

test('the figures of the worker tell how fast it was', async () => {
  await work('s1', 'decimals');
  await worker.settle();
  const { body } = await until(async () => {
    const stats = await worker.call('GET', '/api/stats');
    return stats.body.latencies.index.count > 0 ? stats : null;
  });
  expect(body.latencies.ack).toMatchObject({ count: 3, p50: expect.any(Number), p99: expect.any(Number) });
  expect(body.latencies.observe.count).toBe(1);
  expect(body.latencies.queueWait.count).toBe(1);
  expect(body.counts).toMatchObject({ prompts: 1, summaries: 1, sessions: 1, projects: 1 });
  expect(body.queue).toMatchObject({ depth: 0, slope: 0 });
  expect(body.sizes.database).toBeGreaterThan(0);
});

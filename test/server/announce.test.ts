import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { dropProvisional, insertBatch } from '../../src/capture/batches.ts';
import { readProcessing } from '../../src/capture/queue.ts';
import { beginSilence, endSilences, listSilences, type SilenceSettings } from '../../src/capture/silence.ts';
import { bareEvidence } from '../../src/core/evidence.ts';
import type { ObservationDraft } from '../../src/core/observation.ts';
import { hideMemories, unhideMemories } from '../../src/forget/hide.ts';
import { correct } from '../../src/memory/edit.ts';
import { insertObservation } from '../../src/memory/observations.ts';
import { Announce } from '../../src/server/announce.ts';
import { Stream } from '../../src/server/stream.ts';
import { openStore } from '../../src/store/open.ts';
import { replaced } from '../support/memories.ts';
import { bash, sessionEnd, stop, userPrompt } from '../support/payloads.ts';
import { createTestStore, type TestStore } from '../support/store.ts';
import { until } from '../support/until.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a message by expecting it.
type Heard = { type: string; data: any };

let store: TestStore;
let stream: Stream;
let announce: Announce;
let heard: Heard[];
let spent = 0;
let settings: SilenceSettings;
const problems: string[] = [];

beforeEach(() => {
  store = createTestStore();
  settings = { off: false, excludePaths: [], projects: {} };
  stream = new Stream({ clock: Date.now, limits: { graceMs: 0, flushMs: 1 } });
  const quiet = () => undefined;
  const log = { debug: quiet, info: quiet, warn: quiet, error: (message: string) => problems.push(message) };
  const figures = {
    processing: () => readProcessing(store.db),
    spend: () => ({ spentToday: { tokens: spent, calls: 0 }, exhausted: null }),
    silences: () => ({ silences: listSilences(store.db, settings, Date.now()) }),
  };
  announce = new Announce({ db: store.db, stream, figures, log });
  heard = [];
});
afterEach(() => {
  announce.close();
  stream.close();
  store.close();
  expect(problems).toEqual([]);
});

function watch(): () => void {
  const reader = stream.open({ types: null, project: null, lastId: null })?.getReader() ?? expect.unreachable();
  const read = async () => {
    for (let text = ''; ; ) {
      const { done, value } = await reader.read();
      if (done) return;
      text += new TextDecoder().decode(value);
      const frames = text.split('\n\n');
      text = frames.pop() ?? '';
      for (const [, type = '', data = ''] of frames.flatMap((frame) => [...frame.matchAll(/^event: (.*)\ndata: (.*)$/gm)]))
        heard.push({ type, data: JSON.parse(data) });
    }
  };
  read().catch(() => undefined);
  return () => void reader.cancel();
}
const next = (type: string, fits: (data: Heard['data']) => boolean = () => true) =>
  until(() => heard.find((one) => one.type === type && fits(one.data)));

function openSession() {
  store.take('new', userPrompt('s1', '/shop', 'Add the tax'));
  const row = store.db.query<{ id: number; projectId: number }, []>('SELECT id, project_id AS projectId FROM sessions');
  return row.get() ?? { id: 0, projectId: 0 };
}

const draftOf = (title: string): ObservationDraft => ({
  ...{ type: 'bugfix', title, subtitle: null, narrative: null, facts: [], concepts: [], filesRead: [] },
  ...{ filesModified: [], outcome: null, origin: 'agent', sources: [], at: Date.now() },
});

function addObservation(title: string, { batchId = null as number | null } = {}): number {
  const { id: sessionId, projectId } = openSession();
  const owner = { sessionId, projectId, promptNumber: 1, batchId, isProvisional: batchId !== null };
  const draft = draftOf(title);
  return store.db.transaction(() => insertObservation(store.db, owner, draft, bareEvidence(draft))).immediate();
}

test('tells a prompt with its words, an event with what it was about, and the session', async () => {
  watch();
  announce.ingested(store.take('new', userPrompt('s1', '/shop', 'Add the tax')));
  announce.ingested(store.take('save', bash('s1', '/shop', 'bun test', 'ok')));
  expect((await next('prompt')).data).toMatchObject({ id: 'P1', kind: 'prompt', text: 'Add the tax', project: 'shop' });
  expect((await next('event')).data).toEqual({
    ...{ id: expect.any(String), session: 's1', project: 'shop', kind: 'tool', tool: 'Bash', subject: 'bun test' },
    ...{ isWaiting: true, at: expect.any(Number) },
  });
  expect((await next('session')).data).toMatchObject({ session: 's1', project: 'shop', status: 'active' });
  expect((await next('processing')).data).toEqual({
    ...{ isProcessing: false, queueDepth: 2, openTurns: 2, sessions: ['s1'] },
  });
  expect(heard.filter(({ type }) => type === 'event')).toHaveLength(1);
});

test('an event that came twice is told once, and one that is private never', async () => {
  watch();
  const payload = bash('s1', '/shop', 'bun test', 'ok');
  announce.ingested(store.take('save', payload));
  announce.ingested(store.take('save', payload));
  announce.ingested(store.take('new', userPrompt('s1', '/shop', '<private>the key</private>', { prompt_id: 'p9' })));
  announce.ingested(store.take('save', bash('s1', '/shop', 'cat key', 'secret', { prompt_id: 'p9' })));
  announce.ingested(store.take('cleanup', sessionEnd('s1', '/shop')));
  await next('event', ({ kind }) => kind === 'end');
  expect(heard.filter(({ type }) => type === 'event').map(({ data }) => data.subject)).toEqual(['bun test', 'other']);
  expect(JSON.stringify(heard)).not.toContain('key');
});

test('a memory is told whoever stored it, also another process', async () => {
  watch();
  const { id: sessionId, projectId } = openSession();
  const other = openStore(store.db.filename);
  const owner = { sessionId, projectId, promptNumber: 1, batchId: null, isProvisional: false };
  other.transaction(() => insertObservation(other, owner, draftOf('By another'))).immediate();
  other.close();
  announce.stored();
  expect((await next('observation')).data).toMatchObject({ title: 'By another', type: 'bugfix', project: 'shop' });
});

test('what was there before is not told', async () => {
  addObservation('Old');
  watch();
  const id = addObservation('New');
  announce.stored();
  await next('observation', (data) => data.id === String(id));
  expect(heard.filter(({ type }) => type === 'observation')).toHaveLength(1);
});

describe('what changes', () => {
  test('a correction is told with the memory as it is now', async () => {
    const id = addObservation('The tax is 7 %');
    watch();
    correct(store.db, { kind: 'observation', id }, { title: 'The tax is 19 %', by: 'user' }, Date.now());
    announce.stored();
    expect((await next('changed')).data).toMatchObject({ id: String(id), title: 'The tax is 19 %' });
  });

  test('one that another stands in the place of says so', async () => {
    const [older, newer] = [addObservation('Old way'), addObservation('New way')];
    watch();
    replaced(store.db, String(older), String(newer));
    // Nobody says a word: it is found all the same.
    expect((await next('changed')).data).toMatchObject({
      id: String(older),
      replacedBy: { id: String(newer) },
    });
  });

  test('what is hidden is gone, and there again when it is shown', async () => {
    const id = addObservation('Hide me');
    watch();
    store.db.transaction(() => hideMemories(store.db, [{ kind: 'observation', id }], Date.now())).immediate();
    announce.stored();
    expect((await next('removed')).data).toEqual({ ids: [String(id)] });
    store.db.transaction(() => unhideMemories(store.db, [{ kind: 'observation', id }])).immediate();
    announce.stored();
    expect((await next('changed')).data).toMatchObject({ id: String(id), title: 'Hide me' });
  });

  test("a provisional memory goes when a model's takes its place", async () => {
    const { id: sessionId } = openSession();
    const batchId = insertBatch(store.db, { sessionId, promptNumber: 1, status: 'waiting', at: 1 });
    const local = addObservation('By rules', { batchId });
    watch();
    dropProvisional(store.db, batchId, []);
    const id = addObservation('By a model');
    announce.stored();
    expect((await next('observation')).data).toMatchObject({ id: String(id), title: 'By a model' });
    expect((await next('removed')).data).toEqual({ ids: [String(local)] });
  });

  test('a turn that ends is told as a status of its session', async () => {
    openSession();
    watch();
    announce.ingested(store.take('summary', stop('s1', '/shop', 'The tax is added.')));
    await next('session', ({ status }) => status === 'summarizing');
  });
});

test('more than two hundred at once are a reason to ask anew', async () => {
  watch();
  for (let at = 0; at < 201; at++) addObservation(`Number ${at}`);
  announce.stored();
  await next('reset');
  expect(heard.filter(({ type }) => type === 'observation')).toEqual([]);
  const id = addObservation('One more');
  announce.stored();
  await next('observation', (data) => data.id === String(id));
});

test('a project that gets another name is a reason to ask anew', async () => {
  const { projectId } = openSession();
  watch();
  store.db.query("UPDATE projects SET name = 'store' WHERE id = ?").run(projectId);
  announce.stored();
  await next('reset');
});

test('what was spent is told when it changes', async () => {
  spent = 5;
  watch();
  spent = 9;
  announce.stored();
  expect((await next('spend')).data).toEqual({ spentToday: { tokens: 9, calls: 0 }, exhausted: null });
});

test('a pause is told when it begins and when it ends, and so is what a setting turns off', async () => {
  watch();
  const everything = { scope: 'everything', key: '' } as const;
  beginSilence(store.db, { ...everything, since: Date.now() - 1000, until: null });
  announce.stored();
  const paused = { kind: 'paused', scope: 'everything', name: '', since: expect.any(Number), until: null };
  expect((await next('silences')).data).toEqual({ silences: [paused] });
  endSilences(store.db, Date.now(), everything);
  announce.stored();
  await next('silences', ({ silences }) => silences.length === 0);
  settings = { ...settings, off: true };
  await next('silences', ({ silences }) => silences[0]?.kind === 'off');
  expect(heard.filter(({ type }) => type === 'silences')).toHaveLength(3);
});

test('leaves nothing behind in the store once nobody watches', async () => {
  const left = () => store.db.query<{ n: number }, []>('SELECT count(*) AS n FROM temp.sqlite_schema').get()?.n;
  const leave = watch();
  expect(left()).toBeGreaterThan(0);
  leave();
  await until(() => !stream.isWatched());
  expect(left()).toBe(0);
  announce.ingested(store.take('save', bash('s1', '/shop', 'bun test', 'ok')));
  watch();
  expect(left()).toBeGreaterThan(0);
});

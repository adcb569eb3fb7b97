// Hooks that delivered some of a session, in any order, and its transcript: together they are the session, whole and in its order.

import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { TranscriptRecord } from '../../src/agents/agent.ts';
import { claudeCode } from '../../src/agents/claude-code/agent.ts';
import { readSession, takeSession } from '../../src/capture/take-session.ts';
import { findSession } from '../../src/capture/transcript-files.ts';
import { observeBatch } from '../../src/observe/observe.ts';
import { processTurn } from '../../src/observe/process-turn.ts';
import { CAPTURE_ALL } from '../support/capture-settings.ts';
import { createLines, SESSION } from '../support/claude-lines.ts';
import { createRandom, type Random } from '../support/mutate.ts';
import { byRules, createTestStore, type TestStore } from '../support/store.ts';
import { createTranscripts, type Transcripts } from '../support/transcripts.ts';

let past: Transcripts;
let path: string;
let store: TestStore;

beforeEach(() => {
  past = createTranscripts();
  const { prompt, bash, say } = createLines();
  const turn = (number: number) => [
    prompt(`Do the thing ${number}`, `p${number}`),
    ...bash(`t${number}a`, `run ${number}`, 'ok'),
    ...bash(`t${number}b`, `npm test -- ${number}`, '12 pass\n0 fail'),
    say(`Did the thing ${number}.`),
  ];
  path = past.write(`shop/${SESSION}.jsonl`, [1, 2, 3, 4].flatMap(turn));
  store = createTestStore();
});

afterEach(() => {
  store.close();
  past.dispose();
});

async function records(): Promise<TranscriptRecord[]> {
  const found = await findSession(claudeCode, path);
  const files = (found?.files ?? []).map((file) => ({ ...file, from: 0, isOver: true }));
  return [...readSession(claudeCode, files)].flatMap(({ record }) => record ?? []);
}

async function takeTranscript(into: TestStore): Promise<void> {
  const found = await findSession(claudeCode, path);
  if (!found) throw new Error('there is no transcript');
  const deps = { db: into.db, options: () => CAPTURE_ALL, clock: Date.now, pause: () => Promise.resolve() };
  await takeSession(found, deps, { isOver: true, isEnd: false });
}

const look = ({ db }: TestStore) => ({
  events: db.query('SELECT kind, tool_use_id, prompt_id, prompt_number FROM events ORDER BY seq').all(),
  prompts: db.query('SELECT prompt_number, prompt_id, text FROM prompts ORDER BY prompt_number').all(),
  session: db.query('SELECT first_prompt, prompt_counter FROM sessions').all(),
});

const WAYS = process.env.CLAUDE_MEM_TEST_FULL ? 200 : 16;

test(`${WAYS} ways in which hooks may fail end in the same session`, async () => {
  const whole = createTestStore();
  await takeTranscript(whole);
  const expected = look(whole);
  whole.close();
  expect(expected.events).toHaveLength(16);
  const all = await records();
  for (let seed = 0; seed < WAYS; seed++) {
    const random = createRandom(seed);
    const some = createTestStore();
    for (const { command, payload } of deliver(all, random, seed % 2 === 0)) {
      some.take(command, payload);
      // Nothing is observed before its transcript was read, unless that lies elsewhere.
      if (seed % 2 === 1 && random() < 0.2) distilAll(some);
    }
    await takeTranscript(some);
    expect({ seed, ...look(some) }).toEqual({ seed, ...expected });
    if (seed % 2 === 1) {
      some.close();
      continue;
    }
    distilAll(some);
    const numbers = some.db
      .query<{ n: number; request: string }, []>('SELECT prompt_number AS n, request FROM summaries WHERE request IS NOT NULL')
      .all();
    for (const { n, request } of numbers) expect(request).toContain(`thing ${n}`);
    some.close();
  }
});

/** Some of them, in their order or in any. */
function deliver(all: TranscriptRecord[], random: Random, isOrdered: boolean): TranscriptRecord[] {
  const some = all.filter(() => random() < 0.5);
  return isOrdered
    ? some
    : some
        .map((one) => ({ one, at: random() }))
        .sort((a, b) => a.at - b.at)
        .map(({ one }) => one);
}

function distilAll({ db }: TestStore): void {
  const session = db.query<{ id: number }, []>('SELECT id FROM sessions').get();
  while (session && processTurn(db, session.id, byRules(observeBatch)).kind === 'observed');
}

test('what seemed never to be done was done after all', async () => {
  const { prompt, use, result } = createLines({ session: 'waits' });
  const lines = [prompt('Push it', 'p1'), use('t1', 'Bash', { command: 'git push' })];
  path = past.write('shop/waits.jsonl', lines);
  await takeTranscript(store);
  expect(store.db.query("SELECT status FROM events WHERE tool_use_id = 't1'").get()).toEqual({ status: 'skipped' });
  past.append('shop/waits.jsonl', [result('t1', 'done', { stdout: 'done', stderr: '' })]);
  await takeTranscript(store);
  const row = store.db.query<{ status: string; payload: string }, []>("SELECT status, payload FROM events WHERE tool_use_id = 't1'").get();
  expect(row?.status).toBe('pending');
  expect(JSON.parse(row?.payload ?? '')).toMatchObject({ action: { stdout: 'done' }, error: null });
});

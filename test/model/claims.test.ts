// What a model says to be replaced or done is read from its kept answer, each time that its turn is settled; and when it is asked.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { findSession } from '../../src/capture/sessions.ts';
import { loadConfig } from '../../src/config.ts';
import { loadMode } from '../../src/model/instructions.ts';
import { createModelObserver } from '../../src/model/model.ts';
import type { Question as Asked } from '../../src/model/providers/contract.ts';
import { summariseBatch } from '../../src/model/summarise.ts';
import { observeBatch } from '../../src/observe/observe.ts';
import { processTurn } from '../../src/observe/process-turn.ts';
import { rebuildInChild } from '../../src/observe/rebuild-session.ts';
import { settleTurn } from '../../src/observe/settle.ts';
import { findPaths } from '../../src/paths.ts';
import { getBatch, quietSince } from '../../src/store/batches.ts';
import { say, startFakeModel } from '../support/fake-model.ts';
import { bash, edit, sessionEnd, stop, userPrompt } from '../support/payloads.ts';
import { createTestStore, type TestStore } from '../support/store.ts';
import { until } from '../support/until.ts';

const CWD = '/home/dev/shop';
let store: TestStore;
let prompts: string[];
beforeEach(() => {
  store = createTestStore();
  prompts = [];
});
afterEach(() => store.close());

const rows = <T>(sql: string) => store.db.query<T, []>(sql).all();
const silent = () => undefined;
const quiet = { debug: silent, info: silent, warn: silent, error: silent };

/** One turn that waits for the model; its batch. */
const turn = (id: string, asked: string, message: string, ...lines: string[]) => turnOf('s', id, { asked, message, lines });

function turnOf(session: string, id: string, { asked, message, lines, at }: Said): number {
  const more = at === undefined ? {} : { receivedAt: at };
  store.take('new', userPrompt(session, CWD, asked, { prompt_id: id }), more);
  store.take('save', { ...edit(session, CWD, `${CWD}/src/queue.ts`, lines), prompt_id: id }, more);
  store.take('save', bash(session, CWD, 'cat notes', 'ok', { prompt_id: id }), more);
  store.take('summary', stop(session, CWD, message, { prompt_id: id }), more);
  const { id: row = 0 } = findSession(store.db, session) ?? {};
  processTurn(store.db, row, { observe: observeBatch, settle: settleTurn, isForModel: () => true, clock: () => at ?? Date.now() });
  return rows<{ id: number }>('SELECT max(id) AS id FROM batches')[0]?.id ?? 0;
}

type Said = { asked: string; message: string; lines: string[]; at?: number };
const START = Date.parse('2026-01-02T10:00:00Z');

const deepen = (batch: number, answer: string) =>
  summariseBatch(
    {
      db: store.db,
      access: {
        id: 'a',
        provider: 'fake',
        model: 'fake-1',
        ask: async ({ prompt }: Asked) => {
          prompts.push(prompt);
          return { text: answer, isCutOff: false, usage: { inputTokens: 1, cachedTokens: 0, outputTokens: 1 } };
        },
      },
      prompt: { mode: loadMode('code', null), verbosity: 'normal', language: null },
      budget: { dailyTokens: 200_000, dailyCalls: 300, sessionTokens: 100_000, sessionCalls: 100 },
      answerMs: 1000,
      retryMs: 1000,
      observe: observeBatch,
      settle: settleTurn,
      isWanted: () => true,
      clock: Date.now,
      log: quiet,
      signal: new AbortController().signal,
    },
    batch,
  );

const MADE = "SELECT older_id AS older, certain, words FROM replacements WHERE made_by = 'model'";
const NONE = '<no_observations reason="none"/>';

test('a rebuild reads the kept answer again, and asks nobody', async () => {
  await deepen(turn('p1', 'Use Postgres, not MySQL, for the orders.', 'Did it.', '+a()'), NONE);
  const [decision] = rows<{ id: number }>("SELECT id FROM observations WHERE type = 'decision'");
  const second = turn('p2', 'The orders live in SQLite.', 'Moved them.', '+b()');
  const words = 'The orders live in SQLite.';
  await deepen(second, `${NONE}<replaced><id>${decision?.id}</id><words>${words}</words><part>whole</part></replaced>`);
  const made = rows(MADE);
  expect(made).toEqual([{ older: decision?.id, certain: 1, words }]);
  store.db.run('DELETE FROM replacements');
  await rebuildInChild(store.db, { kind: 'rebuild', sessions: [1], isDry: false });
  expect(rows(MADE)).toEqual(made);
  expect(prompts).toHaveLength(2);
});

test('a rebuild makes again what an answer without observations left to the rules, and nothing that a model said', async () => {
  const titles = () => rows<{ title: string }>('SELECT title FROM observations ORDER BY id').map(({ title }) => title);
  const first = turn('p1', 'Store jobs in SQLite', 'Jobs are stored in SQLite now.', "const store = 'sqlite';");
  const byRules = titles();
  await deepen(first, '<summary><request>Store jobs</request><completed>Jobs are in SQLite.</completed></summary>');
  expect(titles()).toEqual(byRules);
  store.db.run("UPDATE observations SET title = 'as older rules said it'");
  await rebuildInChild(store.db, { kind: 'rebuild', sessions: [1], isDry: false });
  expect(titles()).toEqual(byRules);
  expect(rows('SELECT completed FROM summaries')).toEqual([{ completed: 'Jobs are in SQLite.' }]);
});

test("a decision of the agent's may be replaced in its own words: for certain where a number changed", async () => {
  const first = turn('p1', 'Make the queue safer', 'Done.', '+a()');
  await deepen(
    first,
    '<observation><type>decision</type><title>Queue retries 3 times before it gives up</title></observation>' +
      '<observation><type>decision</type><title>Queue keeps its jobs in a ring buffer</title></observation>',
  );
  const ids = rows<{ id: number }>("SELECT id FROM observations WHERE type = 'decision' ORDER BY id").map(({ id }) => id);
  const said = ['The queue retries 5 times now.', 'The queue keeps its jobs in a heap.'];
  const second = turn('p2', 'Make it better', said.join('\n'), '+b()');
  const claims = ids.map((id, at) => `<replaced><id>${id}</id><words>${said[at]}</words><part>whole</part></replaced>`);
  await deepen(second, NONE + claims.join(''));
  expect(rows(MADE)).toEqual([
    { older: ids[0], certain: 1, words: said[0] },
    { older: ids[1], certain: 0, words: said[1] },
  ]);
});

test('what is already recorded lists earlier turns only, and the next prompt goes with the question', async () => {
  const first = turn('p1', 'Use Postgres, not MySQL, for the orders.', 'Did it.', '+a()');
  const second = turn('p2', 'Use Redis, not files, for the sessions.', 'Did that, too.', '+b()');
  await deepen(second, NONE);
  await deepen(first, NONE);
  const recorded = prompts.map((prompt) => /<already_recorded>([\s\S]*?)<\/already_recorded>/.exec(prompt)?.[1] ?? '');
  expect(recorded[0]).toContain('Use Postgres');
  expect(recorded[0]).not.toContain('Use Redis');
  expect(recorded[1]).toBe('');
  expect(/<user_said_next>([\s\S]*?)<\/user_said_next>/.exec(prompts[1] ?? '')?.[1]).toContain('Use Redis');
});

test('a turn waits for what the user says next, and for the end of its session', () => {
  const since = (id: number) => {
    const batch = getBatch(store.db, id);
    return batch && quietSince(store.db, batch);
  };
  const first = turn('p1', 'Use Postgres, not MySQL, for the orders.', 'Did it.', '+a()');
  expect(since(first)).toBeGreaterThan(0);
  const second = turn('p2', 'Go on', 'Did it.', '+b()');
  expect([since(first), since(second) === null]).toEqual([null, false]);
  store.take('cleanup', sessionEnd('s', CWD));
  expect(since(second)).toBeNull();
});

test('at most twelve decisions go with the question', async () => {
  const things = 'orders carts mails prices users logs refunds taxes stocks coupons reviews photos labels parcels notes'.split(' ');
  for (const thing of things)
    await deepen(turn(thing, `Use Postgres, not MySQL, for the ${thing}.`, 'Did it.', `+postgres('${thing}')`), NONE);
  const listed = prompts.map(
    (prompt) => /<current_decisions>([\s\S]*?)<\/current_decisions>/.exec(prompt)?.[1]?.match(/<decision/g)?.length,
  );
  expect([listed[1], listed[12], listed[14]]).toEqual([1, 12, 12]);
});

test('who says nothing more is asked about after five minutes, and not before', async () => {
  const model = startFakeModel(() => say(NONE));
  let now = START + 400_000;
  const { config } = loadConfig('/nowhere/config.json', {});
  const settings = { ...config, provider: 'openai' as const, baseUrl: model.baseUrl, model: 'fake' };
  const deps = { db: store.db, observe: observeBatch, settle: settleTurn, paths: findPaths('/nowhere'), log: quiet };
  const observer = createModelObserver({ ...deps, config: () => settings, clock: () => now });
  try {
    for (const [session, at] of [
      ['old', START],
      ['new', START + 200_000],
    ] as const)
      turnOf(session, session, { asked: `Lock the ${session} orders`, message: 'They are locked.', lines: ['+lock()'], at });
    observer.wake();
    // Both would be asked about at once: there is room for two.
    await until(() => rows("SELECT 1 FROM batches WHERE status = 'done'").length > 0);
    expect(model.prompts.map((prompt) => /Lock the (\w+) orders/.exec(prompt)?.[1])).toEqual(['old']);
    now += 100_000;
    observer.wake();
    await until(() => model.prompts.length > 1);
    expect(model.prompts[1]).toContain('Lock the new orders');
  } finally {
    await observer.close();
    model.close();
  }
});

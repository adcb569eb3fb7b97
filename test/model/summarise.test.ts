// A batch and a model that a test speaks for: what is asked, what is stored when, and what a crash leaves.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { NOTHING_USED } from '../../src/core/models.ts';
import { loadMode } from '../../src/model/instructions.ts';
import { type Answer, ModelError, type Question } from '../../src/model/providers/contract.ts';
import { summariseBatch } from '../../src/model/summarise.ts';
import type { SummariseDeps } from '../../src/model/turn.ts';
import { observeBatch } from '../../src/observe/observe.ts';
import { processTurn } from '../../src/observe/process-turn.ts';
import type { Observe } from '../../src/turns/batch.ts';
import { bash, stop, userPrompt } from '../support/payloads.ts';
import { createTestStore, type TestStore } from '../support/store.ts';

const CWD = '/home/dev/shop';
const NOW = Date.parse('2026-01-02T12:00:00Z');
let store: TestStore;
let asked: Question[];
let answers: (string | ModelError)[];
const logged: { message: string; details?: Record<string, unknown> }[] = [];

beforeEach(() => {
  store = createTestStore();
  asked = [];
  answers = [];
  logged.length = 0;
});
afterEach(() => store.close());

const GOOD = `<observation><type>bugfix</type><title>Cart keeps its items</title><narrative>It lost them.</narrative><keywords>shopping basket, lost items</keywords><sources>2</sources></observation>
<summary><request>Fix the cart</request><completed>Fixed.</completed></summary><session><title>Cart</title></session>`;

async function ask(question: Question): Promise<Answer> {
  asked.push(question);
  const next = answers.shift() ?? GOOD;
  if (next instanceof ModelError) throw next;
  return { text: next, isCutOff: false, usage: { inputTokens: 900, cachedTokens: 50, outputTokens: 70 } };
}

const remember = (message: string, details?: Record<string, unknown>) => void logged.push({ message, details });
const log = { debug: remember, info: remember, warn: remember, error: remember };

const deps = (more: Partial<SummariseDeps> = {}): SummariseDeps => ({
  db: store.db,
  access: { id: 'a', provider: 'fake', model: 'fake-1', ask },
  prompt: { mode: loadMode('code', null), verbosity: 'normal', language: null },
  budget: { dailyTokens: 200_000, dailyCalls: 300, sessionTokens: 100_000, sessionCalls: 100 },
  answerMs: 1000,
  retryMs: 1000,
  observe: observeBatch,
  isWanted: () => true,
  clock: () => NOW,
  log,
  signal: new AbortController().signal,
  ...more,
});

/** One turn of work, observed by rules and put in line for the model; its batch id. */
function work(prompt = 'Fix the cart, it loses its items', id = 'p1'): number {
  store.take('new', userPrompt('s', CWD, prompt, { prompt_id: id }));
  store.take('save', bash('s', CWD, 'npm test', '3 pass', { prompt_id: id }));
  store.take('summary', stop('s', CWD, 'Fixed the cart. All tests pass.', { prompt_id: id }));
  processTurn(store.db, 1, { observe: observeBatch, isForModel: () => true, clock: () => NOW });
  return rows<{ id: number }>('SELECT max(id) AS id FROM batches')[0]?.id ?? 0;
}

const rows = <T>(sql: string) => store.db.query<T, []>(sql).all();
const batch = () => rows<Record<string, unknown>>('SELECT * FROM batches ORDER BY id DESC LIMIT 1')[0];

describe('a turn that a model will look at', () => {
  test('is remembered by rules at once, and by the model afterwards', async () => {
    const id = work();
    expect(rows('SELECT DISTINCT status FROM events')).toEqual([{ status: 'claimed' }]);
    expect(rows('SELECT provisional FROM summaries')).toEqual([{ provisional: 1 }]);
    expect(await summariseBatch(deps(), id)).toMatchObject({ kind: 'done', observer: 'model', observations: 1 });
    expect(rows('SELECT DISTINCT status FROM events')).toEqual([{ status: 'done' }]);
    expect(rows('SELECT title, type, provisional FROM observations')).toEqual([
      { title: 'Cart keeps its items', type: 'bugfix', provisional: 0 },
    ]);
    expect(rows('SELECT keywords FROM observations')).toEqual([{ keywords: 'shopping basket, lost items' }]);
    expect(rows("SELECT rowid FROM words WHERE words MATCH 'basket'")).toHaveLength(1);
    expect(rows('SELECT request, provisional FROM summaries')).toEqual([{ request: 'Fix the cart', provisional: 0 }]);
    expect(rows('SELECT title FROM sessions')).toEqual([{ title: 'Cart' }]);
  });

  test('is asked about with its prompt, and what was recorded before', async () => {
    await summariseBatch(deps(), work());
    await summariseBatch(deps(), work('Now the checkout', 'p2'));
    expect(asked[0]?.prompt).toContain('Fix the cart, it loses its items');
    expect(asked[1]?.prompt).toContain('Now the checkout');
    expect(asked[1]?.prompt).toContain('Cart keeps its items');
    expect(asked[0]?.instructions).toBe(asked[1]?.instructions ?? '');
  });

  test('is asked about with its prompt, too, when it is only a part of it', async () => {
    store.take('new', userPrompt('s', CWD, 'Rebuild the whole warehouse', { prompt_id: 'p1' }));
    store.take('save', bash('s', CWD, 'npm test', '3 pass', { prompt_id: 'p1' }));
    const part = { observe: observeBatch, isForModel: () => true, clock: () => NOW };
    processTurn(store.db, 1, part);
    store.take('save', bash('s', CWD, 'npm run build', 'built', { prompt_id: 'p1' }));
    processTurn(store.db, 1, part);
    await summariseBatch(deps(), 2);
    expect(asked[0]?.prompt).toContain('Rebuild the whole warehouse');
  });

  test('costs what the provider says, under the name of its turn', async () => {
    await summariseBatch(deps(), work());
    expect(rows('SELECT input_tokens AS i, cached_tokens AS c, output_tokens AS o, status, answer FROM model_calls')).toEqual([
      { i: 900, c: 50, o: 70, status: 'answered', answer: GOOD },
    ]);
    expect(logged.map(({ details }) => details?.turn)).toEqual(Array(logged.length).fill('1-1-1'));
  });

  test('is told as skipped when the model skips the summary', async () => {
    answers = ['<no_observations reason="nothing new"/><skip_summary reason="routine"/>'];
    const result = await summariseBatch(deps(), work());
    expect(result).toMatchObject({ observer: 'model', observations: 0, reason: 'nothing new; routine' });
    expect(rows('SELECT 1 FROM summaries')).toEqual([]);
    expect(logged.find(({ message }) => message === 'NO SUMMARY')?.details).toMatchObject({ turn: '1-1-1' });
  });
});

describe('what the rules made', () => {
  const titled = "SELECT title, provisional FROM observations WHERE origin <> 'mcp' ORDER BY id";
  /** Of one turn: what the user decided. */
  const decide = () => {
    store.take('new', userPrompt('s', CWD, 'Use Postgres, not MySQL, for the orders table.', { prompt_id: 'p1' }));
    store.take('save', bash('s', CWD, 'npm test', '3 pass', { prompt_id: 'p1' }));
    store.take('summary', stop('s', CWD, 'Fixed the cart. All tests pass.', { prompt_id: 'p1' }));
    processTurn(store.db, 1, { observe: observeBatch, isForModel: () => true, clock: () => NOW });
    return rows<{ id: number; title: string }>('SELECT id, title FROM observations');
  };

  test.each([
    ['only a summary', '<summary><request>Fix the cart</request><completed>Fixed it.</completed></summary>'],
    ['a skip', '<skip_summary/>'],
    [
      'empty observations',
      '<observation></observation><observation><type>bugfix</type></observation><summary><request>Fix</request></summary>',
    ],
  ])('stays when the model answers with %s', async (_, answer) => {
    const made = decide();
    expect(made.length).toBeGreaterThan(0);
    answers = [answer];
    expect(await summariseBatch(deps(), 1)).toMatchObject({ kind: 'done', observer: 'model' });
    expect(rows(titled)).toEqual(made.map(({ title }) => ({ title, provisional: 0 })));
    // Under the number that a session may have been told.
    expect(rows('SELECT id FROM observations')).toEqual(made.map(({ id }) => ({ id })));
  });

  const WHOLE = '<observation><type>bugfix</type><title>Fixed the cart</title></observation>';
  test.each([
    ['in its title', '<observation><type>decision</type><title>half', ['half']],
    ['in its narrative', '<observation><title>Orders</title><narrative>They use Post', ['Orders']],
    ['after a whole one', `${WHOLE}<observation><type>decision</type><title>half`, ['Fixed the cart', 'half']],
    ['before a whole one', `<observation><title>Orders</title>${WHOLE}`, ['Orders', 'Fixed the cart']],
    ['without a title', '<observation><type>decision</type><concepts>how-it-works</concepts></observation>', [null]],
    ['with a title that says nothing', '<observation><title>…</title><narrative>-</narrative></observation>', ['…']],
  ])('stays beside an observation that is cut off %s', async (_, answer, said) => {
    const made = decide();
    answers = [`<summary><request>Fix the cart</request></summary>${answer}`];
    expect(await summariseBatch(deps(), 1)).toMatchObject({ kind: 'done', observer: 'model' });
    const titles = rows<{ id: number; title: string | null }>('SELECT id, title FROM observations ORDER BY id');
    expect(titles.slice(0, made.length)).toEqual(made);
    expect(titles.slice(made.length).map(({ title }) => title)).toEqual(said);
  });

  test('stays beside what the model has only from outside', async () => {
    store.take('save', {
      ...bash('s', CWD, '', '', { prompt_id: 'p1' }),
      tool_name: 'mcp__tracker__get',
      tool_input: { id: 7 },
      tool_response: 'Weekly kangaroo invoices wander through purple archives.',
    });
    const made = decide();
    answers = ['<observation><type>discovery</type><title>Weekly kangaroo invoices wander through archives</title></observation>'];
    await summariseBatch(deps(), 1);
    expect(rows<{ title: string }>(titled).map(({ title }) => title)).toEqual(made.map(({ title }) => title));
  });
});

describe('a crash', () => {
  test('after the answer costs no second question', async () => {
    const id = work();
    const dies: Observe = () => {
      throw new Error('killed here');
    };
    expect(summariseBatch(deps({ observe: dies }), id)).rejects.toThrow('killed here');
    expect(rows('SELECT status FROM model_calls')).toEqual([{ status: 'answered' }]);
    expect(await summariseBatch(deps(), id)).toMatchObject({ observer: 'model' });
    expect(asked).toHaveLength(1);
    expect(rows('SELECT 1 FROM observations')).toHaveLength(1);
  });

  test('of the store while the result is written leaves the provisional one', async () => {
    const id = work();
    const before = rows('SELECT * FROM summaries');
    store.db.run("CREATE TRIGGER full BEFORE INSERT ON observations BEGIN SELECT raise(ABORT, 'disk full'); END");
    expect(summariseBatch(deps(), id)).rejects.toThrow('disk full');
    expect(rows('SELECT * FROM summaries')).toEqual(before);
    store.db.run('DROP TRIGGER full');
    expect(await summariseBatch(deps(), id)).toMatchObject({ observer: 'model' });
    expect(asked).toHaveLength(1);
  });
});

describe('a question that fails', () => {
  test('for a while is put off for everybody, and after three times the rules stand', async () => {
    const id = work();
    answers = [1, 2, 3].map(() => new ModelError('transient', 'HTTP 500'));
    for (const failures of [1, 2]) {
      expect(await summariseBatch(deps(), id)).toMatchObject({ kind: 'waits' });
      expect(batch()).toMatchObject({ failures, status: 'waiting' });
      expect(rows('SELECT kind, times FROM model_pauses')).toEqual([{ kind: 'transient', times: failures }]);
    }
    expect(await summariseBatch(deps(), id)).toMatchObject({ kind: 'done', observer: 'local' });
    expect(rows('SELECT provisional FROM summaries')).toEqual([{ provisional: 0 }]);
    expect(rows('SELECT DISTINCT status FROM events')).toEqual([{ status: 'done' }]);
  });

  test('for the rate limit waits as long as it was told, and is no failure of the batch', async () => {
    const until = Date.parse('2026-01-05T00:00:00Z');
    answers = [new ModelError('rate-limited', 'slow down', { until })];
    const id = work();
    expect(await summariseBatch(deps(), id)).toMatchObject({ kind: 'waits' });
    expect(rows('SELECT until_epoch AS until FROM model_pauses')).toEqual([{ until }]);
    expect(batch()).toMatchObject({ failures: 0 });
    await summariseBatch(deps(), id);
    expect(rows('SELECT 1 FROM model_pauses')).toEqual([]);
  });

  test('waits longer each time, up to an end', async () => {
    const id = work();
    const waitOf = async (error: ModelError) => {
      answers = [error];
      await summariseBatch(deps(), id);
      return (rows<{ until: number }>('SELECT until_epoch AS until FROM model_pauses')[0]?.until ?? 0) - NOW;
    };
    const limited = new ModelError('rate-limited', 'slow down');
    const waits = [];
    for (let times = 1; times <= 8; times++) waits.push(await waitOf(limited));
    expect(waits).toEqual([2, 4, 8, 16, 32, 64, 120, 120].map((times) => times * 1000));
    const failed = new ModelError('transient', 'HTTP 500');
    expect([await waitOf(failed), await waitOf(failed)]).toEqual([1000, 10_000]);
  });

  test('as too long is asked once in short, then set aside', async () => {
    const id = work(`Fix the cart ${'and mind the details '.repeat(1000)}`);
    answers = [1, 2].map(() => new ModelError('unrecoverable', 'too long'));
    await summariseBatch(deps(), id);
    expect(await summariseBatch(deps(), id)).toMatchObject({ kind: 'done', observer: 'local' });
    expect(batch()).toMatchObject({ status: 'quarantined' });
    expect(asked[1]?.prompt.length).toBeLessThanOrEqual(asked[0]?.prompt.length ?? 0);
    expect(rows('SELECT DISTINCT status FROM events')).toEqual([{ status: 'done' }]);
  });

  test('with prose is asked once more, with a note, and then not again', async () => {
    const id = work();
    answers = ['They fixed the cart.', 'I said: they fixed the cart.'];
    expect(await summariseBatch(deps(), id)).toMatchObject({ kind: 'waits' });
    expect(await summariseBatch(deps(), id)).toMatchObject({ observer: 'local' });
    expect(asked[1]?.prompt).toContain('They fixed the cart.');
    expect(asked).toHaveLength(2);
  });

  test('costs nothing when it was refused, and its reservation when nobody knows', async () => {
    const usage = NOTHING_USED;
    answers = [new ModelError('auth', 'no', { usage }), new ModelError('transient', 'no answer in time')];
    const id = work();
    await summariseBatch(deps(), id);
    await summariseBatch(deps(), id);
    const [refused, unknown] = rows<{ tokens: number }>('SELECT input_tokens + output_tokens AS tokens FROM model_calls');
    expect(refused?.tokens).toBe(0);
    expect(unknown?.tokens).toBeGreaterThan(4096);
  });
});

test('without budget nothing is asked and the rules stand', async () => {
  const budget = { dailyTokens: 100, dailyCalls: 300, sessionTokens: 100_000, sessionCalls: 100 };
  expect(await summariseBatch(deps({ budget }), work())).toMatchObject({ observer: 'local' });
  expect(asked).toEqual([]);
  expect(batch()?.reason).toMatch(/100 tokens a day/);
});

test('a private prompt that comes while the model thinks takes its words along', async () => {
  store.take('save', bash('s', CWD, 'cat diary', 'canary', { prompt_id: 'p2' }));
  store.take('summary', stop('s', CWD, 'Read about the canary. '.repeat(40), { prompt_id: 'p2' }));
  processTurn(store.db, 1, { observe: observeBatch, isForModel: () => true, clock: () => NOW });
  const late = async (question: Question): Promise<Answer> => {
    store.take('new', userPrompt('s', CWD, '<private>the canary</private>', { prompt_id: 'p2' }));
    return { ...(await ask(question)), text: GOOD.replace('Cart', 'Canary') };
  };
  const access = { id: 'a', provider: 'fake', model: 'fake-1', ask: late };
  expect(await summariseBatch(deps({ access }), 1)).toMatchObject({ kind: 'waits' });
  expect(await summariseBatch(deps(), 1)).toMatchObject({ observer: 'local' });
  const tables = ['events', 'observations', 'summaries', 'model_calls', 'sessions', 'batches'];
  expect(JSON.stringify(tables.map((table) => rows(`SELECT * FROM ${table}`)))).not.toMatch(/canary/i);
});

test('an id that was told never comes to mean another memory', async () => {
  const id = work();
  const told = rows<{ id: number }>('SELECT id FROM summaries')[0]?.id ?? 0;
  answers = ['<no_observations reason="none"/><skip_summary reason="none"/>'];
  await summariseBatch(deps(), id);
  expect(rows('SELECT 1 FROM summaries')).toEqual([]);
  await summariseBatch(deps(), work('Now the checkout', 'p2'));
  expect(rows<{ id: number }>('SELECT id FROM summaries')[0]?.id).toBeGreaterThan(told);
});

test('nothing is asked once the settings have changed', async () => {
  expect(await summariseBatch(deps({ isWanted: () => false }), work())).toMatchObject({ kind: 'waits' });
  expect(asked).toEqual([]);
});

test('a batch whose events cannot be read is given up after three tries', async () => {
  const id = work();
  store.db.run("UPDATE events SET payload = '{broken' WHERE kind = 'tool'");
  store.db.run('UPDATE batches SET failures = 3');
  expect(await summariseBatch(deps(), id)).toMatchObject({ observer: 'local' });
});

test('of a very long turn the model is told what tells most, and in short', async () => {
  store.take('new', userPrompt('s', CWD, 'Fix everything', { prompt_id: 'p1' }));
  for (let at = 0; at < 600; at++) store.take('save', bash('s', CWD, `npm run step-${at}`, 'x'.repeat(8000), { prompt_id: 'p1' }));
  store.take('summary', stop('s', CWD, 'Fixed everything.', { prompt_id: 'p1' }));
  processTurn(store.db, 1, {
    observe: () => ({ observations: [], summary: null, title: null, subtitle: null }),
    isForModel: () => true,
    clock: () => NOW,
  });
  await summariseBatch(deps(), 1);
  expect(asked.length).toBe(1);
  expect(asked[0]?.prompt.length).toBeLessThan(13_000);
  expect(asked[0]?.prompt).toContain('Fix everything');
});

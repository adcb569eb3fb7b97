// Which events make a turn, whatever the clock says, and what becomes of a turn that cannot be observed.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { findSession } from '../../src/capture/sessions.ts';
import type { Batch, Observed } from '../../src/core/observation.ts';
import { processTurn } from '../../src/observe/process-turn.ts';
import { EMPTY_OBSERVATION, EMPTY_SUMMARY } from '../support/memories.ts';
import { bash, edit, sessionEnd, stop, userPrompt } from '../support/payloads.ts';
import { byRules, createTestStore, type TestStore } from '../support/store.ts';

const CWD = '/home/dev/shop';
let store: TestStore;
beforeEach(() => {
  store = createTestStore();
});
afterEach(() => store.close());

const nothing = { observations: [], summary: null, title: null, subtitle: null };
const processed = (observed: Partial<Observed>) =>
  processTurn(
    store.db,
    1,
    byRules(() => ({ ...nothing, ...observed })),
  );
/** The kinds of the events of the next turn. */
function nextTurn(): string[] {
  let kinds: string[] = [];
  const look = (batch: Batch) => {
    kinds = batch.events.map(({ kind }) => kind);
    return nothing;
  };
  processTurn(store.db, 1, byRules(look));
  return kinds;
}
const prompt = (id: string, more = {}) => store.take('new', userPrompt('s', CWD, `do ${id}`, { prompt_id: id, ...more }));
const tool = (id: string, more = {}) => store.take('save', bash('s', CWD, 'ls', 'x', { prompt_id: id, ...more }));
const end = (id: string, more = {}) => store.take('summary', stop('s', CWD, 'done', { prompt_id: id, ...more }));

describe('a turn', () => {
  test('goes up to its stop, one after the other', () => {
    for (const id of ['p1', 'p2']) {
      prompt(id);
      tool(id);
      end(id);
    }
    expect([nextTurn(), nextTurn(), nextTurn()]).toEqual([['prompt', 'tool', 'stop'], ['prompt', 'tool', 'stop'], []]);
  });

  test('has the tools that arrived after its stop, but not the next prompt', () => {
    prompt('p1');
    end('p1');
    tool('p1');
    prompt('p2');
    expect(nextTurn()).toEqual(['prompt', 'tool', 'stop']);
  });

  test('is the same when the clock is set back or forward in the middle of it', () => {
    prompt('p1', { timestamp: '2036-01-01T00:00:00Z' });
    tool('p1', { timestamp: '2036-01-01T00:00:01Z' });
    tool('p1', { timestamp: '2019-01-01T00:00:00Z' });
    end('p1', { timestamp: '2026-01-01T00:00:00Z' });
    expect(nextTurn()).toEqual(['prompt', 'tool', 'tool', 'stop']);
  });
});

test('a summary without any text is not stored', () => {
  const summary = { ...EMPTY_SUMMARY, request: ' \n', filesEdited: ['a.ts'] };
  const count = () => store.db.query<{ n: number }, []>('SELECT count(*) AS n FROM summaries').get()?.n;
  prompt('p1');
  end('p1');
  expect(processed({ summary })).toMatchObject({ noSummary: { isOdd: false } });
  expect(count()).toBe(0);
  prompt('p2');
  end('p2');
  expect(processed({ summary: { ...summary, completed: 'Did it' } })).toMatchObject({ noSummary: null });
  expect(count()).toBe(1);
});

describe('a turn that cannot be observed', () => {
  test('because the observer breaks is set aside in the end, and its session has failed', () => {
    prompt('p1');
    end('p1');
    for (let times = 0; times < 5; times++) {
      const broken = () => {
        throw new Error('broke');
      };
      expect(processTurn(store.db, 1, byRules(broken)).kind).toBe('failed');
    }
    expect(store.db.query('SELECT DISTINCT status FROM events').all()).toEqual([{ status: 'quarantined' }]);
    expect(findSession(store.db, 's')?.status).toBe('failed');
  });

  test('because the store is full waits, as often as it takes', () => {
    prompt('p1');
    end('p1');
    const { page_count: pages } = store.db.query('PRAGMA page_count').get() as { page_count: number };
    store.db.run(`PRAGMA max_page_count = ${pages}`);
    const observations = [{ ...EMPTY_OBSERVATION, title: 'x'.repeat(100_000) }];
    for (let times = 0; times < 5 + 2; times++) expect(processed({ observations }).kind).toBe('postponed');
    store.db.run('PRAGMA max_page_count = 100000');
    expect(processed({ observations }).kind).toBe('observed');
  });
});

describe('an ended session', () => {
  test('ends again when it was resumed and left without a word', () => {
    prompt('p1');
    const ending = { ...sessionEnd('s', CWD), prompt_id: 'p1' };
    store.take('cleanup', ending);
    store.take('context', { session_id: 's', cwd: CWD, hook_event_name: 'SessionStart', source: 'resume' });
    expect(findSession(store.db, 's')?.status).toBe('active');
    store.take('cleanup', ending);
    expect(findSession(store.db, 's')?.status).toBe('completed');
  });

  test('stays ended when something older arrives late', () => {
    prompt('p1');
    store.take('cleanup', sessionEnd('s', CWD));
    tool('p1', { timestamp: '2025-01-01T00:00:00Z' });
    expect(findSession(store.db, 's')?.status).toBe('completed');
  });
});

test.each([
  ['a time beyond reason', { timestamp: 1e20 }],
  ['a fraction of a millisecond', { timestamp: 1767348001000.5 }],
  ['a folder with a NUL in its name', { cwd: '/x\u0000y' }],
  ['a folder name without end', { cwd: `/${'x'.repeat(5000)}` }],
  ['a session that is a number', { session_id: 7 }],
])('an event with %s is kept', (_, more) => {
  store.take('save', { ...bash('s', CWD, 'ls', 'x'), ...more });
  expect(store.db.query('SELECT count(*) AS n FROM events').get()).toEqual({ n: 1 });
});

// A long turn is observed in parts while it goes on: its summary is about all of it.

/** Says of a batch what stands in it, and nothing else. */
function observe({ events }: Batch): Observed {
  const end = events.find(({ kind }) => kind === 'stop');
  const request = events.find((event) => event.kind === 'prompt')?.text ?? null;
  return { ...nothing, summary: end ? { ...EMPTY_SUMMARY, request, at: end.at } : null };
}
const distil = () => processTurn(store.db, 1, byRules(observe));
const summaries = () => store.db.query('SELECT request, files_edited AS edited FROM summaries -- of a test').all();

test('what was asked and edited before its last part is told, too', () => {
  store.take('new', userPrompt('s', CWD, 'Make the clock\n  strike'));
  store.take('save', edit('s', CWD, 'clock.ts', ['+strike()']));
  distil();
  expect(summaries()).toEqual([]);
  store.take('save', bash('s', CWD, 'ls', 'clock.ts'));
  store.take('summary', stop('s', CWD, 'It does.'));
  expect(distil()).toMatchObject({ kind: 'observed', noSummary: null });
  expect(summaries()).toEqual([{ request: 'Make the clock strike', edited: '["clock.ts"]' }]);
});

test('what follows the end of a turn is no part of it', () => {
  store.take('new', userPrompt('s', CWD, 'Make the clock strike'));
  store.take('save', edit('s', CWD, 'clock.ts', ['+strike()']));
  store.take('summary', stop('s', CWD, 'It does.'));
  distil();
  const before = summaries();
  store.take('summary', stop('s', CWD, 'It still does.'));
  distil();
  expect(summaries()).toEqual(before);
});

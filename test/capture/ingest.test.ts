import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { findSession } from '../../src/capture/sessions.ts';
import { readCounters } from '../../src/store/counters.ts';
import { bash, sessionEnd, sessionStart, stop, userPrompt } from '../support/payloads.ts';
import { createTestStore, type TestStore } from '../support/store.ts';

const CWD = '/home/dev/shop';
let store: TestStore;
beforeEach(() => {
  store = createTestStore();
});
afterEach(() => store.close());

const rows = <T>(sql: string) => store.db.query(sql).all() as T[];
const statusOf = (session: string) => findSession(store.db, session)?.status;

describe('an event', () => {
  test('is kept once, however often it comes', () => {
    const payload = bash('s', CWD, 'ls', 'x');
    store.take('save', payload);
    store.take('save', payload);
    store.take('save', { ...payload, session_id: 'fork-of-s' });
    expect(rows('SELECT id FROM events')).toHaveLength(1);
    expect(readCounters(store.db).duplicate).toBe(2);
  });

  test('of an unknown kind is kept raw, counted, and not observed', () => {
    store.take('save', { session_id: 's', cwd: CWD, hook_event_name: 'Brand New', x: [1] });
    expect(rows('SELECT kind, status FROM events')).toEqual([{ kind: 'unknown', status: 'skipped' }]);
    expect(readCounters(store.db)['unknown-event:Brand New']).toBe(1);
  });

  test('with fields that nobody knows yet keeps them raw and counts them; of a private prompt it keeps none', () => {
    store.take('new', { ...userPrompt('s', CWD, 'Look'), added_later: { any: ['thing'] }, a_long_one: 'x'.repeat(10_000) });
    store.take('new', { ...userPrompt('s', CWD, '<private>my diary</private>'), prompt_copy: 'my diary' });
    const [open, hidden] = rows<{ payload: string }>('SELECT payload FROM events ORDER BY seq').map(({ payload }) => JSON.parse(payload));
    expect(open.extra).toEqual({ added_later: { any: ['thing'] }, a_long_one: null });
    expect(JSON.stringify(hidden)).not.toContain('diary');
    expect(readCounters(store.db)).toMatchObject({ 'unknown-field:added_later': 1, 'unknown-field:a_long_one': 1 });
  });

  test('of a tool on the skip list is kept and not observed', () => {
    store.take('save', bash('s', CWD, 'x', 'y', { tool_name: 'Skill' }));
    expect(rows('SELECT status FROM events')).toEqual([{ status: 'skipped' }]);
  });

  test('carries no secret and no private text into the store', () => {
    const key = `sk-ant-api03-${'x7Qp2LmZ9vKc4RtB'.repeat(6)}AA`;
    store.take('new', userPrompt('s', CWD, `use ${key} <private>my diary</private> please`));
    store.take('save', bash('s', CWD, `curl -H "Authorization: Bearer ${key}"`, `echo ${key} <private>open`));
    const everything = JSON.stringify(rows('SELECT payload FROM events')) + JSON.stringify(rows('SELECT text FROM prompts'));
    expect(everything).not.toContain(key);
    expect(everything).not.toContain('diary');
    expect(everything).not.toContain('open');
    expect(everything).toContain('please');
    expect(readCounters(store.db)['secrets-scrubbed']).toBeGreaterThan(0);
  });

  test('belongs to the prompt it names, not to the latest', () => {
    store.take('new', userPrompt('s', CWD, 'one', { prompt_id: 'p1' }));
    store.take('new', userPrompt('s', CWD, 'two', { prompt_id: 'p2' }));
    store.take('save', bash('s', CWD, 'ls', '', { prompt_id: 'p1' }));
    expect(rows("SELECT prompt_number AS n FROM events WHERE kind = 'tool'")).toEqual([{ n: 1 }]);
  });

  test('of our own observer is dropped and counted', () => {
    store.db.run(`INSERT INTO model_calls (provider, model, host_session_id, status, created_at, created_at_epoch)
      VALUES ('claude', 'm', 'ours', 'ok', 'now', 0)`);
    store.take('new', userPrompt('ours', CWD, 'observe this'));
    expect(rows('SELECT * FROM events')).toHaveLength(0);
    expect(readCounters(store.db)['dropped:own-observer']).toBe(1);
  });

  test('that was forgotten does not come back', () => {
    store.db.run("INSERT INTO tombstones VALUES ('session', 'gone', 'now')");
    store.take('new', userPrompt('gone', CWD, 'again'));
    expect(rows('SELECT * FROM events')).toHaveLength(0);
  });
});

describe('a wholly private prompt', () => {
  const hidden = () => userPrompt('s', CWD, '<private>all of it</private>', { prompt_id: 'p1' });

  test('leaves only an empty marker, and the counter rises', () => {
    store.take('new', hidden());
    expect(rows('SELECT text, private, prompt_number AS n FROM prompts')).toEqual([{ text: '', private: 1, n: 1 }]);
    expect(JSON.stringify(rows('SELECT payload FROM events'))).not.toContain('all of it');
  });

  test('hides the tools and the answer under it', () => {
    store.take('new', hidden());
    store.take('save', bash('s', CWD, 'cat secret-plan.txt', 'plan', { prompt_id: 'p1' }));
    store.take('summary', stop('s', CWD, 'the plan is', { prompt_id: 'p1' }));
    expect(rows("SELECT id FROM events WHERE kind <> 'prompt'")).toHaveLength(0);
    expect(readCounters(store.db)['dropped:private']).toBe(2);
  });
});

describe('a session', () => {
  test('goes from its start to its end', () => {
    const steps: [string, () => unknown, string][] = [
      ['start', () => store.take('context', sessionStart('s', CWD)), 'initialized'],
      ['prompt', () => store.take('new', userPrompt('s', CWD, 'go')), 'active'],
      ['tool', () => store.take('save', bash('s', CWD, 'ls', '')), 'active'],
      ['stop', () => store.take('summary', stop('s', CWD, 'done')), 'summarizing'],
      ['prompt', () => store.take('new', userPrompt('s', CWD, 'more')), 'active'],
      ['end', () => store.take('cleanup', sessionEnd('s', CWD, 'logout')), 'completed'],
      ['late tool', () => store.take('save', bash('s', CWD, 'late', '')), 'active'],
    ];
    for (const [, act, expected] of steps) {
      act();
      expect(statusOf('s')).toBe(expected as never);
    }
  });

  test('keeps its first prompt and counts the rest', () => {
    store.take('new', userPrompt('s', CWD, 'first'));
    store.take('new', userPrompt('s', CWD, 'second'));
    expect(findSession(store.db, 's')).toMatchObject({ firstPrompt: 'first', promptCounter: 2 });
  });

  test('is not failed by a new one in the same project', () => {
    store.take('new', userPrompt('a', CWD, 'go'));
    store.take('new', userPrompt('b', CWD, 'go too'));
    expect([statusOf('a'), statusOf('b')]).toEqual(['active', 'active']);
  });

  test('takes its children with it when it is deleted', () => {
    store.take('new', userPrompt('s', CWD, 'go'));
    store.db.run('DELETE FROM sessions');
    expect(rows('SELECT id FROM prompts')).toHaveLength(0);
    expect(rows('SELECT id FROM events')).toHaveLength(0);
  });
});

test('an input that could not be read is counted', () => {
  store.take('save', null, { id: 'f'.repeat(32), bad: { reason: 'not-json' } });
  expect(readCounters(store.db)['bad-input:not-json']).toBe(1);
});

// A private prompt hides its whole turn, whatever the order and the roundabout way its parts arrive in.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { observeBatch } from '../../src/observe/observe.ts';
import { processTurn } from '../../src/observe/process-turn.ts';
import { readCounters } from '../../src/store/counters.ts';
import { bash, stop, userPrompt } from '../support/payloads.ts';
import { byRules, createTestStore, type TestStore } from '../support/store.ts';

const CWD = '/home/dev/shop';
let store: TestStore;
beforeEach(() => {
  store = createTestStore();
});
afterEach(() => store.close());

const hide = (id: string | null) =>
  store.take('new', userPrompt('s', CWD, '<private>diary</private>', id ? { prompt_id: id } : { prompt_id: undefined }));
const say = (text: string, id: string) => store.take('new', userPrompt('s', CWD, text, { prompt_id: id }));
const run = (word: string, more: object) => store.take('save', bash('s', CWD, `echo ${word}`, word, more as Record<string, unknown>));
const everything = () =>
  ['events', 'prompts', 'observations', 'summaries', 'sessions']
    .map((table) => JSON.stringify(store.db.query(`SELECT * FROM ${table}`).all()))
    .join('');

describe('a private turn', () => {
  test('hides an agent it started in the background, also under later prompts', () => {
    hide('p1');
    const agent = { tool_name: 'Agent', tool_input: { prompt: 'x' }, tool_response: { isAsync: true, agentId: 'a1' } };
    store.take('save', { ...bash('s', CWD, '', '', { prompt_id: 'p1' }), ...agent });
    say('something else', 'p2');
    run('canary', { prompt_id: 'p2', agent_id: 'a1', agent_type: 'general-purpose' });
    const report = { hook_event_name: 'SubagentStop', agent_id: 'a1', agent_type: 'x', last_assistant_message: 'canary' };
    store.take('save', { session_id: 's', cwd: CWD, prompt_id: 'p2', ...report });
    run('public', { prompt_id: 'p2' });
    expect(everything()).not.toContain('canary');
    expect(everything()).toContain('public');
  });

  test('that begins in the middle of a public one hides what follows, and only that', () => {
    say('public request', 'p1');
    run('before', { prompt_id: 'p1' });
    hide('p1');
    run('canary', { prompt_id: 'p1' });
    expect(everything()).not.toContain('canary');
    expect(everything()).toContain('public request');
    expect(everything()).toContain('before');
  });

  test('empties the summary of a compaction later in the session', () => {
    hide('p1');
    say('public', 'p2');
    const compaction = { hook_event_name: 'PostCompact', prompt_id: 'p9', compact_summary: 'the diary said canary' };
    store.take('save', { session_id: 's', cwd: CWD, ...compaction });
    expect(everything()).not.toContain('canary');
    expect(store.db.query("SELECT count(*) AS n FROM events WHERE kind = 'compaction'").get()).toEqual({ n: 1 });
  });

  test('takes back what was already made of it when its prompt arrives last', () => {
    say('public', 'p1');
    store.take('summary', stop('s', CWD, 'Public work done.', { prompt_id: 'p1' }));
    processTurn(store.db, 1, byRules(observeBatch));
    run('canary', { prompt_id: 'p2' });
    store.take('summary', stop('s', CWD, 'Fixed canary. We decided to use canary instead of crow because it sings.', { prompt_id: 'p2' }));
    processTurn(store.db, 1, byRules(observeBatch));
    expect(everything()).toContain('canary');
    hide('p2');
    expect(everything()).not.toContain('canary');
  });

  test('is not the turn of a public prompt that is still on its way', () => {
    hide('p1');
    run('public', { prompt_id: 'p2' });
    say('the late prompt', 'p2');
    expect(everything()).toContain('echo public');
  });
});

test('a prompt that is nothing but the host’s own reminder hides nothing', () => {
  store.take('new', userPrompt('s', CWD, '<system-reminder>be brief</system-reminder>', { prompt_id: 'p1' }));
  run('public', { prompt_id: 'p1' });
  expect(everything()).toContain('echo public');
  expect(readCounters(store.db)['dropped:private']).toBeUndefined();
});

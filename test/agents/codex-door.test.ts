import { afterEach, beforeEach, expect, test } from 'bun:test';
import { codex } from '../../src/agents/codex/agent.ts';
import { meta, pathOf, prompt, SESSION, started, TURN, turn } from '../support/codex-lines.ts';
import { createTestStore, type TestStore } from '../support/store.ts';
import { readTranscript, toLines } from '../support/transcript.ts';

let store: TestStore;
beforeEach(() => {
  store = createTestStore();
});
afterEach(() => store.close());

const take = (lines: unknown[]) => {
  const body = toLines(lines);
  const { records } = readTranscript(codex, { path: pathOf(SESSION), body });
  for (const { command, payload } of records) store.take(command, payload, { host: 'codex', isFromTranscript: true });
};
const count = (kind: string) => store.db.query<{ n: number }, [string]>('SELECT count(*) AS n FROM events WHERE kind = ?').get(kind)?.n;

test('a Codex session that hooks told in part is whole after its transcript, and nothing is there twice', () => {
  const common = { session_id: SESSION, turn_id: TURN, cwd: '/home/dev/shop/api' };
  const hook = { ...common, hook_event_name: 'PostToolUse', tool_name: 'Bash', tool_input: { command: 'npm test' } };
  store.take('new', { ...common, hook_event_name: 'UserPromptSubmit', prompt: 'fix the tax' }, { host: 'codex' });
  store.take('save', { ...hook, tool_response: '1 failed\n', tool_use_id: 'call_1' }, { host: 'codex' });
  const lines = [meta(), ...turn()];
  take(lines);
  take(lines);
  expect([count('prompt'), count('tool'), count('stop')]).toEqual([1, 7, 1]);
});

test('what lies under a private prompt of a Codex transcript stays out', () => {
  const lines = turn();
  const at = lines.findIndex((line) => JSON.stringify(line).includes('fix the tax'));
  lines.splice(at, 2, ...prompt('<private>fix the tax</private>'));
  take([meta(), ...lines, started('t2'), ...prompt('hello')]);
  expect([count('prompt'), count('tool'), count('stop')]).toEqual([2, 0, 0]);
  expect(JSON.stringify(store.db.query('SELECT payload FROM events').all())).not.toContain('tax');
});

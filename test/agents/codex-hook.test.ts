import { describe, expect, test } from 'bun:test';
import { codex } from '../../src/agents/codex/agent.ts';

const common = { session_id: 's1', turn_id: 'turn1', cwd: '/home/dev/shop', transcript_path: '/t.jsonl' };
const parse = (payload: unknown) => codex.parseHook({ id: 'e1', command: 'save', payload, receivedAt: 1000 });
const tool = (tool_name: string, tool_input: unknown, tool_response: unknown, more = {}) =>
  parse({ ...common, hook_event_name: 'PostToolUse', tool_name, tool_input, tool_response, tool_use_id: 'call_3', ...more });

describe('a Codex payload', () => {
  test('has the turn as the id of its prompt', () => {
    const payload = { ...common, hook_event_name: 'UserPromptSubmit', prompt: 'fix it' };
    expect(parse(payload)).toMatchObject({
      kind: 'event',
      transcript: '/t.jsonl',
      event: { kind: 'prompt', text: 'fix it', promptId: 'turn1', session: 's1', at: 1000 },
    });
  });

  test('has the call with its session as the id of a tool, however it comes', () => {
    expect(tool('Bash', { command: 'ls' }, 'x')).toMatchObject({ event: { toolUseId: 's1:call_3' } });
    const again = tool('Bash', { command: 'ls' }, 'x', { tool_use_id: 's1:call_3' });
    expect(again).toMatchObject({ event: { toolUseId: 's1:call_3' } });
    expect(tool('Bash', {}, 'x', { agent_id: 'a1' })).toMatchObject({ event: { toolUseId: 'a1:call_3' } });
    expect(tool('Bash', {}, 'x', { tool_use_id: 7 })).toMatchObject({ event: { toolUseId: null } });
  });

  test('that asks before a patch asks about its first file', () => {
    const command = '*** Begin Patch\n*** Update File: src/cart.ts\n@@\n-a\n+b\n*** End Patch';
    const payload = { ...common, hook_event_name: 'PreToolUse', tool_name: 'apply_patch', tool_input: { command } };
    expect(parse(payload)).toEqual({ kind: 'before-edit', session: 's1', cwd: '/home/dev/shop', file: '/home/dev/shop/src/cart.ts' });
    expect(parse({ ...payload, tool_name: 'Bash', tool_input: { command: 'ls' } })).toMatchObject({ kind: 'ignored' });
  });

  test('of an event we do not know is kept raw', () => {
    const raw = { ...common, hook_event_name: 'BrandNew', field: [1] };
    expect(parse(raw)).toMatchObject({ event: { kind: 'unknown', name: 'BrandNew', raw } });
  });

  test.each([[null], [7], ['text'], [[]], [{}], [{ session_id: {} }]])('that is none (%p) is no event', (payload) => {
    expect(parse(payload).kind).not.toBe('event');
  });
});

describe('what a tool of Codex did', () => {
  test('how a command ended is not known from the hook', () => {
    const action = { type: 'command', command: 'npm test', stdout: '1 failed\n', exitCode: null };
    expect(tool('Bash', { command: 'npm test' }, '1 failed\n')).toMatchObject({ event: { error: null, action } });
  });

  test.each([
    [
      'update_plan',
      {
        plan: [
          { step: 'Fix', status: 'completed' },
          { step: 'Test', status: 'what' },
        ],
      },
      'Plan updated',
      {
        type: 'todos',
        items: [
          { text: 'Fix', status: 'completed' },
          { text: 'Test', status: 'pending' },
        ],
      },
    ],
    ['web_search', { query: 'vat' }, '', { type: 'web', target: 'vat' }],
    ['view_image', { path: 'a.png' }, 'shown', { type: 'read', file: '/home/dev/shop/a.png' }],
    ['spawn_agent', { message: 'look', agent_type: 'explorer' }, '{"agent_id":"a7"}', { type: 'agent', agentId: 'a7', prompt: 'look' }],
    [
      'request_user_input',
      { questions: [{ id: 'q', question: 'Which?', options: [{ label: 'A' }] }] },
      '{"answers":{"q":{"answers":["A"]}}}',
      { type: 'question', answers: [{ question: 'Which?', answer: 'A', options: ['A'] }] },
    ],
    ['mcp__claude-mem__search', { query: 'x' }, 'secret', { type: 'memory' }],
    ['mcp__docs__find', { q: 1 }, 'found', { type: 'other', input: { q: 1 }, output: 'found' }],
    ['apply_patch', { command: 'no patch' }, '', { type: 'other' }],
  ])('%s', (name, input, response, action) => {
    expect(tool(name, input, response)).toMatchObject({ event: { kind: 'tool', tool: name, action } });
  });
});

test('what Codex is told has the name of its event', () => {
  expect(JSON.parse(codex.renderStart({ context: 'C', message: 'M' }))).toMatchObject({
    systemMessage: 'M',
    hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'C' },
  });
  // It refuses the fields of Claude Code in answers before and after a tool.
  const answer = { hookSpecificOutput: { hookEventName: 'PreToolUse', additionalContext: 'N' } };
  expect(JSON.parse(codex.renderNote('edit', 'N'))).toEqual(answer);
});

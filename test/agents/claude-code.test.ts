import { describe, expect, test } from 'bun:test';
import { claudeCode } from '../../src/agents/claude-code/agent.ts';
import type { SessionEvent } from '../../src/core/event.ts';

const common = { session_id: 's1', cwd: '/home/dev/shop', prompt_id: 'p1' };
const parse = (payload: unknown, command: 'save' | 'new' | 'context' = 'save') =>
  claudeCode.parseHook({ id: 'e1', command, payload, receivedAt: 1000 });

function eventOf(payload: unknown): SessionEvent {
  const parsed = parse(payload);
  if (parsed.kind !== 'event') throw new Error(`no event: ${JSON.stringify(parsed)}`);
  return parsed.event;
}

const tool = (tool_name: string, tool_input: unknown, tool_response: unknown) =>
  eventOf({ ...common, hook_event_name: 'PostToolUse', tool_name, tool_input, tool_response, tool_use_id: 't1' });

describe('a Claude Code payload', () => {
  test('becomes our event, with the arrival as its time when it has none of its own', () => {
    expect(eventOf({ ...common, hook_event_name: 'UserPromptSubmit', prompt: 'fix it' })).toMatchObject({
      id: 'e1',
      session: 's1',
      cwd: '/home/dev/shop',
      promptId: 'p1',
      at: 1000,
      kind: 'prompt',
      text: 'fix it',
    });
  });

  test("keeps its own timestamp over the arrival's", () => {
    const event = eventOf({ ...common, hook_event_name: 'Stop', timestamp: '2025-10-15T19:30:00Z' });
    expect(event.at).toBe(Date.parse('2025-10-15T19:30:00Z'));
  });

  test('without an event name is read by the command it came through', () => {
    const parsed = parse({ ...common, prompt: 'hello' }, 'new');
    expect(parsed).toMatchObject({ kind: 'event', event: { kind: 'prompt', text: 'hello' } });
  });

  test('without a session is answered and never stored', () => {
    expect(parse({ hook_event_name: 'SessionStart', source: 'startup', cwd: '/x' }, 'context')).toEqual({ kind: 'no-session', cwd: '/x' });
  });

  test('of an event we do not know is kept raw', () => {
    const raw = { ...common, hook_event_name: 'BrandNew', field: [1] };
    expect(eventOf(raw)).toMatchObject({ kind: 'unknown', name: 'BrandNew', raw });
  });

  test('of the nameless subagent that compacts is passed over', () => {
    const payload = { ...common, hook_event_name: 'SubagentStop', agent_type: '', last_assistant_message: 'x' };
    expect(parse(payload)).toEqual({ kind: 'ignored', reason: 'compaction-subagent' });
  });

  test('with wrong types in its fields is read as far as it goes', () => {
    expect(eventOf({ ...common, hook_event_name: 'Stop', last_assistant_message: 7, cwd: null, prompt_id: {} })).toMatchObject({
      kind: 'stop',
      message: '',
      cwd: '',
      promptId: null,
    });
  });

  test('of a failed tool has the error, and the exit code of a command', () => {
    const event = eventOf({
      ...common,
      hook_event_name: 'PostToolUseFailure',
      tool_name: 'Bash',
      tool_input: { command: 'npm test' },
      tool_use_id: 't1',
      error: 'Exit code 3\noops',
    });
    expect(event).toMatchObject({ kind: 'tool', error: 'Exit code 3\noops', action: { type: 'command', exitCode: 3 } });
  });
});

describe('what a tool did', () => {
  test('an edit is its hunks, without the whole file', () => {
    const patch = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-a', '+b'] }];
    const event = tool('Edit', { file_path: '/f' }, { filePath: '/f', originalFile: 'a', structuredPatch: patch });
    expect(event).toMatchObject({ action: { type: 'edit', file: '/f', created: false, hunks: [{ lines: ['-a', '+b'] }] } });
    expect(JSON.stringify(event)).not.toContain('originalFile');
  });

  test('a new file is one hunk of added lines', () => {
    const event = tool('Write', { file_path: '/f', content: 'a\nb' }, { type: 'create', filePath: '/f', structuredPatch: [] });
    expect(event).toMatchObject({ action: { created: true, hunks: [{ lines: ['+a', '+b'] }] } });
  });

  test('what ends the last line is no line of its own', () => {
    const write = (content: string) => tool('Write', { file_path: '/f', content }, { type: 'create', filePath: '/f' });
    expect(write('a\n')).toMatchObject({ action: { hunks: [{ lines: ['+a'] }] } });
    expect(write('a\n\n')).toMatchObject({ action: { hunks: [{ lines: ['+a', '+'] }] } });
  });

  test.each([
    ['Bash', { command: 'ls' }, { stdout: 'x', stderr: 'y' }, { type: 'command', stdout: 'x', stderr: 'y', exitCode: 0 }],
    ['Read', { file_path: '/f' }, { file: { filePath: '/f', content: 'c' } }, { type: 'read', file: '/f', content: 'c' }],
    ['Grep', { pattern: 'p', path: '/d' }, { filenames: ['/d/a'], numFiles: 1 }, { type: 'search', query: 'p', files: ['/d/a'] }],
    ['WebFetch', { url: 'https://x.test' }, { result: 'page' }, { type: 'web', target: 'https://x.test', text: 'page' }],
    ['TodoWrite', { todos: [{ content: 'a', status: 'pending' }] }, {}, { type: 'todos', items: [{ text: 'a', status: 'pending' }] }],
    ['TaskCreate', { subject: 'T1' }, { task: { id: '1' } }, { type: 'task', id: '1', text: 'T1', status: 'pending' }],
    ['TaskUpdate', { taskId: '1', status: 'completed' }, {}, { type: 'task', id: '1', text: null, status: 'completed' }],
    [
      'AskUserQuestion',
      { questions: [] },
      { questions: [{ question: 'Which?', options: [{ label: 'A' }, { label: 'B' }] }], answers: { 'Which?': 'B' } },
      { type: 'question', answers: [{ question: 'Which?', answer: 'B', options: ['A', 'B'] }] },
    ],
    ['ExitPlanMode', { plan: 'do it' }, null, { type: 'plan', text: 'do it' }],
    ['Agent', { description: 'd', prompt: 'p' }, { content: [{ type: 'text', text: 'r' }] }, { type: 'agent', result: 'r' }],
    ['mcp__x__y', { a: 1 }, 'text', { type: 'other', input: { a: 1 }, output: 'text' }],
    ['BashOutput', { bash_id: 'b' }, 'text', { type: 'other', output: 'text', isOfHost: true }],
    ['WebFetch', { url: 'u' }, { text: 'of another shape' }, { type: 'web', text: '{"text":"of another shape"}' }],
  ])('%s', (name, input, response, expected) => {
    expect(tool(name, input, response)).toMatchObject({ action: expected });
  });
});

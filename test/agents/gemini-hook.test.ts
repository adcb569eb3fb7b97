import { describe, expect, test } from 'bun:test';
import { gemini } from '../../src/agents/gemini/agent.ts';

const common = { session_id: 's1', cwd: '/home/dev/shop', timestamp: '2026-01-02T10:00:00.500Z' };
const parse = (payload: unknown) => gemini.parseHook({ id: 'e1', command: 'save', payload, receivedAt: 1000 });
const tool = (tool_name: string, tool_input: unknown, tool_response: unknown) =>
  parse({ ...common, hook_event_name: 'AfterTool', tool_name, tool_input, tool_response });
const said = (llmContent: unknown, returnDisplay: unknown = '') => ({ llmContent, returnDisplay });

describe('a Gemini CLI payload', () => {
  test('is what the person said, without what hooks told', () => {
    const prompt = '<hook_context>told</hook_context>\n\nfix it<hook_context>more</hook_context>';
    expect(parse({ ...common, hook_event_name: 'BeforeAgent', prompt })).toMatchObject({
      event: { kind: 'prompt', text: 'fix it', at: Date.parse('2026-01-02T10:00:00.500Z') },
    });
  });

  test('of the end of a turn has the closing message', () => {
    const payload = { ...common, hook_event_name: 'AfterAgent', prompt: 'x', prompt_response: 'Done.' };
    expect(parse(payload)).toMatchObject({ event: { kind: 'stop', message: 'Done.' } });
  });

  test.each([['BeforeModel'], ['AfterModel'], ['PreCompress']])('of %s is of no use', (hook_event_name) => {
    expect(parse({ ...common, hook_event_name })).toEqual({ kind: 'ignored', reason: 'of-no-use' });
  });

  test('asks before an edit', () => {
    const payload = { ...common, hook_event_name: 'BeforeTool', tool_name: 'replace', tool_input: { file_path: 'a.ts' } };
    expect(parse(payload)).toEqual({ kind: 'before-edit', session: 's1', cwd: '/home/dev/shop', file: '/home/dev/shop/a.ts' });
  });

  test.each([[null], [7], [[]], [{}]])('that is none (%p) is no event', (payload) => {
    expect(parse(payload).kind).not.toBe('event');
  });
});

const DIFF = 'Index: a.ts\n===\n--- a.ts\tCurrent\n+++ a.ts\tProposed\n@@ -4,2 +4,2 @@\n-one\n+ONE\n two\n';

describe('what a tool of Gemini CLI did', () => {
  test('a command that failed says so only in its words', () => {
    const words = '<untrusted_context>\nOutput: bad\nerr\nExit Code: 3\nProcess Group PGID: 12\n</untrusted_context>';
    const event = { error: 'Exit code 3\nbad\nerr', action: { type: 'command', exitCode: 3 } };
    expect(tool('run_shell_command', { command: 'x' }, said(words))).toMatchObject({ event });
  });

  test('a command of an older version has its words in parts', () => {
    const words = 'Command: ls\nDirectory: (root)\nStdout: a\nb\nStderr: (empty)\nError: (none)\nExit Code: 0\nSignal: (none)';
    const action = { type: 'command', command: 'ls', stdout: 'a\nb', stderr: '', exitCode: 0 };
    expect(tool('run_shell_command', { command: 'ls' }, said(words))).toMatchObject({ event: { error: null, action } });
  });

  test('any other tool that failed has its error', () => {
    const response = { ...said('Could not read'), error: { message: 'File not found: /f', type: 'file_not_found' } };
    expect(tool('read_file', { file_path: '/f' }, response)).toMatchObject({ event: { error: 'File not found: /f' } });
  });

  test.each([
    ['read_file', { absolute_path: '/f' }, said('text'), { type: 'read', file: '/f', content: 'text' }],
    [
      'replace',
      { file_path: '/a.ts' },
      said('ok', { fileDiff: DIFF, filePath: '/a.ts', isNewFile: false }),
      { type: 'edit', file: '/a.ts', created: false, hunks: [{ oldStart: 4, newStart: 4, lines: ['-one', '+ONE', ' two'] }] },
    ],
    [
      'write_file',
      { file_path: 'n.ts', content: 'a\nb\n' },
      said('ok', { isNewFile: true }),
      { type: 'edit', file: '/home/dev/shop/n.ts', created: true, hunks: [{ lines: ['+a', '+b'] }] },
    ],
    [
      'glob',
      { pattern: '*.ts' },
      said('Found 1 file(s) matching "*.ts":\n/d/a.ts'),
      { type: 'search', query: '*.ts', files: ['/d/a.ts'], matches: 1 },
    ],
    [
      'search_file_content',
      { pattern: 'two', path: 'src' },
      said('Found 1 match for pattern "two":\n---\nFile: a.ts\nL2: two\n---'),
      { type: 'search', path: 'src', files: ['/home/dev/shop/a.ts'], matches: 1 },
    ],
    [
      'grep_search',
      { pattern: 'two' },
      said('Found 1', { matches: [{ absolutePath: '/d/a.ts' }] }),
      { type: 'search', files: ['/d/a.ts'] },
    ],
    ['list_directory', { dir_path: '/d' }, said('a.ts'), { type: 'other', isOfHost: true }],
    [
      'web_fetch',
      { prompt: 'read https://a.example/x please' },
      said('page'),
      { type: 'web', target: 'https://a.example/x', text: 'page' },
    ],
    ['google_web_search', { query: 'vat' }, said('rules'), { type: 'web', target: 'vat', text: 'rules' }],
    ['save_memory', { fact: 'blue' }, said('ok'), { type: 'other', input: { fact: 'blue' }, isOfHost: true }],
    [
      'write_todos',
      { todos: [{ description: 'Fix', status: 'cancelled' }] },
      said('ok'),
      { type: 'todos', items: [{ text: 'Fix', status: 'deleted' }] },
    ],
    [
      'ask_user',
      { questions: [{ question: 'Which?', options: [{ label: 'A' }] }] },
      said('{"answers":{"0":"A"}}'),
      { type: 'question', answers: [{ question: 'Which?', answer: 'A', options: ['A'] }] },
    ],
    [
      'invoke_agent',
      { agent_name: 'scout', prompt: 'look' },
      said('seen'),
      { type: 'agent', description: 'scout', prompt: 'look', result: 'seen' },
    ],
    ['mcp_claude-mem_search', { query: 'x' }, said('secret'), { type: 'memory' }],
    ['mcp_docs_find', { q: 1 }, said('found'), { type: 'other', input: { q: 1 } }],
  ])('%s', (name, input, response, action) => {
    expect(tool(name, input, response)).toMatchObject({ event: { kind: 'tool', tool: name, error: null, action } });
  });
});

test('what Gemini CLI is told has the name of its event', () => {
  const note = JSON.parse(gemini.renderNote('first-prompt', 'N'));
  expect(note).toMatchObject({ hookSpecificOutput: { hookEventName: 'BeforeAgent', additionalContext: 'N' } });
});

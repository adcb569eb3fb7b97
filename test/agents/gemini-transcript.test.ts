import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { gemini } from '../../src/agents/gemini/agent.ts';
import { expectNothingInvented } from '../support/damaged.ts';
import { type ReadOptions, readTranscript, toLines } from '../support/transcript.ts';

const SESSION = '97babefd-4ada-45e1-8713-80ca6c3c4d86';
const CWD = '/home/dev/shop';
const projectHash = createHash('sha256').update(CWD).digest('hex');
const FOLDER = '/home/dev/.gemini/tmp/shop';
const CHAT = `${FOLDER}/chats/session-2026-01-02T10-00-97babefd.jsonl`;

const time = (second: number) => new Date(Date.parse('2026-01-02T10:00:00Z') + second * 1000).toISOString();
const meta = { sessionId: SESSION, projectHash, startTime: time(0), lastUpdated: time(0), kind: 'main' };
const surroundings = `<session_context>\nThis is the Gemini CLI.\n- **Workspace Directories:**\n  - ${CWD}\n- **Directory Structure:**\n</session_context>`;
const begun = { $set: { messages: [{ id: 'm0', timestamp: time(0), type: 'user', content: [{ text: surroundings }] }] } };
const user = (id: string, second: number, text: string) => ({ id, timestamp: time(second), type: 'user', content: [{ text }] });
const agent = (id: string, second: number, content: string, toolCalls?: unknown[]) => ({
  id,
  timestamp: time(second),
  type: 'gemini',
  content,
  thoughts: [],
  ...(toolCalls && { toolCalls }),
});
const call = (id: string, name: string, args: unknown, output: unknown, more: object = {}) => ({
  id,
  name,
  args,
  result: [{ functionResponse: { id, name, response: output } }],
  status: 'success',
  timestamp: time(4),
  resultDisplay: 'shown',
  ...more,
});
const shell = call('run_1', 'run_shell_command', { command: 'npm test' }, { output: 'Output: 1 failed\nExit Code: 1' });
const missing = call('read_2', 'read_file', { file_path: `${CWD}/no.ts` }, { error: 'File not found' }, { status: 'error' });
const refused = call('run_3', 'run_shell_command', { command: 'rm -rf .' }, { error: 'The user said no' }, { status: 'cancelled' });
const answered = { id: 'r1', timestamp: time(5), type: 'user', content: shell.result };

const turn = () => [
  user('u1', 1, 'fix the tax'),
  { $set: { lastUpdated: time(1) } },
  agent('g1', 2, 'I will look first.'),
  agent('g1', 2, 'I will look first.', [{ ...shell, status: 'executing', result: undefined }]),
  agent('g1', 2, 'I will look first.', [shell]),
  agent('g1', 2, 'I will look first.', [shell]),
  answered,
  agent('g2', 6, '', [missing, refused]),
  { id: 'i1', timestamp: time(6), type: 'info', content: 'Request cancelled.' },
  agent('g3', 7, 'The tax is right now.'),
  agent('g3', 7, 'The tax is right now.'),
];

const read = (lines: unknown[], options?: ReadOptions, path = CHAT) => readTranscript(gemini, { path, body: toLines(lines) }, options);
const readDocument = (document: unknown, path = CHAT.replace('.jsonl', '.json')) =>
  readTranscript(gemini, { path, body: JSON.stringify(document, null, 2) });
const kindsOf = (events: { kind: string }[]) => events.map(({ kind }) => kind);

describe('a Gemini CLI chat', () => {
  test('tells each prompt, tool and closing message once, however often it is written', () => {
    const { events, records } = read([meta, begun, ...turn()]);
    expect(kindsOf(events)).toEqual(['prompt', 'said', 'tool', 'tool', 'tool', 'stop']);
    expect(events).toMatchObject([
      { session: SESSION, cwd: CWD, text: 'fix the tax', at: Date.parse(time(1)) },
      { kind: 'said', text: 'I will look first.' },
      { error: 'Exit code 1\n1 failed', action: { command: 'npm test', exitCode: 1 } },
      { error: 'File not found', action: { type: 'read', file: `${CWD}/no.ts` } },
      { error: 'The user said no', isUndone: true },
      { message: 'The tax is right now.', at: Date.parse(time(7)) },
    ]);
    expect(new Set(events.map(({ promptId }) => promptId)).size).toBe(1);
    expect(records.map(({ command }) => command)).toEqual(['new', 'save', 'save', 'save', 'save', 'summary']);
  });

  test('in one document says the same', () => {
    const messages = turn().filter((line) => 'type' in line && line.id !== 'g1');
    const lines = [...messages.slice(0, 1), agent('g1', 2, 'I will look first.', [shell]), ...messages.slice(1)];
    expect(readDocument({ ...meta, messages: lines }).events).toEqual(read([meta, begun, ...turn()]).events);
  });

  test('is about the folder above one of its files whose hash it has, known or not when it begins', () => {
    const { events } = read([meta, ...turn()]);
    expect(new Set(events.map(({ cwd }) => cwd))).toEqual(new Set([CWD]));
  });

  test('without any folder has the one that holds all chats of its project', () => {
    expect(read([meta, user('u1', 1, 'hi')]).events).toMatchObject([{ text: 'hi', cwd: FOLDER }]);
  });

  test('that still goes on has not ended its turn, and is read again as a whole', () => {
    const early = read([meta, begun, ...turn()], { isOver: false });
    expect(kindsOf(early.events)).toEqual(['prompt', 'said', 'tool', 'tool', 'tool']);
    expect(early.resumeAt).toBe(0);
    const late = read([meta, begun, ...turn(), user('u2', 9, 'fix the tax')]).events;
    expect(kindsOf(late)).toEqual(['prompt', 'said', 'tool', 'tool', 'tool', 'stop', 'prompt']);
    expect(late.at(-1)?.promptId).not.toBe(late[0]?.promptId ?? '');
  });

  test('leaves out commands to the program, but not a path', () => {
    const lines = [meta, begun, user('u1', 1, '/help'), user('u2', 2, '/chat save x'), user('u3', 3, '/etc/hosts is wrong')];
    expect(read(lines).events).toMatchObject([{ kind: 'prompt', text: '/etc/hosts is wrong' }]);
  });

  test('keeps what the person typed, not the files that were put behind it', () => {
    const parts = [{ text: 'explain @a.ts' }, { text: '\n--- Content from referenced files ---' }, { text: 'const a = 1' }];
    const shown = { ...user('u2', 2, 'long'), displayContent: [{ text: 'short' }] };
    expect(read([meta, begun, { ...user('u1', 1, ''), content: parts }, shown]).events).toMatchObject([
      { text: 'explain @a.ts' },
      { text: 'short' },
    ]);
  });

  test('keeps the summary of a history that was made shorter, and nothing of it twice', () => {
    const snapshot = user('s1', 8, '<state_snapshot>We fixed the tax.</state_snapshot>');
    const shortened = { $set: { messages: [snapshot, agent('g9', 8, 'Got it.'), user('u1', 1, 'fix the tax')] } };
    const { events } = read([meta, begun, ...turn(), shortened, { $rewindTo: 'u1' }]);
    expect(kindsOf(events)).toEqual(['prompt', 'said', 'tool', 'tool', 'tool', 'compaction', 'stop']);
    expect(events[5]).toMatchObject({ summary: 'We fixed the tax.' });
  });

  test('of a subagent belongs to the session whose folder it lies in', () => {
    const path = `${FOLDER}/chats/${SESSION}/agent7.jsonl`;
    const { events } = read([{ ...meta, sessionId: 'agent7', kind: 'subagent', directories: [CWD] }, ...turn()], {}, path);
    expect(events).toMatchObject([
      { kind: 'tool', session: SESSION, agentId: 'agent7', cwd: CWD },
      { kind: 'tool' },
      { kind: 'tool' },
      { kind: 'subagent', agentId: 'agent7', message: 'The tax is right now.' },
    ]);
  });

  test('and the hook know a tool by the same id, and the chat how often it was the same', () => {
    const again = { ...shell, id: 'run_9' };
    const { events } = read([meta, begun, user('u1', 1, 'fix it'), agent('g1', 2, '', [shell, missing, again])]);
    const ids = events.map((event) => event.kind === 'tool' && event.toolUseId);
    const hooked = (tool_name: string, tool_input: unknown, tool_response: object) => {
      const payload = { session_id: SESSION, hook_event_name: 'AfterTool', tool_name, tool_input, tool_response };
      const parsed = gemini.parseHook({ id: 'e', command: 'save', payload, receivedAt: 1 });
      return parsed.kind === 'event' && parsed.event.kind === 'tool' && parsed.event.toolUseId;
    };
    const words = '<untrusted_context>\nOutput: 1 failed\nExit Code: 1\n</untrusted_context>';
    const ran = hooked('run_shell_command', { command: 'npm test' }, { llmContent: words, returnDisplay: '1 failed' });
    const error = { message: 'File not found', type: 'file_not_found' };
    const failed = hooked('read_file', { file_path: `${CWD}/no.ts` }, { llmContent: 'Could not read', error });
    expect(ids).toEqual([false, ran, failed, `${ran}#2`]);
  });

  test.each([
    ['lines', CHAT, () => [meta, begun, ...turn(), user('u2', 9, 'go on'), agent('g8', 10, 'Gone on.')]],
    ['one document', CHAT.replace('.jsonl', '.json'), () => [{ ...meta, messages: turn() }]],
  ])('of %s, damaged, breaks nothing and makes nothing up', (_, path, lines) => {
    expectNothingInvented(gemini, path, toLines(lines()).trim().split('\n'));
  });
});

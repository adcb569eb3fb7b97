// Lines of Codex transcripts, as its versions write them.
import { codex } from '../../src/agents/codex/agent.ts';
import { type ReadOptions, readTranscript, toLines } from './transcript.ts';

export const SESSION = '019c0000-0000-7000-8000-000000000001';
export const TURN = '019c0000-1000-7000-8000-00000000000a';
export const FOLDER = '/home/dev/.codex/sessions/2026/01/02';
export const pathOf = (session: string) => `${FOLDER}/rollout-2026-01-02T10-00-00-${session}.jsonl`;

let clock = Date.parse('2026-01-02T10:00:00Z');
export function line(type: string, payload: unknown) {
  clock += 1000;
  return { timestamp: new Date(clock).toISOString(), type, payload };
}
export const item = (payload: unknown) => line('response_item', payload);
export const event = (payload: unknown) => line('event_msg', payload);
export const said = (role: string, ...texts: string[]) =>
  item({ type: 'message', role, content: texts.map((text) => ({ type: 'input_text', text })) });
export const call = (name: string, id: string, args: unknown) =>
  item({ type: 'function_call', name, call_id: id, arguments: JSON.stringify(args) });
export const answer = (id: string, output: unknown) => item({ type: 'function_call_output', call_id: id, output });
export const custom = (id: string, input: string) => item({ type: 'custom_tool_call', name: 'apply_patch', call_id: id, input });
export const meta = (more: object = {}) =>
  line('session_meta', {
    id: SESSION,
    timestamp: '2026-01-02T10:00:00Z',
    cwd: '/home/dev/shop',
    cli_version: '0.166.0',
    base_instructions: { text: 'You are a coding agent. '.repeat(100) },
    git: { branch: 'checkout' },
    ...more,
  });
export const rules = () =>
  said(
    'user',
    '# AGENTS.md instructions for /home/dev/shop\n\n<INSTRUCTIONS>\nBe nice.\n</INSTRUCTIONS>',
    '<environment_context>\n  <cwd>/home/dev/shop</cwd>\n</environment_context>',
  );
export const started = (turn: string) => event({ type: 'task_started', turn_id: turn, root_turn_id: turn });
export const prompt = (text: string) => [
  said('user', text),
  event({ type: 'item_completed', item: { type: 'UserMessage', content: [{ type: 'text', text }] } }),
];
export const complete = (turn: string, message: string) => event({ type: 'task_complete', turn_id: turn, last_agent_message: message });
export const ran = (code: number, output: string) =>
  `Chunk ID: 1a\nWall time: 0.2500 seconds\nProcess exited with code ${code}\nOriginal token count: 4\nOutput:\n${output}`;

export const PATCH = [
  '*** Begin Patch',
  '*** Add File: src/new.ts',
  '+export const one = 1;',
  '*** Update File: src/cart.ts',
  '*** Move to: src/basket.ts',
  '@@ function total()',
  ' let sum = 0;',
  '-return sum',
  '+return sum + tax',
  '*** End Patch',
].join('\n');

export const turn = () => [
  started(TURN),
  said('developer', '<skills_instructions>many</skills_instructions>'),
  rules(),
  line('turn_context', { turn_id: TURN, cwd: '/home/dev/shop/api' }),
  ...prompt('fix the tax'),
  said('assistant', 'I will look first.'),
  call('exec_command', 'call_1', { cmd: 'npm test', justification: 'run the tests' }),
  event({ type: 'item_completed', item: { type: 'CommandExecution', id: 'call_1', aggregated_output: '1 failed\n', exit_code: 1 } }),
  answer('call_1', ran(1, '1 failed\n')),
  custom('call_2', PATCH),
  item({ type: 'custom_tool_call_output', call_id: 'call_2', output: 'Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess.' }),
  call('update_plan', 'call_3', { plan: [{ step: 'Fix it', status: 'in_progress' }] }),
  answer('call_3', 'Plan updated'),
  item({ type: 'web_search_call', id: 'ws_1', action: { type: 'search', query: 'vat rules' } }),
  call('list_carts', 'call_4', { limit: 3 }),
  answer('call_4', [{ type: 'input_text', text: 'three carts' }]),
  said('assistant', 'The tax is right now.'),
  complete(TURN, 'The tax is right now.'),
];

export const codexOf = (lines: unknown[], options?: ReadOptions, session = SESSION) =>
  readTranscript(codex, { path: pathOf(session), body: toLines(lines) }, options);
export const kindsOf = (events: { kind: string }[]) => events.map(({ kind }) => kind);

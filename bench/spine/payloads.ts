// Hook payloads as Claude Code sends them, made for a bench: every call is an event of its own.
import type { HookCommand } from '../../src/core/envelope.ts';

/** `agent`: whose hook, if not Claude Code's. */
export type HookCall = { command: HookCommand; payload: Record<string, unknown>; agent?: string };

export type BenchSession = {
  start: () => HookCall;
  prompt: (text: string) => HookCall;
  tool: (name: string, input: object, response: object) => HookCall;
  bash: (command: string, stdout: string) => HookCall;
  bashFails: (command: string, error: string) => HookCall;
  beforeEdit: (file: string) => HookCall;
  stop: (message: string) => HookCall;
  end: () => HookCall;
};

export function createBenchSession(cwd: string): BenchSession {
  const session = crypto.randomUUID();
  let promptId = crypto.randomUUID();
  const transcript = `/home/dev/.claude/projects/${cwd.replace(/[^a-zA-Z0-9]/g, '-')}/${session}.jsonl`;
  const base = { session_id: session, transcript_path: transcript, cwd };
  const call = (command: HookCommand, event: string, own: object): HookCall => ({
    command,
    payload: { ...base, hook_event_name: event, ...own },
  });
  const inTurn = (command: HookCommand, event: string, own: object) =>
    call(command, event, {
      prompt_id: promptId,
      permission_mode: 'default',
      effort: { level: 'medium' },
      ...own,
    });
  const tool: BenchSession['tool'] = (name, input, response) =>
    inTurn('save', 'PostToolUse', {
      tool_name: name,
      tool_input: input,
      tool_response: response,
      tool_use_id: newToolUseId(),
      duration_ms: 40,
    });
  return {
    start: () => call('context', 'SessionStart', { source: 'startup' }),
    prompt: (text) => {
      promptId = crypto.randomUUID();
      return inTurn('new', 'UserPromptSubmit', { prompt: text });
    },
    tool,
    bash: (command, stdout) =>
      tool('Bash', { command, description: 'Run it' }, { stdout, stderr: '', interrupted: false, isImage: false, noOutputExpected: false }),
    beforeEdit: (file) =>
      inTurn('context', 'PreToolUse', {
        tool_name: 'Edit',
        tool_input: { file_path: file, old_string: 'hello', new_string: 'goodbye', replace_all: false },
        tool_use_id: newToolUseId(),
      }),
    bashFails: (command, error) =>
      inTurn('save', 'PostToolUseFailure', {
        tool_name: 'Bash',
        tool_input: { command, description: 'Run it' },
        tool_use_id: newToolUseId(),
        error,
        is_interrupt: false,
        duration_ms: 50,
      }),
    stop: (message) =>
      inTurn('summary', 'Stop', {
        stop_hook_active: false,
        last_assistant_message: message,
        background_tasks: [],
        session_crons: [],
      }),
    end: () => inTurn('cleanup', 'SessionEnd', { reason: 'other' }),
  };
}

const newToolUseId = () => `toolu_${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}`;

const WORDS = 'export const index cart price total route handler returns null when the cache is cold and retry'.split(' ');

/** Text like code and its output: lines of words and numbers, never twice the same, as many characters as asked for. */
export function makeText(length: number, seed = 1): string {
  const lines: string[] = [];
  let size = 0;
  for (let line = seed * 7919; size < length; line++) {
    const words = Array.from({ length: 8 }, (_, at) => WORDS[(line * (at + 3) + at * at) % WORDS.length]);
    const text = `${line} ${words.join(' ')};`;
    lines.push(text);
    size += text.length + 1;
  }
  return lines.join('\n').slice(0, length);
}

/** What tools print that is not plain words; each made of lines like these, with a number of its own in each. */
const KINDS = {
  HTML: '<li class="item"><a href="/p/@">Price &amp; tax</a><span>@</span><p>private</p></li>\n',
  XML: '<property name="path@" value="&lt;none&gt;"/><string><system>s@</system></string>\n',
  'C++': 'template <class T> std::map<string, pair<int, T>> m@; std::cout << "p" << m@.size() % 3 << std::endl;\n',
  JSX: 'return <Card key={@}><Price value={a < b && <span>{p}</span>} /></Card>;\n',
  minified: 'function a@(b,c){return b<c&&d%3?"<p>"+e+"</p>":f("\\u003cb\\u003e",c)}',
  'only <': '<',
};

export type TextKind = keyof typeof KINDS;
export const TEXT_KINDS = Object.keys(KINDS) as TextKind[];

export function makeTextOf(kind: TextKind, length: number): string {
  const line = KINDS[kind];
  const lines = Array.from({ length: Math.ceil(length / line.length) }, (_, at) => line.replaceAll('@', String(at)));
  return lines.join('').slice(0, length);
}

// Claude Code hook payloads, as short as a test needs them.

type Fields = Record<string, unknown>;

let counter = 0;
export const nextId = (prefix: string) => `${prefix}_${process.pid}_${++counter}`;

export const sessionStart = (session: string, cwd: string, more: Fields = {}) => ({
  session_id: session,
  cwd,
  hook_event_name: 'SessionStart',
  source: 'startup',
  ...more,
});

export const userPrompt = (session: string, cwd: string, prompt: string, more: Fields = {}) => ({
  session_id: session,
  cwd,
  hook_event_name: 'UserPromptSubmit',
  prompt_id: nextId('prompt'),
  prompt,
  ...more,
});

export const bash = (session: string, cwd: string, command: string, stdout: string, more: Fields = {}) => ({
  session_id: session,
  cwd,
  hook_event_name: 'PostToolUse',
  tool_name: 'Bash',
  tool_input: { command },
  tool_response: { stdout, stderr: '', interrupted: false },
  tool_use_id: nextId('toolu'),
  ...more,
});

/** A command that failed, with what it printed. */
export const bashFailure = (session: string, cwd: string, command: string, output: string, exitCode = 1) => ({
  session_id: session,
  cwd,
  hook_event_name: 'PostToolUseFailure',
  tool_name: 'Bash',
  tool_input: { command },
  tool_use_id: nextId('toolu'),
  error: `Exit code ${exitCode}\n${output}`,
  is_interrupt: false,
});

/** Lines with their sign: `-old`, `+new`. */
export const edit = (session: string, cwd: string, file: string, lines: string[]) => ({
  session_id: session,
  cwd,
  hook_event_name: 'PostToolUse',
  tool_name: 'Edit',
  tool_input: { file_path: `${cwd}/${file}` },
  tool_response: {
    filePath: `${cwd}/${file}`,
    originalFile: '',
    structuredPatch: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines }],
  },
  tool_use_id: nextId('toolu'),
});

/** A list of what is to do: the words of each item, and how far it is. */
export const todos = (session: string, cwd: string, items: Record<string, string>) => ({
  session_id: session,
  cwd,
  hook_event_name: 'PostToolUse',
  tool_name: 'TodoWrite',
  tool_input: { todos: Object.entries(items).map(([content, status]) => ({ content, status, activeForm: content })) },
  tool_response: {},
  tool_use_id: nextId('toolu'),
});

export const webFetch = (session: string, cwd: string, url: string, text: string) => ({
  session_id: session,
  cwd,
  hook_event_name: 'PostToolUse',
  tool_name: 'WebFetch',
  tool_input: { url, prompt: 'Read it' },
  tool_response: { result: text, url, code: 200 },
  tool_use_id: nextId('toolu'),
});

export const stop = (session: string, cwd: string, message: string, more: Fields = {}) => ({
  session_id: session,
  cwd,
  hook_event_name: 'Stop',
  last_assistant_message: message,
  ...more,
});

export const sessionEnd = (session: string, cwd: string, reason = 'other') => ({
  session_id: session,
  cwd,
  hook_event_name: 'SessionEnd',
  reason,
});

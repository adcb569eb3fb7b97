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

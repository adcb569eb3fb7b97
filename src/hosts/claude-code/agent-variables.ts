// What Claude Code sets in the environment of its shell, hooks and servers.
export const CLAUDE_CODE_VARIABLES = [
  'CLAUDECODE',
  'CLAUDE_PROJECT_DIR',
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_SESSION_ID',
  'CLAUDE_CODE_CHILD_SESSION',
];

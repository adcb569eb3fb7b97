// By which variables a command knows that an agent runs it. Small, and apart from the agents: every command loads it.

export const AGENT_VARIABLES = [
  ...['CLAUDECODE', 'CLAUDE_PROJECT_DIR', 'CLAUDE_CODE_ENTRYPOINT', 'CLAUDE_CODE_SESSION_ID', 'CLAUDE_CODE_CHILD_SESSION'],
  ...['CODEX_THREAD_ID', 'CODEX_SANDBOX', 'CODEX_SANDBOX_NETWORK_DISABLED', 'CODEX_CI'],
  // Qwen Code is made of Gemini CLI.
  ...['GEMINI_CLI', 'QWEN_CODE'],
  // Agents that have no folder here, and the two names that any agent may use.
  ...['CURSOR_AGENT', 'OPENCODE', 'CLINE_ACTIVE', 'AUGMENT_AGENT', 'GOOSE_TERMINAL', 'CRUSH', 'AMP_CURRENT_THREAD_ID'],
  ...['COPILOT_CLI', 'ANTIGRAVITY_AGENT', 'AI_AGENT', 'AGENT'],
];

export const SESSION_VARIABLES = ['CLAUDE_CODE_SESSION_ID', 'CODEX_THREAD_ID', 'GEMINI_SESSION_ID'];

// By which variables a command knows that an agent runs it. Small, and apart from the agents: every command loads it.

/** Of the agents that have a folder here. VS Code's own agent opens real terminals: nothing else tells them from a person's. */
const KNOWN = [
  ...['CLAUDECODE', 'CLAUDE_PROJECT_DIR', 'CLAUDE_CODE_ENTRYPOINT', 'CLAUDE_CODE_SESSION_ID', 'CLAUDE_CODE_CHILD_SESSION'],
  ...['CODEX_THREAD_ID', 'CODEX_SANDBOX', 'CODEX_SANDBOX_NETWORK_DISABLED', 'CODEX_CI'],
  // Qwen Code is made of Gemini CLI.
  ...['GEMINI_CLI', 'QWEN_CODE', 'CURSOR_AGENT', 'OPENCODE', 'OPENCODE_CLIENT', 'COPILOT_AGENT', 'COPILOT_CLI'],
];

/** Of others, and the two names that any agent may use. */
const OTHERS = [
  ...['CLINE_ACTIVE', 'ROO_ACTIVE', 'AUGMENT_AGENT', 'GOOSE_TERMINAL', 'CRUSH', 'AMP_CURRENT_THREAD_ID', 'ANTIGRAVITY_AGENT'],
  ...['PI_CODING_AGENT', 'TRAE_AI_SHELL_ID', 'OPENCLAW_SHELL', 'WINDSURF_CASCADE_TERMINAL', 'AI_AGENT', 'AGENT'],
];

export const AGENT_VARIABLES = [...KNOWN, ...OTHERS];

export const SESSION_VARIABLES = ['CLAUDE_CODE_SESSION_ID', 'CODEX_THREAD_ID', 'GEMINI_SESSION_ID'];

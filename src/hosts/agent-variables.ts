// By which variables a command knows that an agent runs it. Small, and apart from the hosts: every command loads it.
import { CLAUDE_CODE_VARIABLES } from './claude-code/agent-variables.ts';
import { CODEX_VARIABLES } from './codex/agent-variables.ts';
import { GEMINI_VARIABLES } from './gemini/agent-variables.ts';

/** Agents that have no folder here, and the two names that any agent may use. */
const OTHER_VARIABLES = [
  'AI_AGENT',
  'AGENT',
  'CURSOR_AGENT',
  'OPENCODE',
  'CLINE_ACTIVE',
  'AUGMENT_AGENT',
  'GOOSE_TERMINAL',
  'CRUSH',
  'AMP_CURRENT_THREAD_ID',
];

export const AGENT_VARIABLES = [...CLAUDE_CODE_VARIABLES, ...CODEX_VARIABLES, ...GEMINI_VARIABLES, ...OTHER_VARIABLES];

/** Those that hold the id of the session, as its hooks say it. */
export const SESSION_VARIABLES = ['CLAUDE_CODE_SESSION_ID', 'CODEX_THREAD_ID', 'GEMINI_SESSION_ID'];

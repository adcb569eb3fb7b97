// How `claude` is called and what is said to it: one question, alone, with nothing of its user but the login.
import type { Question } from '../model.ts';

/** Marks our own runs: hooks that see it capture nothing, and a leftover child is known by its value. */
export const OBSERVER_VARIABLE = 'CLAUDE_MEM_OBSERVER';

export function claudeArguments(model: string): string[] {
  return [
    ...['--print', '--verbose', '--output-format', 'stream-json', '--input-format', 'stream-json'],
    ...['--model', model, '--thinking', 'disabled', '--tools', '', '--disable-slash-commands'],
    // No settings means no hooks and no plugins.
    ...['--setting-sources', '', '--strict-mcp-config', '--no-session-persistence'],
    // Left to itself it asks up to three times more when an answer is cut off, refused or empty. A budget that the first
    // answer uses up ends it there.
    ...['--max-turns', '1', '--max-budget-usd', '0.000001'],
  ];
}

export function claudeEnvironment(question: Question, mark: string): Record<string, string> {
  return { ...ALONE, ...ONE_REQUEST, ...limitsOf(question), [OBSERVER_VARIABLE]: mark };
}

function limitsOf({ deadlineMs, maxOutputTokens }: Question): Record<string, string> {
  // The timeout is for the case that we are killed: it then gives up by itself.
  return { API_TIMEOUT_MS: String(deadlineMs), CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(maxOutputTokens) };
}

const ALONE = {
  CLAUDE_CODE_DISABLE_CLAUDE_MDS: '1',
  CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
  // Also keeps the budget above from being told to the model.
  CLAUDE_CODE_DISABLE_ATTACHMENTS: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  DISABLE_AUTOUPDATER: '1',
};

const ONE_REQUEST = {
  CLAUDE_CODE_MAX_RETRIES: '0',
  CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: '1',
  // After a 400 it would ask again without them.
  CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS: '1',
};

export const INITIALIZE = 'initialize';

/** The instructions go in by the pipe: arguments are seen by every user of the machine. */
export function initialize(instructions: string): object {
  return controlRequest(INITIALIZE, { systemPrompt: instructions });
}

/** `client_composed` makes the text a text: without it `@path` is read from disk and `/command` is run. */
export function ask(prompt: string): object {
  const message = { role: 'user', content: prompt };
  return { type: 'user', message, parent_tool_use_id: null, session_id: '', client_composed: true };
}

export function interrupt(): object {
  return controlRequest('interrupt', {});
}

function controlRequest(subtype: string, request: object): object {
  return { type: 'control_request', request_id: subtype, request: { subtype, ...request } };
}

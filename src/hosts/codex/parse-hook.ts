// One Codex hook payload → one of our events.
import { type Dialect, parseInDialect } from '../dialect.ts';
import type { Fields } from '../fields.ts';
import type { HookInput, ParsedHook } from '../host.ts';
import { onlySpoken } from '../spoken.ts';
import { readAction } from './read-action.ts';

export const parseHook = (input: HookInput): ParsedHook => parseInDialect(input, CODEX);

const CODEX: Dialect = { translate, readAction };

/** It is called a turn there. A patch of several files is the first of them: the others follow from the transcript. */
function translate(payload: Fields): Fields {
  return {
    ...payload,
    prompt_id: payload.prompt_id ?? payload.turn_id,
    tool_use_id: ownId(payload),
    ...(typeof payload.prompt === 'string' && { prompt: onlySpoken(payload.prompt) }),
  };
}

/** Calls are numbered in each session anew (`call_3`): with the session, or the agent in it, an id is the only one of its kind. */
function ownId(payload: Fields): string | null {
  const { tool_use_id: id, agent_id: agent, session_id: session } = payload;
  if (typeof id !== 'string' || id === '') return null;
  const owner = String(agent || session || '');
  return id.startsWith(`${owner}:`) ? id : `${owner}:${id}`;
}

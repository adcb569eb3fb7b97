// One Gemini CLI hook payload → one of our events.
import { wordTable } from '../../core/word-table.ts';
import { type Dialect, parseInDialect } from '../dialect.ts';
import { asRecord, type Fields, text } from '../fields.ts';
import type { HookInput, ParsedHook } from '../host.ts';
import { onlySpoken } from '../spoken.ts';
import { contentId } from './content-id.ts';
import { readAction } from './read-action.ts';
import { readFailure } from './tool-answer.ts';

export const parseHook = (input: HookInput): ParsedHook => parseInDialect(input, GEMINI);

const GEMINI: Dialect = { translate, readAction };

const NAMES = wordTable<string>({
  BeforeAgent: 'UserPromptSubmit',
  BeforeTool: 'PreToolUse',
  AfterTool: 'PostToolUse',
  AfterAgent: 'Stop',
});
/** What goes to the model and back is told by the others. */
const OF_NO_USE = new Set(['BeforeModel', 'AfterModel', 'BeforeToolSelection', 'PreCompress', 'Notification']);

function translate(payload: Fields): Fields | null {
  const said = text(payload.hook_event_name);
  if (OF_NO_USE.has(said)) return null;
  const name = NAMES[said] ?? said;
  const failure = name === 'PostToolUse' ? readFailure(text(payload.tool_name), asRecord(payload.tool_response)) : null;
  return {
    ...payload,
    ...(name && { hook_event_name: failure === null ? name : 'PostToolUseFailure' }),
    ...(failure !== null && { error: failure }),
    ...(said === 'AfterAgent' && { last_assistant_message: payload.prompt_response }),
    tool_use_id: contentId(payload),
    ...(typeof payload.prompt === 'string' && { prompt: onlySpoken(payload.prompt) }),
  };
}

// Cursor: hooks with names of its own. An edit is told by the event that has its words; of a turn's end only that it is over.
import { wordTable } from '../../core/text.ts';
import { createAgent, NO_TRANSCRIPTS } from '../hook.ts';
import { asList, type Fields, numberOrNull, text } from '../json.ts';
import { onlySpoken, SAID } from '../record.ts';
import { readAction, readObject } from './actions.ts';

export const cursor = createAgent({
  name: 'cursor',
  translate,
  readAction,
  noteEvents: { 'first-prompt': 'beforeSubmitPrompt', edit: 'preToolUse', error: 'postToolUseFailure' },
  // The one answer of a hook that reaches the model; beside the prompt and after an error nothing does.
  renderStart: ({ context }) => (context ? JSON.stringify({ additional_context: context }) : ''),
  renderNote: () => '',
  ...NO_TRANSCRIPTS,
});

const NAMES = wordTable<string>({
  sessionStart: 'SessionStart',
  beforeSubmitPrompt: 'UserPromptSubmit',
  postToolUse: 'PostToolUse',
  postToolUseFailure: 'PostToolUseFailure',
  afterFileEdit: 'PostToolUse',
  afterAgentResponse: SAID,
  stop: 'Stop',
  sessionEnd: 'SessionEnd',
});
/** Told by afterFileEdit, with the words that were changed. */
const EDITS = new Set(['Write', 'Edit', 'StrReplace', 'MultiEdit', 'ApplyPatch']);

function translate(payload: Fields): Fields | null {
  const said = text(payload.hook_event_name);
  if (said === 'postToolUse' && EDITS.has(text(payload.tool_name))) return null;
  const cwd = text(payload.cwd) || text(asList(payload.workspace_roots)[0]);
  return {
    ...payload,
    // A program that speaks for it over HTTP has Claude Code's words.
    hook_event_name: NAMES[said] ?? (said || undefined),
    session_id: payload.session_id ?? payload.conversation_id,
    prompt_id: payload.prompt_id ?? payload.generation_id,
    cwd,
    duration_ms: numberOrNull(payload.duration),
    ...(typeof payload.prompt === 'string' && { prompt: onlySpoken(payload.prompt) }),
    ...(said === 'afterAgentResponse' && { last_assistant_message: text(payload.text) }),
    ...(said === 'postToolUseFailure' && { error: text(payload.error_message) || 'failed without a message' }),
    ...toolOf(said, payload),
  };
}

function toolOf(said: string, payload: Fields): Fields {
  if (said === 'afterFileEdit') return { tool_name: 'Edit', tool_input: { file_path: payload.file_path, edits: payload.edits } };
  return { tool_input: readObject(payload.tool_input), tool_response: payload.tool_response ?? payload.tool_output };
}

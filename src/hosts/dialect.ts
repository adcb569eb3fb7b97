// Agents whose hooks speak almost like Claude Code's: their payload is put into its words, then read as one of its own.
import type { Action } from '../core/event.ts';
import { parseHook } from './claude-code/parse-hook.ts';
import type { ToolCall } from './claude-code/read-action.ts';
import { asRecord, type Fields } from './fields.ts';
import type { HookInput, Host, NoteOccasion, ParsedHook } from './host.ts';

/** A call, and where it was made: some agents name files from there. */
export type PlacedCall = ToolCall & { cwd: string };

export type Dialect = {
  /** Its payload in the words of Claude Code; null for an event of no use. Called with what others wrote. */
  translate: (payload: Fields) => Fields | null;
  readAction: (call: PlacedCall) => Action;
};

export function parseInDialect(input: HookInput, { translate, readAction }: Dialect): ParsedHook {
  if (typeof input.payload !== 'object' || input.payload === null) return parseHook(input);
  const payload = translate(asRecord(input.payload));
  if (payload === null) return { kind: 'ignored', reason: 'of-no-use' };
  const call = { tool: '', input: payload.tool_input, response: payload.tool_response, cwd: textOf(payload.cwd) };
  if (payload.hook_event_name === 'PreToolUse') {
    const action = readAction({ ...call, tool: textOf(payload.tool_name), error: null });
    const question = action.type === 'edit' ? { tool_name: 'Edit', tool_input: { file_path: action.file } } : NO_EDIT;
    return parseHook({ ...input, payload: { ...payload, ...question } });
  }
  // What the tool did is read here and only here.
  const parsed = parseHook({ ...input, payload: { ...payload, tool_input: null, tool_response: null } });
  if (parsed.kind !== 'event') return parsed;
  const { event } = parsed;
  if (event.kind === 'unknown') return { ...parsed, event: { ...event, raw: input.payload } };
  if (event.kind !== 'tool') return parsed;
  const action = readAction({ ...call, tool: event.tool, error: event.error });
  const error = event.error !== null && action.type === 'memory' ? 'failed' : event.error;
  return { ...parsed, event: { ...event, action, error } };
}

const NO_EDIT = { tool_name: '', tool_input: null };
const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

/** What is told in the middle of a session, under the host's own name of the event. */
export function renderNoteAs(names: Record<NoteOccasion, string>): Host['renderNote'] {
  return (occasion, additionalContext) =>
    JSON.stringify({
      continue: true,
      suppressOutput: true,
      hookSpecificOutput: { hookEventName: names[occasion], additionalContext },
    });
}

// One hook payload → one of our events. All agents speak Claude Code's words, or are translated into them first.
import type { HookCommand } from '../core/envelope.ts';
import type { Action, EventBody } from '../core/event.ts';
import type { ToolCall } from './action.ts';
import type { Agent, HookInput, NoteOccasion, ParsedHook } from './agent.ts';
import fieldTable from './fields.txt' with { type: 'text' };
import { asRecord, type Fields, numberOrNull, text, textOrNull, wholeText } from './json.ts';
import { isMadeByAgent, SAID } from './record.ts';

type Traits = Omit<Agent, 'parseHook' | 'renderStart' | 'renderNote'> &
  Partial<Pick<Agent, 'renderStart' | 'renderNote'>> & {
    /** Its payload in the words of Claude Code; null for an event of no use. Called with what others wrote. */
    translate?: (payload: Fields) => Fields | null;
    readAction: (call: ToolCall) => Action;
    /** Its own names of the events that are answered with a note. */
    noteEvents: Record<NoteOccasion, string>;
  };

export function createAgent({ translate = (payload) => payload, readAction, noteEvents, ...own }: Traits): Agent {
  return {
    parseHook(input) {
      const { payload: raw } = input;
      if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return { kind: 'ignored', reason: 'not-an-object' };
      const payload = translate(asRecord(raw));
      return payload === null ? { kind: 'ignored', reason: 'of-no-use' } : parse(input, payload, readAction);
    },
    renderStart: ({ context, message }) =>
      JSON.stringify({
        ...SILENT,
        ...(message && { systemMessage: message }),
        ...(context && { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: context } }),
      }),
    renderNote: (occasion, additionalContext) =>
      JSON.stringify({ ...SILENT, hookSpecificOutput: { hookEventName: noteEvents[occasion], additionalContext } }),
    ...own,
  };
}

export const NO_TRANSCRIPTS: Pick<Agent, 'folders' | 'describeFile' | 'createReader'> = {
  folders: [],
  describeFile: () => null,
  createReader: () => ({ read: () => [], finish: () => [], resumeAt: () => 0 }),
};

const SILENT = { continue: true, suppressOutput: true };

const EVENT_OF_COMMAND: Record<HookCommand, string> = {
  context: 'SessionStart',
  new: 'UserPromptSubmit',
  save: 'PostToolUse',
  summary: 'Stop',
  cleanup: 'SessionEnd',
};

function parse(input: HookInput, payload: Fields, readAction: Traits['readAction']): ParsedHook {
  const name = textOrNull(payload.hook_event_name) ?? EVENT_OF_COMMAND[input.command];
  // Some agents number their sessions.
  const session = typeof payload.session_id === 'number' ? String(payload.session_id) : text(payload.session_id);
  const cwd = text(payload.cwd);
  const error = name === 'PostToolUseFailure' ? (textOrNull(payload.error) ?? 'failed without a message') : null;
  const call = { tool: text(payload.tool_name), input: payload.tool_input, response: payload.tool_response, error, cwd };
  if (!session) return name === 'PreToolUse' ? { kind: 'ignored', reason: 'no-session' } : { kind: 'no-session', cwd };
  if (name === 'PreToolUse') {
    const action = readAction(call);
    // Only edits are asked about.
    if (action.type !== 'edit' || action.file === '') return { kind: 'ignored', reason: 'not-an-edit' };
    return { kind: 'before-edit', session, cwd, file: action.file };
  }
  // Compaction runs as a nameless subagent; its text arrives with PostCompact.
  if (name === 'SubagentStop' && !text(payload.agent_type)) return { kind: 'ignored', reason: 'compaction-subagent' };
  // A background agent that ends is announced as if the user had said so; its report arrives with SubagentStop.
  if (name === 'UserPromptSubmit' && isMadeByAgent(text(payload.prompt))) return { kind: 'ignored', reason: 'made-by-host' };
  const isTool = name === 'PostToolUse' || name === 'PostToolUseFailure';
  const body = isTool ? readTool(payload, call, readAction(call)) : readBody(name, payload, input.payload);
  const extra = body.kind === 'unknown' ? null : unknownFields(asRecord(input.payload));
  return {
    kind: 'event',
    transcript: textOrNull(payload.transcript_path),
    branch: textOrNull(payload.git_branch),
    event: {
      id: input.id,
      session,
      cwd,
      at: readTimestamp(payload.timestamp) ?? input.receivedAt,
      promptId: textOrNull(payload.prompt_id),
      agentId: textOrNull(payload.agent_id),
      ...body,
      ...(extra && { extra }),
    },
  };
}

const KNOWN_FIELDS = new Set(fieldTable.replaceAll(/^#.*$/gm, '').split(/\s+/));
const MOST_FIELDS = 20;
const LONGEST_FIELD = 4000;

/** What came with a later version of the agent, as it came; of what is long the name. Null: nothing. */
function unknownFields(payload: Fields): Fields | null {
  const unknown = Object.entries(payload).filter(([name]) => !KNOWN_FIELDS.has(name));
  if (unknown.length === 0) return null;
  const isShort = (value: unknown) => wholeText(value).length <= LONGEST_FIELD;
  return Object.fromEntries(unknown.slice(0, MOST_FIELDS).map(([name, value]) => [name, isShort(value) ? value : null]));
}

function readTool(payload: Fields, { tool, error }: ToolCall, action: Action): EventBody {
  return {
    kind: 'tool',
    tool,
    toolUseId: textOrNull(payload.tool_use_id),
    action,
    // What a command said before it failed stands in its error.
    error: error !== null && action.type === 'memory' ? 'failed' : error,
    durationMs: numberOrNull(payload.duration_ms),
    ...(payload.is_undone === true && { isUndone: true as const }),
  };
}

function readBody(name: string, payload: Fields, raw: unknown): EventBody {
  const message = text(payload.last_assistant_message);
  switch (name) {
    case 'SessionStart':
      return {
        kind: 'start',
        source: textOrNull(payload.source) ?? 'startup',
        secondsSinceLastResponse: numberOrNull(payload.seconds_since_last_response),
      };
    case 'UserPromptSubmit':
      return { kind: 'prompt', text: text(payload.prompt) };
    case 'SubagentStop':
      return { kind: 'subagent', agentType: text(payload.agent_type), message };
    case 'PostCompact':
      return { kind: 'compaction', summary: text(payload.compact_summary) };
    case 'Stop':
      return { kind: 'stop', message, ...(payload.is_interrupted === true && { isInterrupted: true as const }) };
    case SAID:
      return { kind: 'said', text: message };
    case 'SessionEnd':
      return { kind: 'end', reason: textOrNull(payload.reason) ?? 'other' };
    default:
      return { kind: 'unknown', name, raw };
  }
}

/** The year 2100: what lies beyond is no time of an event. */
const LATEST = 4_102_444_800_000;

function readTimestamp(value: unknown): number | null {
  const at = Math.trunc(typeof value === 'number' ? value : Date.parse(text(value)));
  return at > 0 && at < LATEST ? at : null;
}

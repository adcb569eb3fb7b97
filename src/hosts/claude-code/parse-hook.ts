// One Claude Code hook payload → one of our events.
import { z } from 'zod';
import type { HookCommand } from '../../core/envelope.ts';
import type { EventBody, SessionEvent } from '../../core/event.ts';
import type { HookInput, ParsedHook } from '../host.ts';
import { SAID } from '../transcript.ts';
import type { KnownEvent } from './event-names.ts';
import { isHostMade } from './host-made.ts';
import { readAction } from './read-action.ts';

export function parseHook(input: HookInput): ParsedHook {
  const parsed = Payload.safeParse(input.payload);
  if (!parsed.success) return { kind: 'ignored', reason: 'not-an-object' };
  const payload = parsed.data;
  const name = payload.hook_event_name ?? EVENT_OF_COMMAND[input.command];
  if (!payload.session_id && name === 'PreToolUse') return { kind: 'ignored', reason: 'no-session' };
  if (!payload.session_id) return { kind: 'no-session', cwd: payload.cwd };
  if (name === 'PreToolUse') return readQuestion(payload);
  // Compaction runs as a nameless subagent; its text arrives with PostCompact.
  if (name === 'SubagentStop' && payload.agent_type === '') return { kind: 'ignored', reason: 'compaction-subagent' };
  // A background agent that ends is announced as if the user had said so; its report arrives with SubagentStop.
  if (name === 'UserPromptSubmit' && isHostMade(payload.prompt)) return { kind: 'ignored', reason: 'made-by-host' };
  return {
    kind: 'event',
    transcript: payload.transcript_path,
    branch: payload.git_branch,
    event: {
      id: input.id,
      session: payload.session_id,
      cwd: payload.cwd,
      at: readTimestamp(payload.timestamp) ?? input.receivedAt,
      promptId: payload.prompt_id,
      agentId: payload.agent_id,
      ...readBody(name, payload, input.payload),
    } satisfies SessionEvent,
  };
}

/** Only edits are asked about. */
function readQuestion({ session_id: session, cwd, tool_name, tool_input }: Payload): ParsedHook {
  const action = readAction({ tool: tool_name, input: tool_input, response: null, error: null });
  if (action.type !== 'edit' || action.file === '') return { kind: 'ignored', reason: 'not-an-edit' };
  return { kind: 'before-edit', session, cwd, file: action.file };
}

const text = z.string().catch('');
const maybeText = z.string().nullable().catch(null);
const maybeNumber = z.number().nullable().catch(null);

const Payload = z.object({
  // Some hosts number their sessions.
  session_id: z.union([z.string(), z.number().transform(String)]).catch(''),
  cwd: text,
  hook_event_name: z.string().optional().catch(undefined),
  timestamp: z.union([z.string(), z.number()]).nullable().catch(null),
  prompt_id: maybeText,
  agent_id: maybeText,
  agent_type: text,
  source: z.string().catch('startup'),
  seconds_since_last_response: maybeNumber,
  prompt: text,
  tool_name: text,
  tool_input: z.unknown().optional(),
  tool_response: z.unknown().optional(),
  tool_use_id: maybeText,
  error: maybeText,
  duration_ms: maybeNumber,
  transcript_path: maybeText,
  // What follows is said by transcripts only.
  git_branch: maybeText,
  is_undone: z.boolean().catch(false),
  last_assistant_message: text,
  compact_summary: text,
  reason: z.string().catch('other'),
});
type Payload = z.infer<typeof Payload>;

const EVENT_OF_COMMAND: Record<HookCommand, KnownEvent> = {
  context: 'SessionStart',
  new: 'UserPromptSubmit',
  save: 'PostToolUse',
  summary: 'Stop',
  cleanup: 'SessionEnd',
};

function readBody(name: string, payload: Payload, raw: unknown): EventBody {
  switch (name) {
    case 'SessionStart':
      return {
        kind: 'start',
        source: payload.source,
        secondsSinceLastResponse: payload.seconds_since_last_response,
      };
    case 'UserPromptSubmit':
      return { kind: 'prompt', text: payload.prompt };
    case 'PostToolUse':
    case 'PostToolUseFailure':
      return readTool(payload, name === 'PostToolUseFailure');
    case 'SubagentStop':
      return { kind: 'subagent', agentType: payload.agent_type, message: payload.last_assistant_message };
    case 'PostCompact':
      return { kind: 'compaction', summary: payload.compact_summary };
    case 'Stop':
      return { kind: 'stop', message: payload.last_assistant_message };
    case SAID:
      return { kind: 'said', text: payload.last_assistant_message };
    case 'SessionEnd':
      return { kind: 'end', reason: payload.reason };
    default:
      return { kind: 'unknown', name, raw };
  }
}

function readTool(payload: Payload, failed: boolean): EventBody {
  const error = failed ? (payload.error ?? 'failed without a message') : null;
  const { tool_name: tool, tool_input: input, tool_response: response } = payload;
  const action = readAction({ tool, input, response, error });
  return {
    kind: 'tool',
    tool,
    toolUseId: payload.tool_use_id,
    action,
    // What a command said before it failed stands in its error.
    error: error !== null && action.type === 'memory' ? 'failed' : error,
    durationMs: payload.duration_ms,
    ...(payload.is_undone && { isUndone: true as const }),
  };
}

/** The year 2100: what lies beyond is no time of an event. */
const LATEST = 4_102_444_800_000;

function readTimestamp(value: string | number | null): number | null {
  if (value === null) return null;
  const at = Math.trunc(typeof value === 'number' ? value : Date.parse(value));
  return at > 0 && at < LATEST ? at : null;
}

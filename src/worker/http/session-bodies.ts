// The bodies of the session routes, in all spellings, and what each of them says happened.
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { AskError } from '../../core/ask-error.ts';
import type { HookCommand } from '../../core/envelope.ts';
import { readJson } from '../../hosts/json.ts';
import type { Said } from '../session-envelope.ts';

const Name = z.union([z.string().min(1).max(200), z.number()]).nullish();
const Short = z.string().max(4096).nullish();
const Words = z.string().nullish();
/** Some count from nought until there is a prompt. */
const PromptNumber = z.int().min(0).max(1_000_000).nullish();

export const WhoShape = { sessionId: Name, claudeSessionId: Name, session_id: Name };

const CommonShape = {
  cwd: Short,
  project: Short,
  host: z.enum(['claude-code', 'codex', 'gemini']).nullish(),
  promptNumber: PromptNumber,
  prompt_number: PromptNumber,
  prompt_id: Short,
  timestamp: z.union([z.string().max(100), z.number()]).nullish(),
};

export const InitShape = { ...CommonShape, userPrompt: Words, prompt: Words };

export const ObservationShape = {
  ...CommonShape,
  tool_name: z.string().min(1).max(200),
  tool_input: z.unknown().optional(),
  tool_response: z.unknown().optional(),
  tool_output: z.unknown().optional(),
  tool_use_id: Short,
  /** What a tool that failed said. */
  error: Words,
};

export const SummarizeShape = { ...CommonShape, last_assistant_message: Words, last_user_message: Words };

export const CompleteShape = { ...CommonShape, reason: Short };

type Read<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>;

export function readWho({ sessionId, claudeSessionId, session_id }: Read<typeof WhoShape>): string {
  const said = sessionId ?? claudeSessionId ?? session_id;
  if (said !== undefined && said !== null) return String(said);
  throw new AskError('invalid', 'sessionId is missing.', 'Also understood: claudeSessionId, session_id.');
}

/** Without a prompt a session only begins, or goes on. */
export function readInit(body: Read<typeof InitShape>): Said {
  const prompt = body.userPrompt ?? body.prompt;
  return typeof prompt === 'string' ? say('new', body, { prompt }) : say('context', body, {});
}

export function readObservation(body: Read<typeof ObservationShape>): Said {
  const { tool_name, error } = body;
  return say('save', body, {
    hook_event_name: error ? 'PostToolUseFailure' : 'PostToolUse',
    tool_name,
    tool_input: unwrapJson(body.tool_input),
    tool_response: unwrapJson(body.tool_response ?? body.tool_output),
    ...(body.tool_use_id && { tool_use_id: body.tool_use_id }),
    ...(error && { error }),
  });
}

/** What the user said last is known since it was said: it might have been private. */
export const readSummarize = (body: Read<typeof SummarizeShape>): Said =>
  say('summary', body, { last_assistant_message: body.last_assistant_message ?? '' });

export const readComplete = (body: Read<typeof CompleteShape>): Said =>
  say('cleanup', body, { reason: body.reason || 'other' });

function say(command: HookCommand, body: Read<typeof CommonShape>, fields: Said['fields']): Said {
  const { host, cwd, project, prompt_id, timestamp } = body;
  if (cwd && !isAbsolute(cwd)) throw new AskError('invalid', 'cwd is not an absolute path.', 'Give the whole path.');
  return {
    host: host ?? 'claude-code',
    command,
    cwd: cwd ?? '',
    project: project ?? '',
    promptNumber: body.promptNumber ?? body.prompt_number ?? null,
    fields: {
      ...fields,
      ...(prompt_id && { prompt_id }),
      ...(timestamp !== null && timestamp !== undefined && { timestamp }),
    },
  };
}

/** Tool data may come as JSON inside a string. Other text is as good: the tool simply said that. */
function unwrapJson(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const read = readJson(value);
  return typeof read === 'object' && read !== null ? read : value;
}

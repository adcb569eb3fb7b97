// The bodies of the session routes, in all spellings, and what each of them says happened.
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { AskError } from '../../../core/ask-error.ts';
import type { HookCommand } from '../../../core/envelope.ts';
import { stripPrivate } from '../../../core/privacy.ts';
import { readJson } from '../../../hosts/json.ts';
import { scrubSecrets } from '../../../secrets/scrub.ts';
import type { Said } from '../../intake/session-envelope.ts';

const Name = z.union([z.string().min(1).max(200), z.number()]).nullish();
const Short = z.string().max(4096).nullish();
const Words = z.string().nullish();
/** Some count from nought until there is a prompt. */
const PromptNumber = z.int().min(0).max(1_000_000).nullish();

export const WhoShape = {
  sessionId: Name.describe("The host's id of the session"),
  claudeSessionId: Name.describe('The same as sessionId'),
  session_id: Name.describe('The same as sessionId'),
};

const CommonShape = {
  cwd: Short.describe('The folder that the session works in, absolute'),
  project: Short.describe('Instead of a folder: the name of a project'),
  host: z.enum(['claude-code', 'codex', 'gemini']).nullish().describe('Whose words these are; else claude-code'),
  promptNumber: PromptNumber.describe('To which prompt of the session it belongs; else the latest'),
  prompt_number: PromptNumber.describe('The same as promptNumber'),
  prompt_id: Short.describe("The host's id of that prompt"),
  timestamp: z
    .union([z.string().max(100), z.number()])
    .nullish()
    .describe('When it happened; else now'),
};

export const InitShape = {
  ...CommonShape,
  userPrompt: Words.describe('What the user said; without it the session only begins, or goes on'),
  prompt: Words.describe('The same as userPrompt'),
};

export const ObservationShape = {
  ...CommonShape,
  tool_name: z.string().min(1).max(200).describe('Which tool was used'),
  tool_input: z.unknown().optional().describe('What it was given: an object, or JSON in a string'),
  tool_response: z.unknown().optional().describe('What it answered: an object, a text, or JSON in a string'),
  tool_output: z.unknown().optional().describe('The same as tool_response'),
  tool_use_id: Short.describe("The host's id of this use: told twice, it is kept once"),
  error: Words.describe('What a tool that failed said'),
};

export const SummarizeShape = {
  ...CommonShape,
  last_assistant_message: Words.describe('What the agent said in the end'),
  last_user_message: Words.describe('Passed over: it is known since it was said'),
};

export const CompleteShape = { ...CommonShape, reason: Short.describe('Why it ended') };

/** What was noted by hand, commits, and what nobody knew the session of are kept in sessions of these names. */
const OWN_SESSION = /^(claude-mem|git|unknown):/;

/** It says where things are kept, and so is kept before the rest is looked at. */
const makeClean = (text: string) => scrubSecrets(stripPrivate(text).text).text.trim();

type Read<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>;

export function readWho({ sessionId, claudeSessionId, session_id }: Read<typeof WhoShape>): string {
  const said = sessionId ?? claudeSessionId ?? session_id;
  const name = said === undefined || said === null ? '' : makeClean(String(said));
  if (OWN_SESSION.test(name))
    throw new AskError('conflict', 'Sessions of this name are our own.', "Give the host's id of the session.");
  if (name !== '') return name;
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
    project: makeClean(project ?? ''),
    promptNumber: body.promptNumber ?? body.prompt_number ?? null,
    fields: {
      ...fields,
      ...(prompt_id && { prompt_id }),
      ...(timestamp !== null && timestamp !== undefined && { timestamp }),
    },
  };
}

/** To parse more would keep hooks waiting. */
const MOST_UNWRAPPED = 256 * 1024;

/** Tool data may come as JSON inside a string. Other text is as good: the tool simply said that. */
function unwrapJson(value: unknown): unknown {
  if (typeof value !== 'string' || value.length > MOST_UNWRAPPED) return value;
  const read = readJson(value);
  return typeof read === 'object' && read !== null ? read : value;
}

// The lines that `claude` writes in its stream-json format: the parts of them that we read.
import { z } from 'zod';
import { MessagesUsage } from '../messages-usage.ts';

export type Line = z.infer<typeof Line>;
export type LineOf<Type extends Line['type']> = Extract<Line, { type: Type }>;

/** Null for what is not JSON (a warning of the runtime, or of a script around it) and for kinds we do not know. */
export function parseLine(line: string): Line | null {
  try {
    return Line.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}

const TurnUsage = MessagesUsage.optional().catch(undefined);

const ModelUsage = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadInputTokens: z.number().default(0),
  cacheCreationInputTokens: z.number().default(0),
});

const System = z.object({ type: z.literal('system'), subtype: z.string(), session_id: z.string().optional() });

const Control = z.object({
  type: z.literal('control_response'),
  response: z.object({ subtype: z.string(), request_id: z.string(), error: z.string().catch('') }),
});

const Assistant = z.object({
  type: z.literal('assistant'),
  error: z.string().nullish(),
  api_error_status: z.number().nullish(),
  message: z.object({
    id: z.string(),
    content: z.array(z.looseObject({ type: z.string(), text: z.string().catch('') })),
    usage: TurnUsage,
  }),
});

const RateLimit = z.object({
  type: z.literal('rate_limit_event'),
  rate_limit_info: z.object({ status: z.string(), resetsAt: z.number().nullish() }),
});

const Result = z.object({
  type: z.literal('result'),
  subtype: z.string(),
  is_error: z.boolean(),
  api_error_status: z.number().nullish(),
  stop_reason: z.string().nullish(),
  result: z.string().catch(''),
  errors: z.array(z.string()).catch([]),
  usage: TurnUsage,
  modelUsage: z.record(z.string(), ModelUsage).optional().catch(undefined),
});

const Line = z.discriminatedUnion('type', [System, Control, Assistant, RateLimit, Result]);

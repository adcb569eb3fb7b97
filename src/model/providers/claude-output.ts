// What a run of `claude` has told so far, line by line.

import { z } from 'zod';
import { NOTHING_USED, type Usage } from '../../core/models.ts';
import { firstWords } from '../../core/payload.ts';
import { parseJson } from '../../core/plain-json.ts';
import { wordTable } from '../../core/text.ts';
import { scrubSecrets } from '../../secrets/scrub.ts';
import { type Answer, checkAnswer, estimateUsage, ModelError, type ModelErrorKind, type Question } from './contract.ts';
import { clampUntil, kindOfStatus, MessagesUsage } from './http.ts';

export const INITIALIZE = 'initialize';

export const isReady = (line: Line): boolean => isAnswerToOurs(line) && line.response.subtype === 'success';

/** An error of claude or of the API, which looks like an answer otherwise. An older version does not know our request. */
export const isFailure = (line: Line): boolean =>
  line.type === 'assistant' ? Boolean(line.error) : isAnswerToOurs(line) && line.response.subtype !== 'success';

const ofType = <Type extends Line['type']>(lines: Line[], type: Type) => lines.filter((line): line is LineOf<Type> => line.type === type);

const isAnswerToOurs = (line: Line): line is LineOf<'control_response'> =>
  line.type === 'control_response' && line.response.request_id === INITIALIZE;

// The lines that `claude` writes in its stream-json format: the parts of them that we read.

export type Line = z.infer<typeof Line>;
type LineOf<Type extends Line['type']> = Extract<Line, { type: Type }>;

/** Null for what is not JSON (a warning of the runtime, or of a script around it) and for kinds we do not know. */
export const parseLine = (line: string): Line | null => Line.safeParse(parseJson(line)).data ?? null;

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

// What a run of `claude` came to: an answer, or an error with its kind.

/** The budget and the single turn are our own doing: an answer that meets them is a whole one. */
const OUR_LIMITS = ['error_max_budget_usd', 'error_max_turns'];
const CUT_OFF = ['max_tokens', 'model_context_window_exceeded'];

type Run = {
  question: Question;
  lines: Line[];
  /** What it said on stderr, in case it left without a result. */
  complaint: string;
  now: number;
};

/** Throws a ModelError when there is no answer in it. */
export function readOutcome({ question, lines, complaint, now }: Run): Answer {
  const result = ofType(lines, 'result').at(-1) ?? null;
  const { text, billed } = readAnswer(lines);
  const known = (result && sumUsage(result)) ?? billed;
  const usage = known ?? estimateUsage(question, text);
  if (ofType(lines, 'system').some(({ subtype }) => subtype.startsWith('model_refusal')))
    return checkAnswer({ text, isCutOff: false, usage }, 'refusal');
  const failure = findFailure(lines);
  if (failure !== null) throw errorOfFailure(failure, { resetsAt: readReset(lines), usage: known, now });
  if (result === null) throw errorOfSilence(complaint);
  const isBroken = OUR_LIMITS.includes(result.subtype) && result.stop_reason === null;
  if (isBroken) throw new ModelError('transient', 'The answer broke off on its way to claude.', { usage });
  const stopReason = result.stop_reason ?? 'no reason given';
  return checkAnswer({ text, isCutOff: CUT_OFF.includes(stopReason), usage }, stopReason);
}

/** The first answer of the model: should claude go on by itself, the others do not count. */
function readAnswer(lines: Line[]): { text: string; billed: Usage | null } {
  const said = ofType(lines, 'assistant').filter(({ error }) => !error);
  const first = said.filter(({ message }) => message.id === said[0]?.message.id).map(({ message }) => message);
  return { text: first.map(({ content }) => textOf(content)).join(''), billed: first.findLast(({ usage }) => usage)?.usage ?? null };
}

const textOf = (content: { type: string; text: string }[]) => content.map(({ type, text }) => (type === 'text' ? text : '')).join('');

/** Counted by model, also where the total is left at zero. */
function sumUsage({ modelUsage, usage }: LineOf<'result'>): Usage | null {
  const counts = Object.values(modelUsage ?? {});
  if (counts.length === 0) return usage && usage.inputTokens + usage.outputTokens > 0 ? usage : null;
  const sum = (pick: (count: (typeof counts)[number]) => number) => counts.reduce((all, one) => all + pick(one), 0);
  return {
    inputTokens: sum((count) => count.inputTokens + count.cacheCreationInputTokens),
    cachedTokens: sum((count) => count.cacheReadInputTokens),
    outputTokens: sum((count) => count.outputTokens),
  };
}

/** Epoch seconds, when the limit of the account is reached. */
const readReset = (lines: Line[]): number | null =>
  ofType(lines, 'rate_limit_event').findLast(({ rate_limit_info: info }) => info.status === 'rejected' && info.resetsAt != null)
    ?.rate_limit_info.resetsAt ?? null;

type Failure = { code: string; status: number | null; text: string };

function findFailure(lines: Line[]): Failure | null {
  const failed = lines.findLast(isFailure);
  if (failed?.type === 'assistant')
    return { code: failed.error ?? '', status: failed.api_error_status ?? null, text: textOf(failed.message.content) };
  if (failed?.type === 'control_response') return { code: 'instructions_refused', status: null, text: failed.response.error };
  const result = ofType(lines, 'result').at(-1);
  if (!result?.is_error || OUR_LIMITS.includes(result.subtype)) return null;
  return { code: result.subtype, status: result.api_error_status ?? null, text: result.result || result.errors.join('; ') };
}

type Spent = { resetsAt: number | null; usage: Usage | null; now: number };

function errorOfFailure(failure: Failure, { resetsAt, usage, now }: Spent): ModelError {
  const kind = resetsAt === null ? kindOfFailure(failure) : 'rate-limited';
  const until = resetsAt === null ? null : clampUntil(resetsAt * 1000, now);
  const refused = failure.status === null && kind === 'transient' ? null : NOTHING_USED;
  return new ModelError(kind, `claude says: ${shorten(failure.text)}`, { until, usage: usage ?? refused });
}

/** By its own word for the error first: an empty account comes as 400. */
function kindOfFailure({ code, status, text }: Failure): ModelErrorKind {
  const known = KIND_OF_CODE[code];
  if (known !== undefined) return known;
  if (status !== null) return kindOfStatus(status);
  return KIND_OF_WORDS.find(([words]) => words.test(text))?.[1] ?? 'transient';
}

const KIND_OF_CODE = wordTable<ModelErrorKind>({
  authentication_failed: 'auth',
  billing_error: 'auth',
  rate_limit: 'rate-limited',
  invalid_request: 'unrecoverable',
  model_not_found: 'unrecoverable',
  instructions_refused: 'auth',
});

/** For versions that say it in words only. */
const KIND_OF_WORDS: [RegExp, ModelErrorKind][] = [
  [/\/login|invalid api key|credit balance/i, 'auth'],
  [/usage limit|hit your .*limit/i, 'rate-limited'],
  [/prompt is too long/i, 'unrecoverable'],
];

function errorOfSilence(complaint: string): ModelError {
  const isTooOld = /unknown option/i.test(complaint);
  if (isTooOld) return new ModelError('auth', `This claude is too old; update it. It says: ${shorten(complaint)}`);
  return new ModelError('transient', `claude left without an answer: ${shorten(complaint) || 'it said nothing'}`);
}

const shorten = (text: string): string => firstWords(scrubSecrets(text.replace(/\s+/g, ' ').trim()).text, 200);

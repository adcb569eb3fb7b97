// What a run of `claude` came to: an answer, or an error with its kind.

import { firstWords } from '../../core/cut.ts';
import { NOTHING_USED } from '../../core/usage.ts';
import { wordTable } from '../../core/word-table.ts';
import { scrubSecrets } from '../../secrets/scrub.ts';
import { checkAnswer } from '../check-answer.ts';
import { estimateUsage } from '../estimate-usage.ts';
import { kindOfStatus } from '../http-errors.ts';
import type { Answer, Question } from '../model.ts';
import { ModelError, type ModelErrorKind } from '../model-error.ts';
import { clampUntil } from '../retry-after.ts';
import type { Failure, Reading } from './reading.ts';

/** The budget and the single turn are our own doing: an answer that meets them is a whole one. */
const OUR_LIMITS = ['error_max_budget_usd', 'error_max_turns'];
const CUT_OFF = ['max_tokens', 'model_context_window_exceeded'];

export type Run = {
  question: Question;
  reading: Reading;
  /** What it said on stderr, in case it left without a result. */
  complaint: string;
  now: number;
};

/** Throws a ModelError when there is no answer in it. */
export function readOutcome({ question, reading, complaint, now }: Run): Answer {
  const { result, text, isRefused } = reading;
  const usage = reading.usage ?? estimateUsage(question, text);
  if (isRefused) return checkAnswer({ text, isCutOff: false, usage }, 'refusal');
  const failure = reading.failure ?? failureOfResult(result);
  if (failure !== null) throw errorOfFailure(failure, reading, now);
  if (result === null) throw errorOfSilence(complaint);
  const isBroken = OUR_LIMITS.includes(result.subtype) && result.stop_reason === null;
  if (isBroken) throw new ModelError('transient', 'The answer broke off on its way to claude.', { usage });
  const stopReason = result.stop_reason ?? 'no reason given';
  return checkAnswer({ text, isCutOff: CUT_OFF.includes(stopReason), usage }, stopReason);
}

function failureOfResult(result: Reading['result']): Failure | null {
  if (result === null || !result.is_error || OUR_LIMITS.includes(result.subtype)) return null;
  const text = result.result || result.errors.join('; ');
  return { code: result.subtype, status: result.api_error_status ?? null, text };
}

function errorOfFailure(failure: Failure, { resetsAt, usage }: Reading, now: number): ModelError {
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

function shorten(text: string): string {
  return firstWords(scrubSecrets(text.replace(/\s+/g, ' ').trim()).text, 200);
}

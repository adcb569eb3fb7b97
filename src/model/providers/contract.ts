// What we ask of a model. Every provider is one such function and passes the one contract suite.

import type { Usage } from '../../core/models.ts';
import { estimateTokens } from '../../core/text.ts';

export type Question = {
  /** The instructions: the same bytes for every batch of a mode, so that a provider can cache them. */
  instructions: string;
  /** The batch. Never interpreted: `@path` and `/command` in it are text. */
  prompt: string;
  maxOutputTokens: number;
  deadlineMs: number;
  /** Ends the call early; it then rejects as transient. */
  signal?: AbortSignal;
  /** Called at most once for each thing a provider learns about its own run, before the answer. */
  onRun?: (run: ModelRun) => void;
};

/** A provider that runs a program says which session and process are ours, so that nothing is captured or left over. */
type ModelRun = { hostSessionId: string } | { pid: number; mark: string };

/** Marks our own runs: hooks that see it capture nothing, and a leftover child is known by its value. */
export const OBSERVER_VARIABLE = 'CLAUDE_MEM_OBSERVER';

export type Answer = {
  /** Not empty, at most MAX_ANSWER_CHARS. */
  text: string;
  /** It ended because maxOutputTokens was reached: what is readable still counts. */
  isCutOff: boolean;
  usage: Usage;
};

/**
 * One question, one answer, one request to the model: no retry, no history, no tools offered, no thinking.
 * Settles within deadlineMs plus two seconds, with nothing left running. Rejects only with a ModelError.
 */
export type AskModel = (question: Question) => Promise<Answer>;

/** An answer to our prompts has a few thousand characters; one of so many is a fault. */
const MAX_ANSWER_CHARS = 256 * 1024;

// What can go wrong with a model, by what it means for whoever asked.

/**
 * transient: try again later (5xx, 529, no connection, deadline, cut-off stream, empty or foreign body).
 * rate-limited: not before `until`. auth: stop calling until the settings change. unrecoverable: this very request will never
 * pass (400, 404, 413). bad-answer: an answer came, but not one to read (no text, a tool call only, far too long).
 */
export type ModelErrorKind = 'transient' | 'rate-limited' | 'auth' | 'unrecoverable' | 'bad-answer';

type Details = { until?: number | null; usage?: Usage | null; cause?: unknown };

export class ModelError extends Error {
  readonly kind: ModelErrorKind;
  /** Epoch ms, for rate-limited when the provider said so. */
  readonly until: number | null;
  /** What was spent on it, when that is known; a refused request costs nothing. Null: it may have been worked on. */
  readonly usage: Usage | null;

  constructor(kind: ModelErrorKind, message: string, { until = null, usage = null, cause }: Details = {}) {
    super(message, { cause });
    this.name = 'ModelError';
    this.kind = kind;
    this.until = until;
    this.usage = usage;
  }
}

// What every answer must be before it leaves a provider: some text, and not a flood of it.

export function checkAnswer(answer: Answer, stopReason: string): Answer {
  const { text, usage } = answer;
  if (text.trim() === '') throw new ModelError('bad-answer', `The answer has no text (${stopReason}).`, { usage });
  if (text.length > MAX_ANSWER_CHARS) {
    throw new ModelError('bad-answer', `The answer has ${text.length} characters, far too many.`, { usage });
  }
  return answer;
}

// What a call has cost, when nobody counted.

export function estimateUsage({ instructions, prompt }: Question, text: string): Usage {
  const inputTokens = estimateTokens(instructions) + estimateTokens(prompt);
  return { inputTokens, cachedTokens: 0, outputTokens: estimateTokens(text) };
}

// The one clock of a call: from the first byte out to the last byte in.

export const endOf = ({ deadlineMs, signal }: Question): AbortSignal =>
  AbortSignal.any([AbortSignal.timeout(deadlineMs), ...(signal ? [signal] : [])]);

export const endedEarly = ({ deadlineMs, signal }: Question): ModelError =>
  new ModelError('transient', signal?.aborted ? 'The call was ended before the answer came.' : `No answer came within ${deadlineMs} ms.`);

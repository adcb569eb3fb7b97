// What we ask of a model. Every provider is one such function and passes the one contract suite.
import type { Usage } from '../core/usage.ts';

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
export type ModelRun = { hostSessionId: string } | { pid: number; mark: string };

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
export const MAX_ANSWER_CHARS = 256 * 1024;

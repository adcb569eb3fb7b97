// What a model is asked: fixed instructions, and a batch as one or more parts. Stateless: each part says all it needs.
import type { Batch } from '../core/batch.ts';
import type { SessionEvent } from '../core/event.ts';
import { oneLine } from './condense/words.ts';
import type { Mode } from './modes.ts';
import { encodeWithin } from './prompt/encode-within.ts';
import { renderInstructions } from './prompt/instructions.ts';
import { renderParts } from './prompt/parts.ts';
import { renderShrunk } from './prompt/shrunk.ts';

export type PromptInput = {
  batch: Batch;
  /** Titles of the observations already recorded in this session, oldest first. */
  recorded: string[];
  /** The user's prompts of earlier turns of the session, oldest first. */
  earlierPrompts: string[];
  /** The agent's closing message of the turn before: an answer like "the second one" needs it. */
  previousMessage: string | null;
};

export type PromptOptions = {
  mode: Mode;
  verbosity: 'minimal' | 'normal' | 'verbose';
  /** By its English name; null leaves it to the mode, then to the user's prompts. */
  language: string | null;
};

export type PromptPart = {
  text: string;
  /** Number n in the text is events[n-1]. */
  events: SessionEvent[];
  asksForSummary: boolean;
};

/** A part is never longer: some 10,000 tokens. */
export const MAX_PROMPT_CHARS = 40_000;
const MAX_SHRUNK_CHARS = 12_000;

/** The same bytes for the same options, so that a provider can cache them. */
export function writeInstructions(options: PromptOptions): string {
  return renderInstructions(options);
}

/** At least one part; only the last asks for a summary, and only when the turn ended. The same batch gives the same parts. */
export function writeParts(input: PromptInput, options: PromptOptions & { isShrunk: boolean }): PromptPart[] {
  if (options.isShrunk) return [renderShrunk(input, options, MAX_SHRUNK_CHARS)];
  return renderParts(input, options, MAX_PROMPT_CHARS);
}

/** The same once more, with what was wrong with the answer. */
export function writeRepair(part: PromptPart, unreadable: string): string {
  const quoted = encodeWithin((max) => oneLine(unreadable, max), 300);
  const began = quoted === '' ? '' : ` It began:\n<last_answer>\n${quoted}\n</last_answer>`;
  return `${part.text}

Your last answer could not be read, as it was not in the form asked for.${began}
Only XML in the form of the instructions counts, from the first character to the last.`;
}

// What a call has cost, when nobody counted.
import { estimateTokens } from '../core/tokens.ts';
import type { Usage } from '../core/usage.ts';
import type { Question } from './model.ts';

export function estimateUsage({ instructions, prompt }: Question, text: string): Usage {
  const inputTokens = estimateTokens(instructions) + estimateTokens(prompt);
  return { inputTokens, cachedTokens: 0, outputTokens: estimateTokens(text) };
}

// How Anthropic's Messages API counts tokens, in our words. What goes into its cache is billed as input.
import { z } from 'zod';

export const MessagesUsage = z
  .object({
    input_tokens: z.number(),
    cache_creation_input_tokens: z.number().nullish(),
    cache_read_input_tokens: z.number().nullish(),
    output_tokens: z.number(),
  })
  .transform((usage) => ({
    inputTokens: usage.input_tokens + (usage.cache_creation_input_tokens ?? 0),
    cachedTokens: usage.cache_read_input_tokens ?? 0,
    outputTokens: usage.output_tokens,
  }));

// What was spent on a model.

/** Tokens as the provider bills them. `cachedTokens` were read from its cache and are not part of `inputTokens`. */
export type Usage = { inputTokens: number; cachedTokens: number; outputTokens: number };

/** A request that was refused or never got there. */
export const NOTHING_USED: Usage = { inputTokens: 0, cachedTokens: 0, outputTokens: 0 };

export type Spent = { tokens: number; calls: number };

// How long to wait after a failure of the model. Pure: what to do meanwhile is the caller's business.

type Wait = {
  baseMs: number;
  /** From 0 up to 1, as Math.random: waits of many workers must not fall together. */
  random: () => number;
};

const LONGEST_RETRY = 60;
const LONGEST_RATE_LIMIT = 120;
const JITTER = 0.2;

/** After so many failures in a row (the first is 1): base, then ten times base, a fifth more or less; at most 60 times base. */
export function retryDelayMs({ failures, baseMs, random }: Wait & { failures: number }): number {
  return baseMs * withJitter(10 ** (failures - 1), LONGEST_RETRY, random);
}

/** After so many rate limits in a row whose end is not known: twice base, doubled each time; at most 120 times base. */
export function rateLimitDelayMs({ times, baseMs, random }: Wait & { times: number }): number {
  return baseMs * withJitter(2 ** times, LONGEST_RATE_LIMIT, random);
}

/** The cap comes before the jitter too: else all who reached it would wait equally long. */
function withJitter(factor: number, longest: number, random: () => number): number {
  return Math.min(Math.min(factor, longest) * (1 - JITTER + 2 * JITTER * random()), longest);
}

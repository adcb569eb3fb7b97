// The hard budget: what may still be asked today and for one session.
import type { Spent } from '../core/usage.ts';

export type Budget = { dailyTokens: number; dailyCalls: number; sessionTokens: number; sessionCalls: number };
export type Spending = { today: Spent; session: Spent /** What the next call may cost at most. */; costTokens: number };

/** The limit that the next call would pass, in words; null when it may be made. */
export function findExhausted({ today, session, costTokens }: Spending, budget: Budget): string | null {
  if (today.tokens + costTokens > budget.dailyTokens)
    return `the budget of ${budget.dailyTokens} tokens a day has not enough left for a question`;
  if (today.calls + 1 > budget.dailyCalls) return `the budget of ${budget.dailyCalls} calls a day is used up`;
  if (session.tokens + costTokens > budget.sessionTokens)
    return `the budget of ${budget.sessionTokens} tokens a session has not enough left for a question`;
  if (session.calls + 1 > budget.sessionCalls) return `the budget of ${budget.sessionCalls} calls a session is used up`;
  return null;
}

/** Days are the user's: from midnight to midnight where they are. */
export function startOfDay(now: number): number {
  const date = new Date(now);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

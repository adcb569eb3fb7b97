// What telling a memory costs, near enough to choose by: the page is measured once it is laid out.
import { estimateTokens } from '../core/tokens.ts';
import type { Observation } from '../store/memories/observations.ts';

/** `#123456 2026-01-02 10:30 discovery`, the state behind the title, and the break. */
const AROUND_A_TITLE = 16;
/** The date and the file above a line of the index, in the mean. */
const ABOVE_A_LINE = 4;
const AROUND_A_TEXT = 2;

export const lineCost = ({ title }: Observation) => tokensOf(title, 160) + AROUND_A_TITLE + ABOVE_A_LINE;

export function fullCost({ title, subtitle, narrative, facts, filesModified, filesRead }: Observation): number {
  const files = filesModified.length > 0 ? filesModified : filesRead;
  const texts = [
    tokensOf(narrative ?? subtitle, 400),
    ...facts.slice(0, 5).map((fact) => tokensOf(fact, 240)),
    tokensOf(files.slice(0, 8).join(', '), 300),
  ];
  const below = texts.reduce((sum, tokens) => sum + (tokens > 0 ? tokens + AROUND_A_TEXT : 0), 0);
  return tokensOf(title, 160) + AROUND_A_TITLE + below;
}

const tokensOf = (text: string | null, most: number) => (text ? estimateTokens(text.slice(0, most)) : 0);

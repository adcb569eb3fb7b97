// The models of Claude by their short names: what the API calls them and what they cost. The one place that holds a price.

type ClaudeModel = {
  /** As the API knows it; `claude` knows the short name itself. */
  id: string;
  /** List prices in US dollars for a million tokens. */
  input: number;
  output: number;
};

export const CLAUDE_MODELS: Record<string, ClaudeModel> = {
  sonnet: { id: 'claude-sonnet-4-5', input: 3, output: 15 },
  haiku: { id: 'claude-haiku-4-5', input: 1, output: 5 },
  opus: { id: 'claude-opus-4-5', input: 5, output: 25 },
};

export const DEFAULT_MODEL = 'sonnet';

export const apiName = (model: string): string => CLAUDE_MODELS[model]?.id ?? model;

/** By a short name, by its own, or as a cloud knows it: `eu.anthropic.claude-…`, `arn:…`. */
export const isClaudeModel = (model: string): boolean =>
  Object.hasOwn(CLAUDE_MODELS, model) ||
  model === 'default' ||
  /^(?:[\w.-]+\.)?claude-[\w.@:-]+$|^arn:\S+$/.test(model);

/** Turns of a full day, within the budget of a day. */
export const DAY_TURNS = 30;
/** Of one turn: the question as `npm run bench -- --only model` measures it, and an answer of two observations and a summary. */
export const TURN_TOKENS = { input: 4900, output: 800 };

/** In dollars; null for a model whose price is not known here. An estimate: turns differ, and a subscription is not billed by the token. */
export function priceOfDay(model: string): string | null {
  const known = Object.entries(CLAUDE_MODELS).find(([name, { id }]) => name === model || id === model)?.[1];
  if (!known) return null;
  const dollars = (DAY_TURNS * (TURN_TOKENS.input * known.input + TURN_TOKENS.output * known.output)) / 1_000_000;
  return `$${dollars.toFixed(2)}`;
}

/** "sonnet about $0.80 a day, haiku $0.27", for whoever chooses. */
export const tellPrices = (): string =>
  `sonnet about ${priceOfDay('sonnet')} a day of ${DAY_TURNS} turns, haiku ${priceOfDay('haiku')}; estimates at list prices`;

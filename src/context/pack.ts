// Fills a budget with what is worth most for each token: a knapsack, filled greedily, the same for the same input.

/** One thing that can be told in a line, or in full instead. */
export type Item = {
  id: string;
  value: number;
  /** What its line costs; null when it cannot be told in a line. */
  lineTokens: number | null;
  /** What all of it costs, in the place of the line; null when it cannot be told in full. */
  fullTokens: number | null;
  /** Where it comes from: no source may take the page for itself. */
  source: string;
  /** Whether the limits of how many hold for it. */
  isCounted: boolean;
};

export type Limits = {
  tokens: number;
  /** How many in all, and how many of them in full. */
  most: number;
  mostFull: number;
  mostOfSource: number;
};

export type Packed = Map<string, 'line' | 'full'>;

/** A line says that something is known; the rest of it is worth the rest. */
const LINE_SHARE = 0.4;

type Move = { item: Item; to: 'line' | 'full'; tokens: number; density: number };

export function pack(items: Item[], limits: Limits): { packed: Packed; tokens: number } {
  const moves = items.flatMap(listMoves).sort((one, other) => other.density - one.density);
  const state: State = { packed: new Map(), tokens: 0, counted: 0, full: 0, bySource: new Map() };
  // Those over the quota of their source come only where room is left.
  for (const mostOfSource of [limits.mostOfSource, Number.POSITIVE_INFINITY])
    for (const move of moves) make(move, state, { ...limits, mostOfSource });
  return { packed: state.packed, tokens: state.tokens };
}

function listMoves(item: Item): Move[] {
  const { value, lineTokens, fullTokens } = item;
  if (lineTokens === null) {
    return fullTokens === null ? [] : [{ item, to: 'full', tokens: fullTokens, density: value / fullTokens }];
  }
  const line: Move = { item, to: 'line', tokens: lineTokens, density: (LINE_SHARE * value) / lineTokens };
  if (fullTokens === null) return [line];
  const more = Math.max(1, fullTokens - lineTokens);
  // Never before its line: what is told in full is told in the line's place.
  const density = Math.min(line.density, ((1 - LINE_SHARE) * value) / more);
  return [line, { item, to: 'full', tokens: more, density }];
}

type State = { packed: Packed; tokens: number; counted: number; full: number; bySource: Map<string, number> };

function make({ item, to, tokens }: Move, state: State, limits: Limits): void {
  const isUpgrade = to === 'full' && item.lineTokens !== null;
  const before = state.packed.get(item.id);
  if (before !== (isUpgrade ? 'line' : undefined) || state.tokens + tokens > limits.tokens) return;
  if (item.isCounted && !isAllowed(item, { to, isUpgrade }, state, limits)) return;
  state.packed.set(item.id, to);
  state.tokens += tokens;
  if (!item.isCounted) return;
  if (to === 'full') state.full++;
  if (isUpgrade) return;
  state.counted++;
  state.bySource.set(item.source, (state.bySource.get(item.source) ?? 0) + 1);
}

function isAllowed(
  { source }: Item,
  { to, isUpgrade }: { to: Move['to']; isUpgrade: boolean },
  { full, counted, bySource }: State,
  { most, mostFull, mostOfSource }: Limits,
): boolean {
  if (to === 'full' && full >= mostFull) return false;
  return isUpgrade || (counted < most && (bySource.get(source) ?? 0) < mostOfSource);
}

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
  /** How many as a line, and how many in full. */
  mostLines: number;
  mostFull: number;
  mostOfSource: number;
};

export type Packed = Map<string, 'line' | 'full'>;

/** A line says that something is known; the rest of it is worth the rest. */
const LINE_SHARE = 0.4;
/** A memory with hardly more to it than its line is cheap in full, and says hardly more: no reason to take the place of one that does. */
const LEAST_MORE = 25;

type Move = { item: Item; to: 'line' | 'full'; density: number };

export function pack(items: Item[], limits: Limits): Packed {
  const moves = items.flatMap(listMoves).sort((one, other) => other.density - one.density);
  const state: State = { packed: new Map(), tokens: 0, lines: 0, full: 0, bySource: new Map() };
  // Those over the quota of their source come only where room is left.
  for (const mostOfSource of [limits.mostOfSource, Number.POSITIVE_INFINITY])
    for (const move of moves) make(move, state, { ...limits, mostOfSource });
  return state.packed;
}

function listMoves(item: Item): Move[] {
  const { value, lineTokens, fullTokens } = item;
  const line: Move[] = lineTokens === null ? [] : [{ item, to: 'line', density: (LINE_SHARE * value) / lineTokens }];
  if (fullTokens === null) return line;
  const [worth, more] = lineTokens === null ? [value, fullTokens] : [(1 - LINE_SHARE) * value, fullTokens - lineTokens];
  // Never before its line: what is told in full is told in the line's place.
  const density = Math.min(line[0]?.density ?? Number.POSITIVE_INFINITY, worth / Math.max(LEAST_MORE, more));
  return [...line, { item, to: 'full', density }];
}

type State = { packed: Packed; tokens: number; lines: number; full: number; bySource: Map<string, number> };

function make({ item, to }: Move, state: State, { tokens, mostLines, mostFull, mostOfSource }: Limits): void {
  const before = state.packed.get(item.id);
  if (before === 'full' || before === to) return;
  const isUpgrade = before === 'line';
  const [line, full] = [item.lineTokens ?? 0, item.fullTokens ?? 0];
  // Where no more lines are wanted it may still be told in full.
  const cost = to === 'line' ? line : full - (isUpgrade ? line : 0);
  const ofSource = state.bySource.get(item.source) ?? 0;
  const isFull = (to === 'full' ? state.full >= mostFull : state.lines >= mostLines) || (!isUpgrade && ofSource >= mostOfSource);
  if (state.tokens + cost > tokens || (item.isCounted && isFull)) return;
  state.packed.set(item.id, to);
  state.tokens += cost;
  if (!item.isCounted) return;
  if (to === 'full') state.full++;
  else state.lines++;
  if (isUpgrade) state.lines--;
  else state.bySource.set(item.source, ofSource + 1);
}

// Fills a budget with what tells most that is new for each token: a knapsack, filled greedily, the same for the same input.
import { countNews, type Part } from './sentences.ts';

/** One thing that can be told: its head, and as many of its sentences as are worth it. */
export type Item = {
  id: string;
  /** Of each new word. */
  value: number;
  /** Of its head, whatever words that has. */
  bonus: number;
  head: Part;
  /** Asked for once its head is told. */
  sentences: () => Part[];
  /** Told only below this one, and with it. */
  under: string | null;
  /** Where it comes from: no source may take the page for itself. */
  source: string;
  /** Whether the limits of how many hold for it. */
  isCounted: boolean;
};

export type Limits = {
  tokens: number;
  /** How many by their heads alone, and how many with more. */
  mostLines: number;
  mostFull: number;
  mostOfSource: number;
  /** Words that are told already. */
  known: readonly string[];
};

/** By id: which of its sentences. */
export type Packed = Map<string, Set<number>>;

/** The next of a memory's sentences is worth less than the one before. */
const NEXT_SENTENCE = 0.85;
/** Of a word of a head that was told before: it says something else now. */
const TOLD_WORTH = 0.2;

/** `part`: the head, or this sentence. */
type Move = { item: Item; sentence: number | null; part: Part; density: number };
type State = {
  packed: Packed;
  known: Set<string>;
  parts: ReadonlySet<string>[];
  tokens: number;
  lines: Set<string>;
  full: number;
  bySource: Map<string, number>;
};

export function pack(items: Item[], limits: Limits): Packed {
  const state: State = {
    packed: new Map(),
    known: new Set(limits.known),
    parts: [],
    tokens: 0,
    lines: new Set(),
    full: 0,
    bySource: new Map(),
  };
  const below = Map.groupBy(items, ({ under }) => under);
  const queue = createQueue();
  const later: Item[] = [];
  const offer = (item: Item, sentence: number | null, part: Part) =>
    queue.add({ item, sentence, part, density: densityOf(state, { item, sentence, part }) });
  const run = (mostOfSource: number) => {
    for (let move = queue.take(); move; move = queue.take()) {
      const { item, sentence } = move;
      const density = densityOf(state, move);
      // What was told since tells some of it.
      if (density < queue.best()) queue.add({ ...move, density });
      else if (density === 0) continue;
      else if (sentence === null && item.isCounted && (state.bySource.get(item.source) ?? 0) >= mostOfSource) later.push(item);
      else if (make(move, state, limits) && sentence === null) {
        for (const one of below.get(item.id) ?? []) offer(one, null, one.head);
        for (const [at, part] of item.sentences().entries()) offer(item, at, part);
      }
    }
  };
  for (const item of below.get(null) ?? []) offer(item, null, item.head);
  run(limits.mostOfSource);
  // Those over the quota of their source come only where room is left.
  for (const item of later.splice(0)) offer(item, null, item.head);
  run(Number.POSITIVE_INFINITY);
  return state.packed;
}

/** Of those of one density the first that was added is taken first. */
function createQueue() {
  const moves: Move[] = [];
  return {
    add: (move: Move) => {
      let [low, high] = [0, moves.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((moves[middle]?.density ?? 0) < move.density) low = middle + 1;
        else high = middle;
      }
      moves.splice(low, 0, move);
    },
    take: () => moves.pop(),
    best: () => moves.at(-1)?.density ?? 0,
  };
}

function densityOf({ known, packed, parts }: State, { item, sentence, part }: Omit<Move, 'density'>): number {
  const { words, tokens } = part;
  const news = item.value * countNews(words, known);
  if (sentence !== null) return (news * NEXT_SENTENCE ** (packed.get(item.id)?.size ?? 0)) / tokens;
  // Words that were told, in another connection; nothing where one part has told all of them.
  const isTold = news === 0 && parts.some((told) => words.every((word) => told.has(word)));
  const again = isTold ? 0 : item.value * TOLD_WORTH * words.length;
  return (Math.max(news, again) + item.bonus) / tokens;
}

function make({ item, sentence, part }: Move, state: State, { tokens, mostLines, mostFull }: Limits): boolean {
  const { packed, bySource } = state;
  const told = packed.get(item.id);
  if (state.tokens + part.tokens > tokens) return false;
  if (item.isCounted && item.under === null) {
    const isLine = state.lines.has(item.id);
    const mayBeFull = state.full < mostFull;
    if (sentence === null) {
      if (state.lines.size >= mostLines && !mayBeFull) return false;
      if (state.lines.size < mostLines) state.lines.add(item.id);
      else state.full++;
      bySource.set(item.source, (bySource.get(item.source) ?? 0) + 1);
    } else if (isLine) {
      if (!mayBeFull) return false;
      state.lines.delete(item.id);
      state.full++;
    }
  }
  state.tokens += part.tokens;
  state.parts.push(new Set(part.words));
  for (const word of part.words) state.known.add(word);
  packed.set(item.id, sentence === null ? new Set() : (told ?? new Set()).add(sentence));
  return true;
}

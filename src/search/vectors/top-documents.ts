// The documents with the best scores; of a document with several parts the best part counts.

export type ScoredDocument = {
  document: number;
  /** The cosine of query and document, 0 to 1. */
  score: number;
};

export type ScoredRows = {
  /** Rows of one document stand together. */
  documentAt: (row: number) => number;
  scores: Float32Array;
  count: number;
  isWanted?: (document: number) => boolean;
};

/** Best first; of two alike the one that was met first. A score of 0 is not a find. */
export function topDocuments({ documentAt, scores, count, isWanted }: ScoredRows, limit: number): ScoredDocument[] {
  const top: ScoredDocument[] = [];
  let floor = 0;
  let row = 0;
  while (row < count && limit > 0) {
    const document = documentAt(row);
    let score = 0;
    do score = Math.max(score, scores[row++] ?? 0);
    while (row < count && documentAt(row) === document);
    if (score <= floor || isWanted?.(document) === false) continue;
    insert(top, { document, score });
    if (top.length > limit) top.pop();
    if (top.length === limit) floor = top.at(-1)?.score ?? 0;
  }
  return top;
}

function insert(top: ScoredDocument[], found: ScoredDocument): void {
  let [low, high] = [0, top.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((top[middle]?.score ?? 0) >= found.score) low = middle + 1;
    else high = middle;
  }
  top.splice(low, 0, found);
}

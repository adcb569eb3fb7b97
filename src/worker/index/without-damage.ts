// Searching an index that may turn out to be damaged.
import type { VectorIndex } from '../../search/vectors/vector-index.ts';
import { isDamage } from '../../store/index/index-db.ts';

/** Whoever searches a damaged index finds nothing in it; meanwhile it is made anew. */
export function withoutDamage(index: VectorIndex, onDamage: (error: unknown) => void): VectorIndex {
  const recover = <Result>(error: unknown, nothing: Result): Result => {
    if (!isDamage(error)) throw error;
    onDamage(error);
    return nothing;
  };
  return {
    ...index,
    search: (query, options) => index.search(query, options).catch((error) => recover(error, [])),
    scores(query, documents) {
      try {
        return index.scores(query, documents);
      } catch (error) {
        return recover(error, new Map());
      }
    },
  };
}

// The one memory that answers a query best, or none.
import type { MemoryRef } from '../core/memory.ts';
import type { Filters } from './filters.ts';
import type { Finder } from './find.ts';
import { onlyRelevant } from './relevance.ts';

export async function findBest(finder: Finder, query: string, filters: Filters): Promise<MemoryRef | null> {
  const best = onlyRelevant(await finder.find(query, filters))[0]?.candidate;
  return best ? { kind: best.kind, id: best.ref } : null;
}

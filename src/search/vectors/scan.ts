// What the two ways of searching an index in memory have in common.
import type { Accept } from './accept.ts';
import type { ScoredDocument } from './top-documents.ts';

export type SearchOptions = {
  limit: number;
  /** Only these documents; all of them when it is left out. */
  accept?: Accept | undefined;
};

export type Scan = {
  /** The table of index.db whose bytes its rows are. */
  table: 'vectors' | 'signs';
  /** False when there is no room for it. */
  append: (document: number, part: number, bytes: Uint8Array) => boolean;
  remove: (document: number) => void;
  /** Rows in memory, removed ones included. */
  count: () => number;
  search: (query: Int8Array, options: SearchOptions) => ScoredDocument[];
};

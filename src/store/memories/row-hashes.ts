// Rows that carry a hash of their own words: whether they still say what was stored.
import { hashParts } from '../../core/ids.ts';

/** What the hash is made of, in its order (observations.ts, summaries.ts, turns/turns.ts). */
export const HASHED: Record<string, string[]> = {
  observations: [
    'type',
    'title',
    'subtitle',
    'narrative',
    'facts',
    'concepts',
    'files_read',
    'files_modified',
    'outcome',
  ],
  summaries: ['request', 'investigated', 'learned', 'completed', 'next_steps', 'files_read', 'files_edited', 'notes'],
  turns: ['record'],
};

/** Null: rows of this table have no hash. */
export function isIntactRow(table: string, row: Record<string, unknown>): boolean | null {
  const columns = HASHED[table];
  if (!columns) return null;
  const parts = columns.map((column) => row[column] ?? null);
  return parts.every((part) => part === null || typeof part === 'string') && row.hash === hashParts(parts);
}

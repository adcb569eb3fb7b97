// Rows that carry a hash of their own words: whether they still say what was stored.
import { hashParts } from '../core/ids.ts';

/** What the hash is made of, in its order (observations.ts, summaries.ts, turns/turns.ts). */
export const HASHED: Record<string, string[]> = {
  observations: ['type', 'title', 'subtitle', 'narrative', 'facts', 'concepts', 'files_read', 'files_modified', 'outcome'],
  summaries: ['request', 'investigated', 'learned', 'completed', 'next_steps', 'files_read', 'files_edited', 'notes'],
  turns: ['record'],
};

/** What stands in the seal of a row once more, in its order (migrations 15 and 19): whose it is and what it counts for. */
export const SEALED: Record<string, string[]> = {
  observations: [
    ...['session_id', 'project_id', 'prompt_number', 'origin', 'trust', 'pinned', 'created_at_epoch', 'provisional'],
    ...['hidden_at', 'wrong_at', 'kept', 'quarantined', 'is_rule', 'rule_said_at', 'commit_hash', 'author'],
  ],
  summaries: ['session_id', 'project_id', 'prompt_number', 'created_at_epoch', 'provisional', 'hidden_at'],
  turns: ['session_id', 'prompt_number', 'started_at_epoch', 'ended_at_epoch'],
};

/** Null: rows of this table have no hash. A row of an older schema has no seal, or one without today's columns. */
export function isIntactRow(table: string, row: Record<string, unknown>): boolean | null {
  const columns = HASHED[table];
  if (!columns) return null;
  const parts = columns.map((column) => row[column] ?? null);
  if (!parts.every((part) => part === null || typeof part === 'string') || row.hash !== hashParts(parts)) return false;
  const sealed = SEALED[table]?.filter((column) => column in row);
  const seal = sealed?.map((column) => row[column] ?? '').join(' ');
  return (row.seal ?? null) === null || row.seal === seal;
}

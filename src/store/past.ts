// How much is remembered, in numbers.
import type { Database } from 'bun:sqlite';

export type PastCounts = { observations: number; summaries: number; prompts: number };

export function countPast(db: Database): PastCounts {
  return (
    db
      .query<PastCounts, []>(
        `SELECT (SELECT count(*) FROM observations) AS observations, (SELECT count(*) FROM summaries) AS summaries,
           (SELECT count(*) FROM prompts) AS prompts`,
      )
      .get() ?? { observations: 0, summaries: 0, prompts: 0 }
  );
}

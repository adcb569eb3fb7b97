// What is remembered of the past, in numbers and places.
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

/** The work trees that sessions were in. */
export const listRoots = (db: Database): string[] =>
  db
    .query<{ root: string }, []>(
      "SELECT DISTINCT root FROM sessions WHERE root <> '' AND host NOT IN ('git', 'claude-mem')",
    )
    .all()
    .map(({ root }) => root);

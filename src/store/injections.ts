// injections: which memory went into which session, and why, so that a bad one can be traced.
import type { Database } from 'bun:sqlite';

export type Injection = {
  sessionId: number;
  observationIds: number[];
  summaryId: number | null;
  source: string;
  reason: string;
  at: number;
};

export function recordInjection(db: Database, { observationIds, summaryId, ...row }: Injection): void {
  const insert = db.query(
    `INSERT INTO injections (session_id, observation_id, summary_id, source, reason, created_at_epoch)
     VALUES ($sessionId, $observationId, $summaryId, $source, $reason, $at)`,
  );
  for (const observationId of observationIds) insert.run({ ...row, observationId, summaryId: null });
  if (summaryId !== null) insert.run({ ...row, observationId: null, summaryId });
}

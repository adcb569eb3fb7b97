// Which events only asked this memory, or told what it answered: they make nothing new.
import type { Database } from 'bun:sqlite';

/** Always skipped; said first, so that few payloads are read. */
const IS_RECALL = "kind = 'tool' AND status = 'skipped' AND json_extract(payload, '$.action.type') = 'memory'";

export type TurnWork = {
  /** The memory was asked or changed. */
  recalled: boolean;
  /** Something else was done, whether it is distilled already or not. */
  worked: boolean;
};

export function readTurnWork(db: Database, sessionId: number, prompts: { first: number; last: number }): TurnWork {
  const row = db
    .query<{ recalled: number | null; worked: number | null }, [{ sessionId: number; first: number; last: number }]>(
      `SELECT max(${IS_RECALL}) AS recalled, max(status <> 'skipped') AS worked
       FROM events WHERE session_id = $sessionId AND prompt_number BETWEEN $first AND $last AND kind IN ('tool','subagent')`,
    )
    .get({ sessionId, ...prompts });
  return { recalled: row?.recalled === 1, worked: row?.worked === 1 };
}

/** A subagent that did nothing but ask this memory: its report repeats the answer. */
export function hasOnlyRecalled(db: Database, sessionId: number, agentId: string): boolean {
  const did = (what: string) =>
    db
      .query(`SELECT 1 FROM events WHERE session_id = ? AND ${what} AND json_extract(payload, '$.agentId') = ? LIMIT 1`)
      .get(sessionId, agentId) !== null;
  return did(IS_RECALL) && !did("kind = 'tool' AND status <> 'skipped'");
}

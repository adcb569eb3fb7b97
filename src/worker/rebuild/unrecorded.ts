// Turns without a record that may get one: over, and with nothing in them that somebody wants gone.
import type { Database } from 'bun:sqlite';

export type Unrecorded = {
  promptNumber: number;
  /** The payloads of all its events are still there. */
  isWhole: boolean;
};

/** Of one session, in order. A private or hidden prompt, or one under which something is hidden, is not among them. */
export function listUnrecorded(db: Database, sessionId: number): Unrecorded[] {
  return db
    .query<{ promptNumber: number; isWhole: number }, [number]>(
      `SELECT p.prompt_number AS promptNumber, NOT EXISTS (${OF_TURN('events')} AND m.payload IS NULL
         AND m.kind IN ('tool','said','stop','subagent')) AS isWhole
       FROM prompts p WHERE p.session_id = ? AND p.private = 0 AND p.text <> '' AND p.hidden_at IS NULL
         AND NOT EXISTS (${OF_TURN('turns')})
         AND EXISTS (${OF_TURN('events')} AND m.status = 'done')
         AND NOT EXISTS (${OF_TURN('events')} AND m.status IN ('pending','claimed'))
         AND NOT EXISTS (${OF_TURN('observations')} AND m.hidden_at IS NOT NULL)
         AND NOT EXISTS (${OF_TURN('summaries')} AND m.hidden_at IS NOT NULL)
       ORDER BY p.prompt_number`,
    )
    .all(sessionId)
    .map(({ promptNumber, isWhole }) => ({ promptNumber, isWhole: isWhole === 1 }));
}

const OF_TURN = (table: string) =>
  `SELECT 1 FROM ${table} m WHERE m.session_id = p.session_id AND m.prompt_number = p.prompt_number`;

/** Those that were heard of since then, with a prompt that has no record. `projectId`: null for all. */
export function listSessionsUnrecorded(
  db: Database,
  { projectId, since }: { projectId: number | null; since: number },
): { id: number; host: string; hostSessionId: string }[] {
  return db
    .query<{ id: number; host: string; hostSessionId: string }, [{ projectId: number | null; since: number }]>(
      `SELECT s.id, s.host, s.host_session_id AS hostSessionId FROM sessions s
       WHERE ($projectId IS NULL OR s.project_id = $projectId) AND s.updated_at_epoch >= $since
         AND EXISTS (SELECT 1 FROM events e WHERE e.session_id = s.id)
         AND EXISTS (SELECT 1 FROM prompts p WHERE p.session_id = s.id AND p.text <> '' AND NOT EXISTS (${OF_TURN('turns')}))
       ORDER BY s.id`,
    )
    .all({ projectId, since });
}

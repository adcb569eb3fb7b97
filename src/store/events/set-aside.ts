// events that workers died at or nobody could process: set aside, counted, and tried again.
import type { Database } from 'bun:sqlite';

/** A turn that took the worker down this often is set aside, so that no worker after it dies of the same. */
const MOST_DEATHS = 2;

const DIED = 'the worker ended while it was distilled';
const LAST_TRY = 'tried for the last time, by a worker that had lived for long';

/** At start nobody else can be working on them: what is still claimed, and not held for the model, was left by a crash. */
export function reclaimEvents(db: Database): number {
  return db
    .query(
      `UPDATE events SET status = CASE WHEN attempts >= ${MOST_DEATHS} THEN 'quarantined' ELSE 'pending' END,
         error = CASE error WHEN '${LAST_TRY}' THEN error ELSE '${DIED}' END WHERE status = 'claimed' AND batch_id IS NULL`,
    )
    .run().changes;
}

/** Workers may have been killed at them by chance: they wait once more, and for the last time. True when there were some. */
export function retrySetAside(db: Database): boolean {
  const { changes } = db
    .query(
      `UPDATE events SET status = 'pending', error = '${LAST_TRY}'
       WHERE status = 'quarantined' AND error = '${DIED}' AND payload IS NOT NULL`,
    )
    .run();
  return changes > 0;
}

/** Whatever was set aside waits again, as if for the first time, but what belongs to no session; how much that is. */
export function retryAll(db: Database): number {
  return db
    .query(
      `UPDATE events SET status = 'pending', attempts = 0, error = NULL
       WHERE status = 'quarantined' AND payload IS NOT NULL AND coalesce(error, '') NOT LIKE 'there is no session %'`,
    )
    .run().changes;
}

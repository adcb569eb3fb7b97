// Ending the work on one session at once: no model looks at it any more, and what the rules made of it stands.
import type { Database } from 'bun:sqlite';
import { keepLocal } from '../../model/keep-local.ts';
import { listWaitingBatchesOf } from '../../store/events/session-queue.ts';
import { failSession } from '../../store/sessions/sessions.ts';

export type AbortDeps = {
  db: Database;
  /** Cuts off the question that is put to a model about this session; resolves when it has ended. */
  stopSession: (sessionId: number) => Promise<void>;
  timeoutMs: () => number;
};

/** What waits to be distilled goes on waiting, and whatever happens next in the session opens it again. */
export async function abortSession({ db, stopSession, timeoutMs }: AbortDeps, sessionId: number): Promise<void> {
  // First: what does not wait for a model any more is not asked again, and an answer that comes now is not kept.
  db.transaction(() => {
    for (const batchId of listWaitingBatchesOf(db, sessionId)) keepLocal(db, batchId, 'the session was aborted');
    failSession(db, sessionId);
  }).immediate();
  await Promise.race([stopSession(sessionId), Bun.sleep(timeoutMs())]);
}

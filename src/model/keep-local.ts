// How the deepening of a batch ends, and the end without a model: what the rules made of it stands.
import type { Database } from 'bun:sqlite';
import { finishBatch } from '../store/events/batches.ts';
import { dropAnswers } from '../store/spending/model-calls.ts';

export type Deepened =
  | { kind: 'done'; observer: 'local' | 'model'; reason: string | null; observations: number }
  /** Nothing is lost: it waits, and with it perhaps every other batch. */
  | { kind: 'waits'; reason: string }
  | { kind: 'gone' };

export function keepLocal(
  db: Database,
  batchId: number,
  reason: string,
  status: 'done' | 'quarantined' = 'done',
): Deepened {
  db.transaction(() => {
    dropAnswers(db, batchId);
    finishBatch(db, batchId, { status, observer: 'local', reason });
  }).immediate();
  return { kind: 'done', observer: 'local', reason, observations: 0 };
}

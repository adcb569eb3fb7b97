// When what the rules made of a batch stands without a model: not worth asking, waited too long, failed.
import type { Database } from 'bun:sqlite';
import type { SessionEvent } from '../core/event.ts';
import type { Batch } from '../core/observation.ts';
import { finishBatch, type StoredBatch } from '../store/batches.ts';
import { dropAnswers } from '../store/model-calls.ts';

export type Summarised =
  | { kind: 'done'; observer: 'local' | 'model'; reason: string | null; observations: number }
  /** Nothing is lost: it waits, and with it perhaps every other batch. */
  | { kind: 'waits'; reason: string }
  | { kind: 'gone' };

export function keepLocal(db: Database, batchId: number, reason: string, status: 'done' | 'quarantined' = 'done'): Summarised {
  db.transaction(() => {
    dropAnswers(db, batchId);
    finishBatch(db, batchId, { status, observer: 'local', reason });
  }).immediate();
  return { kind: 'done', observer: 'local', reason, observations: 0 };
}

export const MAX_FAILURES = 3;
const MAX_WAIT_MS = 24 * 3_600_000;

/** Null while it is worth another try. */
export function givenUpReason({ failures, createdAt }: StoredBatch, now: number): string | null {
  if (failures >= MAX_FAILURES) return `the model failed ${failures} times`;
  return now - createdAt > MAX_WAIT_MS ? 'the model did not answer for a day' : null;
}

/** Words of which so few were exchanged hold nothing that the rules would miss. */
const FEW_WORDS = 600;

/** Whether a batch holds anything that a model could make more of than the rules did: thanks and small talk do not. */
export function isWorthAsking({ events }: Batch): boolean {
  if (events.some(isWork)) return true;
  return events.reduce((sum, event) => sum + saidIn(event), 0) > FEW_WORDS;
}

const isWork = (event: SessionEvent) =>
  event.kind === 'tool' || event.kind === 'subagent' || (event.kind === 'compaction' && event.summary !== '');

function saidIn(event: SessionEvent): number {
  if (event.kind === 'prompt') return event.text.length;
  return event.kind === 'stop' ? event.message.length : 0;
}

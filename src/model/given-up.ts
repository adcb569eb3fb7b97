// When a batch has waited for the model long enough: then what the rules made of it stands.
import type { StoredBatch } from '../store/events/batches.ts';

export const MAX_FAILURES = 3;
const MAX_WAIT_MS = 24 * 3_600_000;

/** Null while it is worth another try. */
export function givenUpReason({ failures, createdAt }: StoredBatch, now: number): string | null {
  if (failures >= MAX_FAILURES) return `the model failed ${failures} times`;
  return now - createdAt > MAX_WAIT_MS ? 'the model did not answer for a day' : null;
}

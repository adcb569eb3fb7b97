// A hook's stdin → a payload fit to send and to keep: always cleaned, because what is read here may end in the spool.
import type { BadInput } from '../core/envelope.ts';
import { decodeAll, MAX_STRING } from '../core/plain-json.ts';
import { createWorkClock, type WorkClock } from './work-clock.ts';

export type ReadPayload =
  | {
      kind: 'payload';
      value: Record<string, unknown>;
      private: boolean;
      isOrdinary: boolean;
      /** There was no time for all of it. */
      isIncomplete: boolean;
    }
  | { kind: 'bad'; reason: BadInput };

export type ReadOptions = {
  /** Something came. */
  onProgress?: () => void;
  clock?: WorkClock;
};

/** What comes next; undefined at the end. */
export type NextChunk = () => Promise<Uint8Array | undefined>;

export async function readPayload(
  next: NextChunk,
  { onProgress = () => undefined, clock = createWorkClock() }: ReadOptions = {},
): Promise<ReadPayload> {
  const chunks: Uint8Array[] = [];
  for (let bytes = 0; bytes <= MAX_STRING; ) {
    const value = await next();
    if (value === undefined) return readSmall(decodeAll(chunks), clock);
    onProgress();
    chunks.push(value);
    bytes += value.length;
  }
  return (await loadRest()).readLarge(chunks, next, { onProgress, clock });
}

const loadRest = () => import('./clean-payload.ts');

async function readSmall(json: string, clock: WorkClock): Promise<ReadPayload> {
  return (await loadRest()).judge({ json, bytes: json.length, isTooDeep: false }, clock);
}

// A hook's stdin → a payload fit to send. What is small and clean is read here; the rest by clean-payload.ts, loaded on need. Hot path.
import type { BadInput } from '../core/envelope.ts';
import { decodeAll, isClean, isObject, MAX_STRING, parseJson } from '../core/plain-json.ts';
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

/** What a reader of the stream gives next. */
export type NextChunk = () => Promise<{ done: boolean; value?: Uint8Array }>;

export async function readPayload(
  stdin: ReadableStream<Uint8Array>,
  { onProgress = () => undefined, clock = createWorkClock() }: ReadOptions = {},
): Promise<ReadPayload> {
  const reader = stdin.getReader();
  const next: NextChunk = () => reader.read();
  const chunks: Uint8Array[] = [];
  for (let bytes = 0; bytes <= MAX_STRING; ) {
    const { value } = await next();
    if (value === undefined) return readSmall(decodeAll(chunks), clock);
    onProgress();
    chunks.push(value);
    bytes += value.length;
  }
  return (await loadRest()).readLarge(chunks, next, { onProgress, clock });
}

const loadRest = () => import('./clean-payload.ts');

async function readSmall(json: string, clock: WorkClock): Promise<ReadPayload> {
  const value = isClean(json) ? parseJson(json) : undefined;
  if (isObject(value)) return { kind: 'payload', value, private: false, isOrdinary: true, isIncomplete: false };
  return (await loadRest()).judge({ json, bytes: json.length, isTooDeep: false }, clock);
}

// A hook's stdin → a payload fit to send. Never holds more than a few megabytes, whatever comes. Hot path: no packages.
import type { BadInput } from '../core/envelope.ts';
import { cleanPayload, isClean } from '../core/payload.ts';
import { isWhollyPrivate } from '../core/privacy.ts';
import { createShrinker } from '../core/shrink-json.ts';
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

/** Up to here the JSON is read as it is; above, long strings are cut while they stream by. */
const WHOLE_BYTES = 2 * 1024 * 1024;
/** Of the time there is, for looking at what streams by; the rest is for what is kept of it. */
const READ_SHARE = 1 / 3;
/** More than any host sends in earnest: kept, but the hook stays silent about it. */
const ORDINARY_BYTES = 16 * 1024 * 1024;

export type ReadOptions = {
  /** Something came. */
  onProgress?: () => void;
  clock?: WorkClock;
};

export async function readPayload(
  stdin: ReadableStream<Uint8Array>,
  { onProgress, clock = createWorkClock() }: ReadOptions = {},
): Promise<ReadPayload> {
  const read = await readJson(stdin, clock, onProgress);
  clock.start();
  try {
    return judge(read, clock);
  } finally {
    clock.stop();
  }
}

function judge({ json, bytes, isTooDeep }: ReadJson, { isOver }: WorkClock): ReadPayload {
  const bad = (reason: BadInput): ReadPayload => ({ kind: 'bad', reason });
  if (json?.trim() === '') return bad('empty');
  const parsed = parseJson(json);
  if (parsed === undefined) return bad('not-json');
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    return bad('not-an-object');
  }
  const isOrdinary = bytes <= ORDINARY_BYTES && !isTooDeep;
  // Objects of JSON have string keys; and cleaning keeps the shape.
  if (json !== null && isClean(json)) {
    const value = parsed as Record<string, unknown>;
    return { kind: 'payload', value, private: false, isOrdinary, isIncomplete: false };
  }
  const { value, tooDeep, isIncomplete } = cleanPayload(parsed, isOver);
  const payload = value as Record<string, unknown>;
  return {
    kind: 'payload',
    value: payload,
    private: 'prompt' in parsed && isWhollyPrivate(parsed.prompt, payload.prompt),
    isOrdinary: isOrdinary && !tooDeep,
    isIncomplete,
  };
}

type ReadJson = { json: string | null; bytes: number; isTooDeep: boolean };

async function readJson(stdin: ReadableStream<Uint8Array>, clock: WorkClock, onProgress?: () => void): Promise<ReadJson> {
  const chunks: Uint8Array[] = [];
  let shrinker: ReturnType<typeof createShrinker> | null = null;
  let bytes = 0;
  const isLate = () => clock.isOver(READ_SHARE);
  for await (const chunk of stdin) {
    bytes += chunk.length;
    onProgress?.();
    // After that it only counts quotes, about as fast as the bytes come.
    if (!isLate()) clock.start();
    if (shrinker) shrinker.push(chunk);
    else {
      chunks.push(chunk);
      if (bytes > WHOLE_BYTES) {
        shrinker = createShrinker(isLate);
        for (const held of chunks) shrinker.push(held);
        chunks.length = 0;
      }
    }
    clock.stop();
  }
  const read = shrinker?.finish() ?? { json: decodeAll(chunks), isTooDeep: false };
  return { bytes, ...read };
}

/** Most payloads come in one chunk: decoded without a copy. */
function decodeAll(chunks: Uint8Array[]): string {
  const [only] = chunks;
  return new TextDecoder().decode(chunks.length === 1 ? only : Buffer.concat(chunks));
}

function parseJson(json: string | null): unknown {
  if (json === null) return undefined;
  try {
    return JSON.parse(json.charCodeAt(0) === 0xfeff ? json.slice(1) : json);
  } catch {
    // Not JSON is an answer here, not an accident: it is counted by the worker.
    return undefined;
  }
}

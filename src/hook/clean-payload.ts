// A payload that is large, may hold private text or is none at all: never more than a few megabytes of it are held. Its own bundle.
import { onlySpoken } from '../agents/record.ts';
import type { BadInput } from '../core/envelope.ts';
import { cleanPayload } from '../core/payload.ts';
import { decodeAll, isObject, parseJson } from '../core/plain-json.ts';
import { isWhollyPrivate } from '../core/privacy.ts';
import { createShrinker } from '../core/shrink-json.ts';
import type { NextChunk, ReadOptions, ReadPayload } from './read-payload.ts';
import type { WorkClock } from './work-clock.ts';

/** Up to here the JSON is read as it is; above, long strings are cut while they stream by. */
const WHOLE_BYTES = 2 * 1024 * 1024;
/** Of the time there is, for looking at what streams by; the rest is for what is kept of it. */
const READ_SHARE = 1 / 3;
/** More than any host sends in earnest: kept, but the hook stays silent about it. */
const ORDINARY_BYTES = 16 * 1024 * 1024;

type ReadJson = { json: string | null; bytes: number; isTooDeep: boolean };

/** `chunks`: what has come so far. */
export async function readLarge(chunks: Uint8Array[], next: NextChunk, { onProgress, clock }: Required<ReadOptions>): Promise<ReadPayload> {
  let bytes = chunks.reduce((sum, { length }) => sum + length, 0);
  let shrinker: ReturnType<typeof createShrinker> | null = null;
  const isLate = () => clock.isOver(READ_SHARE);
  for (let value = await next(); value !== undefined; value = await next()) {
    bytes += value.length;
    onProgress();
    // After that it only counts quotes, about as fast as the bytes come.
    if (!isLate()) clock.start();
    if (shrinker) shrinker.push(value);
    else chunks.push(value);
    if (!shrinker && bytes > WHOLE_BYTES) {
      shrinker = createShrinker(isLate);
      for (const held of chunks) shrinker.push(held);
      chunks.length = 0;
    }
    clock.stop();
  }
  const read = shrinker?.finish() ?? { json: decodeAll(chunks), isTooDeep: false };
  return judge({ bytes, ...read }, clock);
}

export function judge({ json, bytes, isTooDeep }: ReadJson, clock: WorkClock): ReadPayload {
  const bad = (reason: BadInput): ReadPayload => ({ kind: 'bad', reason });
  clock.start();
  try {
    if (json?.trim() === '') return bad('empty');
    const parsed = json === null ? undefined : parseJson(json);
    if (parsed === undefined) return bad('not-json');
    if (!isObject(parsed)) return bad('not-an-object');
    const { value, tooDeep, isIncomplete } = cleanPayload(parsed, clock.isOver);
    // Cleaning keeps the shape.
    const payload = value as Record<string, unknown>;
    const isPrivate = 'prompt' in parsed && isWhollyPrivate(spokenIn(parsed.prompt), spokenIn(payload.prompt));
    const isOrdinary = bytes <= ORDINARY_BYTES && !isTooDeep && !tooDeep;
    return { kind: 'payload', value: payload, private: isPrivate, isOrdinary, isIncomplete };
  } finally {
    clock.stop();
  }
}

/** Agents put notes, and what they were told by hooks, before the words of a person. */
const spokenIn = (prompt: unknown) => (typeof prompt === 'string' ? onlySpoken(prompt) : prompt);

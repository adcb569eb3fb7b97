// A hook's stdin → a payload fit to send. Never holds more than it keeps, whatever comes. Hot path: no packages.
import type { BadInput } from '../core/envelope.ts';
import { cleanPayload, isClean } from '../core/payload.ts';
import { isWhollyPrivate, stripPrivate } from '../core/privacy.ts';
import { createShrinker } from '../core/shrink-json.ts';

export type ReadPayload =
  | { kind: 'payload'; value: Record<string, unknown>; private: boolean; isOrdinary: boolean }
  | { kind: 'bad'; reason: BadInput; bytes: number; head: string };

/** Up to here the JSON is read as it is; above, long strings are cut while they stream by. */
const WHOLE_BYTES = 192 * 1024;
/** More than any host sends in earnest: kept, but the hook stays silent about it. */
const ORDINARY_BYTES = 16 * 1024 * 1024;

/** `onProgress`: something came. */
export async function readPayload(stdin: ReadableStream<Uint8Array>, onProgress?: () => void): Promise<ReadPayload> {
  const { json, bytes, first, isTooDeep } = await readJson(stdin, onProgress);
  const bad = (reason: BadInput): ReadPayload => ({ kind: 'bad', reason, bytes, head: readHead(first) });
  if (json?.trim() === '') return bad('empty');
  const parsed = parseJson(json);
  if (parsed === undefined) return bad('not-json');
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    return bad('not-an-object');
  }
  const isOrdinary = bytes <= ORDINARY_BYTES && !isTooDeep;
  // Objects of JSON have string keys; and cleaning keeps the shape.
  if (json !== null && isClean(json)) {
    return { kind: 'payload', value: parsed as Record<string, unknown>, private: false, isOrdinary };
  }
  const { value, tooDeep } = cleanPayload(parsed);
  const payload = value as Record<string, unknown>;
  return {
    kind: 'payload',
    value: payload,
    private: 'prompt' in parsed && isWhollyPrivate(parsed.prompt, payload.prompt),
    isOrdinary: isOrdinary && !tooDeep,
  };
}

async function readJson(stdin: ReadableStream<Uint8Array>, onProgress?: () => void) {
  const chunks: Uint8Array[] = [];
  let shrinker: ReturnType<typeof createShrinker> | null = null;
  let bytes = 0;
  for await (const chunk of stdin) {
    bytes += chunk.length;
    onProgress?.();
    if (shrinker) {
      shrinker.push(chunk);
      continue;
    }
    chunks.push(chunk);
    if (bytes <= WHOLE_BYTES) continue;
    shrinker = createShrinker();
    for (const held of chunks) shrinker.push(held);
  }
  const read = shrinker?.finish() ?? { json: decodeAll(chunks), isTooDeep: false };
  return { bytes, first: chunks[0], ...read };
}

/** Most payloads come in one chunk: decoded without a copy. */
function decodeAll(chunks: Uint8Array[]): string {
  const [only] = chunks;
  return new TextDecoder().decode(chunks.length === 1 ? only : Buffer.concat(chunks));
}

/** Enough that what is cut off later is cut from whole words; the secrets in it are scrubbed before it is written. */
const readHead = (first: Uint8Array | undefined) =>
  stripPrivate(new TextDecoder().decode(first?.subarray(0, 4096))).text.trim();

function parseJson(json: string | null): unknown {
  if (json === null) return undefined;
  try {
    return JSON.parse(json.charCodeAt(0) === 0xfeff ? json.slice(1) : json);
  } catch {
    // Not JSON is an answer here, not an accident: it is counted by the worker.
    return undefined;
  }
}

// A payload as it came: its JSON, and whether it may be kept as it is. The hook's way with most events, so no imports.

/** Longest string kept whole; a longer one keeps its head, tail, length and hash. */
export const MAX_STRING = 60 * 1024;
export const MAX_DEPTH = 64;

/**
 * The first letter of a tag of ours in raw JSON, or what hides before that; and whatever begins something that a reader does not see
 * and that may stand inside an encoded bracket: a backspace, an escape sequence, also a written one. In doubt it is one.
 */
const HINT = /[<＜]|&[aAlL#\x7f-\uffff]|\\[beE0uUxX\x7f-\uffff]|%(?:1[bB]|[3\x7f-\uffff])/;

/** True when there is nothing to strip in what this JSON holds. Only the worker is sent it for that; the spool takes nobody's word. */
export function isClean(json: string): boolean {
  return json.length <= MAX_STRING && !HINT.test(json) && countOf(json, '{') + countOf(json, '[') < MAX_DEPTH;
}

function countOf(text: string, letter: string): number {
  let count = 0;
  for (let at = text.indexOf(letter); at >= 0; at = text.indexOf(letter, at + 1)) count++;
  return count;
}

/** Most payloads come in one chunk: decoded without a copy. */
export function decodeAll(chunks: Uint8Array[]): string {
  const [only] = chunks;
  return new TextDecoder().decode(chunks.length === 1 ? only : Buffer.concat(chunks));
}

export function parseJson(json: string): unknown {
  try {
    return JSON.parse(json.charCodeAt(0) === 0xfeff ? json.slice(1) : json);
  } catch {
    // Not JSON is an answer here, not an accident: it is counted by the worker.
    return undefined;
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

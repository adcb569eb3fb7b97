// Where a text, as bytes of JSON, may hold one of our tags in any disguise. Finds too much rather than too little.

/** Bytes that may begin a tag: `<`, an entity `&lt;`, or a JSON escape of either (`\u003c`, `\u0026`). */
const STARTS = ['<', '&', '\\u003', '\\u0026'];
const NAME = /^(private|claude-mem-context|system-reminder)/;

export function findTagStart(bytes: Buffer, from: number): number {
  let first = -1;
  for (const start of STARTS) {
    const found = findNamed(bytes, start, from);
    if (found >= 0 && (first < 0 || found < first)) first = found;
  }
  return first;
}

function findNamed(bytes: Buffer, start: string, from: number): number {
  const needle: string | number = start.length === 1 ? start.charCodeAt(0) : start;
  for (let at = bytes.indexOf(needle, from); at >= 0; at = bytes.indexOf(needle, at + 1)) {
    if (isTagName(bytes, at)) return at;
  }
  return -1;
}

/** Longest disguise looked through: escapes, entities, spaces, zero-width characters and slashes before the name. */
const REACH = 160;

function isTagName(bytes: Buffer, at: number): boolean {
  const next = bytes[at + 1] ?? 0;
  // Most `<` in code are followed by a letter that begins none of the names: no need to look closer.
  if (next > 0x40 && next < 0x80 && !PLAUSIBLE.has(next | 0x20) && next !== 0x5c) return false;
  const name = bytes
    .subarray(at, at + REACH)
    .toString('utf8')
    .replace(/\\u([0-9a-f]{4})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/&#x([0-9a-f]{1,6});?/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/&#([0-9]{1,7});?/g, (_, code) => String.fromCharCode(Number(code)))
    .replace(/&lt;?/gi, '<')
    .replace(/[^a-z-]/gi, '')
    .toLowerCase();
  return NAME.test(name);
}

/** First letters after the start byte: p(rivate), c(laude…), s(ystem…), l(t), u(003c). */
const PLAUSIBLE = new Set(['p', 'c', 's', 'l', 'u'].map((letter) => letter.charCodeAt(0)));

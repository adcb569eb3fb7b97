// The beginning of a query that fits into the line of a request: a longer line is refused with 431.

/** Written as in an address. The search itself reads no more than 4,000 characters. */
const MOST_BYTES = 6000;

/** Whole characters only. */
export function cutQuery(query: string): string {
  let bytes = 0;
  let end = 0;
  for (const character of query) {
    bytes += /[\w*. -]/.test(character) ? 1 : 3 * Buffer.byteLength(character);
    if (bytes > MOST_BYTES) return query.slice(0, end);
    end += character.length;
  }
  return query;
}

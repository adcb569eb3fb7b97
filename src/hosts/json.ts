// JSON of which nothing is known: neither whether it is whole, nor how deep it goes.

/** Undefined for what is no JSON. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Cut off, garbage, or nested beyond the stack: it says nothing.
    return undefined;
  }
}

/** Of an answer in a shape that we do not know: what it says counts all the same. */
export function wholeText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!value) return '';
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    // Nested beyond the stack.
    return '';
  }
}

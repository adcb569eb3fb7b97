// Reading JSON that others wrote: what is not as expected is empty.

export type Fields = Record<string, unknown>;

export function asRecord(value: unknown): Fields {
  // Every field of it is read through text(), number() or asList(), which check what they find.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
export const text = (value: unknown): string => (typeof value === 'string' ? value : '');
export const number = (value: unknown): number => (typeof value === 'number' ? value : 0);

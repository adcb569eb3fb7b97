// A table that is looked up by words from outside: `constructor` is a word like any other, and every plain object has one.

export const wordTable = <Value>(entries: Record<string, Value>): Record<string, Value> =>
  Object.assign(Object.create(null), entries);

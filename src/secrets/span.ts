// What finding says: where a secret stands in a text, and what it is.

export type Span = { from: number; to: number; kind: string; hashed: boolean };

/** Looks for a secret around a position that a trigger pointed to. */
export type Find = (text: string, at: number) => Span | null;

// What an embedding engine promises, whichever it is.

/** Turns texts into vectors whose cosine tells how near their meanings are. */
export type Embedder = {
  /** Names model, engine and version: vectors under different ids must never be compared. */
  id: string;
  dimension: number;
  /**
   * One vector for each text, in order. Any text is legal, '' too. Only the direction means something: the largest component is
   * ±127, and a text without a word gives zeros. Rejects with an EmbedderError.
   */
  embed: (texts: string[], kind: EmbedKind) => Promise<Int8Array[]>;
  close: () => Promise<void>;
};

export type EmbedKind = 'document' | 'query';

/**
 * transient: try again later (a child that died or was too slow, no connection, 5xx). settings: nothing will work until a person
 * changes something (address, key, model, missing files). bad-answer: an answer came, but no vectors. closed: after close().
 */
export type EmbedderErrorKind = 'transient' | 'settings' | 'bad-answer' | 'closed';

export class EmbedderError extends Error {
  readonly kind: EmbedderErrorKind;

  constructor(kind: EmbedderErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EmbedderError';
    this.kind = kind;
  }
}

/** Scales so that the largest component becomes ±127; zeros stay zeros. */
export function toInt8(vector: ArrayLike<number>): Int8Array {
  let largest = 0;
  for (let i = 0; i < vector.length; i++) largest = Math.max(largest, Math.abs(vector[i] ?? 0));
  const result = new Int8Array(vector.length);
  if (largest === 0) return result;
  const factor = 127 / largest;
  for (let i = 0; i < vector.length; i++) result[i] = Math.round((vector[i] ?? 0) * factor);
  return result;
}

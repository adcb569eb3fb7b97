// Which documents a search may find: a bit for each.

/** Bit `id & 7` of byte `id >> 3`; what lies beyond its end is not accepted. */
export type Accept = Uint8Array;

/** In any order. */
export function acceptDocuments(ids: ArrayLike<number>): Accept {
  let largest = 0;
  for (let i = 0; i < ids.length; i++) largest = Math.max(largest, ids[i] ?? 0);
  const bits = new Uint8Array((largest >> 3) + 1);
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i] ?? 0;
    bits[id >> 3] = (bits[id >> 3] ?? 0) | (1 << (id & 7));
  }
  return bits;
}

export const isAccepted = (accept: Accept, id: number): boolean => (((accept[id >> 3] ?? 0) >> (id & 7)) & 1) === 1;

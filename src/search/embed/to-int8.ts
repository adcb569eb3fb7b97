// The form in which vectors are kept: a direction in one byte for each number.

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

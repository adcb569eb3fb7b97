// How near two vectors are, for tests.

export function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [dot, lengthA, lengthB] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] ?? 0, b[i] ?? 0];
    dot += x * y;
    lengthA += x * x;
    lengthB += y * y;
  }
  return dot / Math.sqrt(lengthA * lengthB);
}

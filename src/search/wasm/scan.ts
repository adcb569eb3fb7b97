// The vector scan, in AssemblyScript: cosines of int8 rows, Hamming distances of sign rows, and the choice of the nearest.
// Addresses are bytes in a memory that the caller lays out (src/search/vectors/); rows are padded with zeros to 16 bytes.

/** Of each row: 1 over its length, 0 for a row of zeros. */
export function invertLengths(rows: usize, count: i32, stride: i32, out: usize): void {
  for (let i = 0; i < count; i++, rows += stride, out += 4) {
    const square = dot(rows, rows, stride);
    store<f32>(out, square === 0 ? 0 : 1 / sqrt<f32>(<f32>square));
  }
}

/** The cosine of the query with each row, not below 0. */
export function cosines(query: usize, rows: usize, inverses: usize, count: i32, stride: i32, out: usize): void {
  const square = dot(query, query, stride);
  const inverse: f32 = square === 0 ? 0 : 1 / sqrt<f32>(<f32>square);
  for (let i = 0; i < count; i++, rows += stride, inverses += 4, out += 4) {
    store<f32>(out, max<f32>(0, <f32>dot(query, rows, stride) * inverse * load<f32>(inverses)));
  }
}

function dot(a: usize, b: usize, stride: i32): i32 {
  let sum = i32x4.splat(0);
  for (const end = a + stride; a < end; a += 16, b += 16) {
    const x = v128.load(a);
    const y = v128.load(b);
    sum = i32x4.add(sum, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_s(x), i16x8.extend_low_i8x16_s(y)));
    sum = i32x4.add(sum, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_s(x), i16x8.extend_high_i8x16_s(y)));
  }
  return (
    i32x4.extract_lane(sum, 0) + i32x4.extract_lane(sum, 1) + i32x4.extract_lane(sum, 2) + i32x4.extract_lane(sum, 3)
  );
}

/** In place of a distance: this row is not looked at. */
const LEFT_OUT: u16 = 0xffff;

/**
 * How many signs of each row differ from the query's, and in `counts` (u32, zeroed by the caller) how many rows have each
 * distance. A document below 0 was removed. `accept` has a bit for each document below `acceptBits`; 0: all are accepted.
 */
export function signDistances(
  query: usize,
  rows: usize,
  documents: usize,
  count: i32,
  stride: i32,
  accept: usize,
  acceptBits: i32,
  counts: usize,
  out: usize,
): void {
  for (let i = 0; i < count; i++, rows += stride, documents += 4, out += 2) {
    const document = load<i32>(documents);
    if (document < 0 || (accept !== 0 && !isAccepted(document, accept, acceptBits))) {
      store<u16>(out, LEFT_OUT);
      continue;
    }
    const distance = stride === 48 ? differ48(query, rows) : differ(query, rows, stride);
    store<u16>(out, <u16>distance);
    const at = counts + ((<usize>distance) << 2);
    store<u32>(at, load<u32>(at) + 1);
  }
}

function isAccepted(document: i32, accept: usize, acceptBits: i32): bool {
  return document < acceptBits && ((load<u8>(accept + (document >> 3)) >> (document & 7)) & 1) === 1;
}

function differ48(a: usize, b: usize): i32 {
  return <i32>(
    (popcnt<u64>(load<u64>(a) ^ load<u64>(b)) +
      popcnt<u64>(load<u64>(a, 8) ^ load<u64>(b, 8)) +
      popcnt<u64>(load<u64>(a, 16) ^ load<u64>(b, 16)) +
      popcnt<u64>(load<u64>(a, 24) ^ load<u64>(b, 24)) +
      popcnt<u64>(load<u64>(a, 32) ^ load<u64>(b, 32)) +
      popcnt<u64>(load<u64>(a, 40) ^ load<u64>(b, 40)))
  );
}

function differ(a: usize, b: usize, stride: i32): i32 {
  let sum: u64 = 0;
  for (const end = a + stride; a < end; a += 8, b += 8) sum += popcnt<u64>(load<u64>(a) ^ load<u64>(b));
  return <i32>sum;
}

/** Writes the numbers (u32) of the rows nearer than `limit`, and of `more` rows at it; returns how many. */
export function collectNearest(distances: usize, count: i32, limit: u32, more: i32, out: usize): i32 {
  const start = out;
  for (let i = 0; i < count; i++, distances += 2) {
    const distance = <u32>load<u16>(distances);
    if (distance > limit || (distance === limit && more-- <= 0)) continue;
    store<u32>(out, i);
    out += 4;
  }
  return <i32>(out - start) >> 2;
}

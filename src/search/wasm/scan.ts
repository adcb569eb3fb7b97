// Vectors held against a query, as a WebAssembly kernel (AssemblyScript): every function works on plain addresses and keeps no state.

/** Of two vectors of int8, not below 0; `bytes` is a multiple of 16. */
export function cosine(query: usize, row: usize, bytes: i32): f64 {
  const product = dot(query, row, bytes);
  return product <= 0 ? 0 : <f64>product / (sqrt<f64>(<f64>dot(query, query, bytes)) * sqrt<f64>(<f64>dot(row, row, bytes)));
}

function dot(a: usize, b: usize, bytes: i32): i32 {
  let sum = i32x4.splat(0);
  for (const end = a + bytes; a < end; a += 16, b += 16) {
    const x = v128.load(a);
    const y = v128.load(b);
    sum = i32x4.add(sum, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_s(x), i16x8.extend_low_i8x16_s(y)));
    sum = i32x4.add(sum, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_s(x), i16x8.extend_high_i8x16_s(y)));
  }
  return i32x4.extract_lane(sum, 0) + i32x4.extract_lane(sum, 1) + (i32x4.extract_lane(sum, 2) + i32x4.extract_lane(sum, 3));
}

const LEFT_OUT: u16 = 0xffff;

/**
 * How many bits of each row of signs differ from the query's (u16), and how many rows have each distance (u32, zeroed before). `bytes` of a
 * row is a multiple of 8. `accept` has a bit for each document below `accepted`; 0: every one is wanted. Document 0 is none.
 */
export function measure(
  query: usize,
  rows: usize,
  bytes: i32,
  documents: usize,
  count: i32,
  accept: usize,
  accepted: u32,
  counts: usize,
  distances: usize,
): void {
  for (let row = 0; row < count; row++, rows += bytes, documents += 4, distances += 2) {
    const document = load<u32>(documents);
    if (document === 0 || (accept !== 0 && !isAccepted(document, accept, accepted))) {
      store<u16>(distances, LEFT_OUT);
      continue;
    }
    const distance = differ(query, rows, bytes);
    store<u16>(distances, <u16>distance);
    const at = counts + ((<usize>distance) << 2);
    store<u32>(at, load<u32>(at) + 1);
  }
}

function isAccepted(document: u32, accept: usize, accepted: u32): bool {
  return document < accepted && ((load<u8>(accept + (document >> 3)) >> <u8>(document & 7)) & 1) === 1;
}

function differ(a: usize, b: usize, bytes: i32): i32 {
  let sum: u64 = 0;
  for (const end = a + bytes; a < end; a += 8, b += 8) sum += popcnt<u64>(load<u64>(a) ^ load<u64>(b));
  return <i32>sum;
}

/** The numbers (u32) of the rows that are nearer than `furthest`, and of so many `more` at it; how many they are. */
export function collect(distances: usize, count: i32, furthest: u32, more: i32, nearest: usize): i32 {
  const start = nearest;
  for (let row = 0; row < count; row++, distances += 2) {
    const distance = <u32>load<u16>(distances);
    if (distance > furthest || (distance === furthest && more-- <= 0)) continue;
    store<u32>(nearest, row);
    nearest += 4;
  }
  return <i32>((nearest - start) >> 2);
}

// Word vectors, and the layer norm that follows every sum.

const HIDDEN: i32 = 384;
const ROW_BYTES: usize = 1536;
/** BERT's own 1e-12 vanishes beside any variance that occurs. */
const EPSILON: f32 = 1e-12;

/** Writes f32[count][384]: for each u16 token its row of the i8 table times the scale of that row. */
export function lookUp(tokens: usize, table: usize, scales: usize, output: usize, count: i32): void {
  for (let at: i32 = 0; at < count; at++) {
    const token = <usize>load<u16>(tokens + ((<usize>at) << 1));
    const scale = f32x4.splat(load<f32>(scales + (token << 2)));
    const row = table + token * <usize>HIDDEN;
    for (let i: usize = 0; i < <usize>HIDDEN; i += 8) {
      const eight = v128.load_ext<i8>(row + i);
      v128.store(output, f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(eight)), scale));
      v128.store(output, f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(eight)), scale), 16);
      output += 32;
    }
  }
}

/** values[row] = norm(values[row] + addend[row]) * gain + shift, for f32[rows][384]; `gain` is followed by `shift`. */
export function normalise(values: usize, addend: usize, gain: usize, rows: i32): void {
  for (let row: i32 = 0; row < rows; row++) {
    const mean = f32x4.splat(addInPlace(values, addend) / <f32>HIDDEN);
    const variance = sumOfSquares(values, mean) / <f32>HIDDEN;
    const factor = f32x4.splat(<f32>1 / sqrt<f32>(variance + EPSILON));
    for (let i: usize = 0; i < ROW_BYTES; i += 16) {
      const normal = f32x4.mul(f32x4.sub(v128.load(values + i), mean), factor);
      v128.store(values + i, f32x4.add(f32x4.mul(normal, v128.load(gain + i)), v128.load(gain + i, ROW_BYTES)));
    }
    values += ROW_BYTES;
    addend += ROW_BYTES;
  }
}

function addInPlace(values: usize, addend: usize): f32 {
  let sum = f32x4.splat(0);
  for (let i: usize = 0; i < ROW_BYTES; i += 16) {
    const both = f32x4.add(v128.load(values + i), v128.load(addend + i));
    v128.store(values + i, both);
    sum = f32x4.add(sum, both);
  }
  return sumLanes(sum);
}

function sumOfSquares(values: usize, mean: v128): f32 {
  let sum = f32x4.splat(0);
  for (let i: usize = 0; i < ROW_BYTES; i += 16) {
    const distance = f32x4.sub(v128.load(values + i), mean);
    sum = f32x4.add(sum, f32x4.mul(distance, distance));
  }
  return sumLanes(sum);
}

function sumLanes(four: v128): f32 {
  return (
    f32x4.extract_lane(four, 0) +
    f32x4.extract_lane(four, 1) +
    (f32x4.extract_lane(four, 2) + f32x4.extract_lane(four, 3))
  );
}

// From f32 to the integers that `multiply` takes.

/** The largest magnitude whose product with 127, summed over 1536 inputs, still fits into an i32. */
const LARGEST: f32 = 8191;

/** Writes i16[rows][width] and one scale for each row, so that value = integer * scale. `width` is a multiple of 8. */
export function quantise(input: usize, output: usize, rowScales: usize, rows: i32, width: i32): void {
  const rowBytes = (<usize>width) << 2;
  for (let row: i32 = 0; row < rows; row++) {
    const largest = findLargest(input, input + rowBytes);
    store<f32>(rowScales + ((<usize>row) << 2), largest / LARGEST);
    const factor = f32x4.splat(largest > 0 ? LARGEST / largest : 0);
    const end = input + rowBytes;
    while (input < end) {
      const low = i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(v128.load(input), factor)));
      const high = i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(v128.load(input, 16), factor)));
      v128.store(output, i16x8.narrow_i32x4_s(low, high));
      input += 32;
      output += 16;
    }
  }
}

function findLargest(from: usize, end: usize): f32 {
  let largest = f32x4.splat(0);
  for (let at = from; at < end; at += 16) largest = f32x4.pmax(largest, f32x4.abs(v128.load(at)));
  const one = max<f32>(f32x4.extract_lane(largest, 0), f32x4.extract_lane(largest, 1));
  return max<f32>(one, max<f32>(f32x4.extract_lane(largest, 2), f32x4.extract_lane(largest, 3)));
}

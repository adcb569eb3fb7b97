// The arithmetic of MiniLM as a WebAssembly kernel (AssemblyScript): every function works on plain addresses and keeps no state.

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
  return f32x4.extract_lane(four, 0) + f32x4.extract_lane(four, 1) + (f32x4.extract_lane(four, 2) + f32x4.extract_lane(four, 3));
}

/** The largest magnitude whose product with 127, summed over 1536 inputs, still fits into an i32. */
const LARGEST: f32 = 8191;

/** Writes i16[rows][width] and one scale for each row, so that value = integer * scale. `width` is a multiple of 8. */
export function quantise(input: usize, output: usize, rowScales: usize, rows: i32, width: i32): void {
  const rowBytes = (<usize>width) << 2;
  for (let row: i32 = 0; row < rows; row++) {
    const largest = findLargest(input, input + rowBytes, true);
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

function findLargest(from: usize, end: usize, isMagnitude: bool): f32 {
  let largest = isMagnitude ? f32x4.splat(0) : v128.load(from);
  for (let at = from; at < end; at += 16) {
    const four = v128.load(at);
    largest = f32x4.pmax(largest, isMagnitude ? f32x4.abs(four) : four);
  }
  const one = max<f32>(f32x4.extract_lane(largest, 0), f32x4.extract_lane(largest, 1));
  return max<f32>(one, max<f32>(f32x4.extract_lane(largest, 2), f32x4.extract_lane(largest, 3)));
}

/** Bytes of weights that one step of the inner loop takes: two inputs of eight channels. */
const STEP_BYTES: usize = 16;

/**
 * output[row][channel] = rowScale * channelScale * Σ input·weight + bias. `rows` is a multiple of 4, `channels` of 8, `inner` of 2.
 * input: i16[rows][inner]. matrix: i8 weights in panels of eight channels, each panel [inner / 2][8 channels][2 inputs], then
 * f32 channelScale[channels], then f32 bias[channels]. Every row of the input times 127 must fit into 31 bits when summed.
 *
 * Six rows at once are a twentieth faster, and half as long again to read. Dots of bytes (relaxed SIMD) are a tenth faster, but leave one
 * side only seven bits.
 */
export function multiply(input: usize, rowScales: usize, matrix: usize, output: usize, rows: i32, inner: i32, channels: i32): void {
  const rowBytes = (<usize>inner) << 1;
  const scales = matrix + <usize>inner * <usize>channels;
  const biases = scales + ((<usize>channels) << 2);
  const outputBytes = (<usize>channels) << 2;
  for (let channel: usize = 0; channel < <usize>channels; channel += 8) {
    const panel = matrix + channel * <usize>inner;
    const at = channel << 2;
    for (let row: usize = 0; row < <usize>rows; row += 4) {
      let a = input + (row + 0) * rowBytes;
      let b = input + (row + 1) * rowBytes;
      let c = input + (row + 2) * rowBytes;
      let d = input + (row + 3) * rowBytes;
      const end = b;
      let weights = panel;
      let a0 = i32x4.splat(0);
      let a1 = i32x4.splat(0);
      let b0 = i32x4.splat(0);
      let b1 = i32x4.splat(0);
      let c0 = i32x4.splat(0);
      let c1 = i32x4.splat(0);
      let d0 = i32x4.splat(0);
      let d1 = i32x4.splat(0);
      while (a < end) {
        const w0 = v128.load_ext<i8>(weights);
        const w1 = v128.load_ext<i8>(weights, 8);
        const x = v128.load_splat<u32>(a);
        a0 = i32x4.add(a0, i32x4.dot_i16x8_s(x, w0));
        a1 = i32x4.add(a1, i32x4.dot_i16x8_s(x, w1));
        const y = v128.load_splat<u32>(b);
        b0 = i32x4.add(b0, i32x4.dot_i16x8_s(y, w0));
        b1 = i32x4.add(b1, i32x4.dot_i16x8_s(y, w1));
        const z = v128.load_splat<u32>(c);
        c0 = i32x4.add(c0, i32x4.dot_i16x8_s(z, w0));
        c1 = i32x4.add(c1, i32x4.dot_i16x8_s(z, w1));
        const u = v128.load_splat<u32>(d);
        d0 = i32x4.add(d0, i32x4.dot_i16x8_s(u, w0));
        d1 = i32x4.add(d1, i32x4.dot_i16x8_s(u, w1));
        a += 4;
        b += 4;
        c += 4;
        d += 4;
        weights += STEP_BYTES;
      }
      let target = output + row * outputBytes + at;
      const scale = rowScales + (row << 2);
      storeRow(target, a0, a1, load<f32>(scale, 0), scales + at, biases + at);
      target += outputBytes;
      storeRow(target, b0, b1, load<f32>(scale, 4), scales + at, biases + at);
      target += outputBytes;
      storeRow(target, c0, c1, load<f32>(scale, 8), scales + at, biases + at);
      target += outputBytes;
      storeRow(target, d0, d1, load<f32>(scale, 12), scales + at, biases + at);
    }
  }
}

function storeRow(target: usize, low: v128, high: v128, rowScale: f32, scales: usize, biases: usize): void {
  const scale = f32x4.splat(rowScale);
  const lowScale = f32x4.mul(scale, v128.load(scales));
  const highScale = f32x4.mul(scale, v128.load(scales, 16));
  v128.store(target, f32x4.add(f32x4.mul(f32x4.convert_i32x4_s(low), lowScale), v128.load(biases)));
  v128.store(target, f32x4.add(f32x4.mul(f32x4.convert_i32x4_s(high), highScale), v128.load(biases, 16)), 16);
}

const HEADS: usize = 12;
/** Numbers of one head, and their bytes. */
const WIDTH: i32 = 32;
const WIDTH_BYTES: usize = 128;
/** Queries, keys and values lie side by side in a row of 3 * 384. */
const TRIPLE_BYTES: usize = 4608;
const KEYS_AT: usize = 1536;
const VALUES_AT: usize = 3072;
/** 1 / √32 */
const QUERY_SCALE: f32 = 0.17677669529;

/**
 * Attention of the tokens of one text to each other: reads f32[length][1152], writes f32[length][384]. With `length` rounded up to a
 * multiple of 32, the scratch takes (2 * 32 + 1) * rounded + 32 numbers: keys (turned, so that neighbours lie side by side), values, a
 * query and its weights. Rounding adds keys that weigh nothing.
 */
export function attend(rows: usize, context: usize, length: i32, scratch: usize): void {
  const rounded = (length + 31) & ~31;
  const keyStride = (<usize>rounded) << 2;
  const keys = scratch;
  const values = keys + <usize>rounded * WIDTH_BYTES;
  const query = values + <usize>rounded * WIDTH_BYTES;
  const weights = query + WIDTH_BYTES;
  const scale = f32x4.splat(QUERY_SCALE);
  memory.fill(scratch, 0, 2 * <usize>rounded * WIDTH_BYTES);
  for (let head: usize = 0; head < HEADS; head++) {
    let row = rows + head * WIDTH_BYTES;
    gather(row, length, keyStride, keys, values);
    let target = context + head * WIDTH_BYTES;
    for (let token: i32 = 0; token < length; token++) {
      for (let i: usize = 0; i < WIDTH_BYTES; i += 16) v128.store(query + i, f32x4.mul(v128.load(row + i), scale));
      for (let i: usize = 0; i < keyStride; i += WIDTH_BYTES) multiplyRow(query, keys + i, keyStride, weights + i, WIDTH);
      softmax(weights, length, rounded);
      multiplyRow(weights, values, WIDTH_BYTES, target, rounded);
      row += TRIPLE_BYTES;
      target += ROW_BYTES;
    }
  }
}

/** One head's keys and values out of the rows, dense. */
function gather(rows: usize, length: i32, keyStride: usize, keys: usize, values: usize): void {
  for (let token: i32 = 0; token < length; token++) {
    memory.copy(values, rows + VALUES_AT, WIDTH_BYTES);
    let key = keys;
    for (let i: usize = 0; i < WIDTH_BYTES; i += 4) {
      store<f32>(key, load<f32>(rows + i, KEYS_AT));
      key += keyStride;
    }
    rows += TRIPLE_BYTES;
    values += WIDTH_BYTES;
    keys += 4;
  }
}

/** target[32] = left[depth] * right[depth][32], f32; the stride of `right` is in bytes. */
function multiplyRow(left: usize, right: usize, stride: usize, target: usize, depth: i32): void {
  let a = f32x4.splat(0);
  let b = f32x4.splat(0);
  let c = f32x4.splat(0);
  let d = f32x4.splat(0);
  let e = f32x4.splat(0);
  let f = f32x4.splat(0);
  let g = f32x4.splat(0);
  let h = f32x4.splat(0);
  for (let i: i32 = 0; i < depth; i++) {
    const x = v128.load_splat<u32>(left);
    a = f32x4.add(a, f32x4.mul(x, v128.load(right)));
    b = f32x4.add(b, f32x4.mul(x, v128.load(right, 16)));
    c = f32x4.add(c, f32x4.mul(x, v128.load(right, 32)));
    d = f32x4.add(d, f32x4.mul(x, v128.load(right, 48)));
    e = f32x4.add(e, f32x4.mul(x, v128.load(right, 64)));
    f = f32x4.add(f, f32x4.mul(x, v128.load(right, 80)));
    g = f32x4.add(g, f32x4.mul(x, v128.load(right, 96)));
    h = f32x4.add(h, f32x4.mul(x, v128.load(right, 112)));
    left += 4;
    right += stride;
  }
  v128.store(target, a);
  v128.store(target, b, 16);
  v128.store(target, c, 32);
  v128.store(target, d, 48);
  v128.store(target, e, 64);
  v128.store(target, f, 80);
  v128.store(target, g, 96);
  v128.store(target, h, 112);
}

/** In place; what lies between `length` and `rounded` becomes nothing. */
function softmax(weights: usize, length: i32, rounded: i32): void {
  for (let i = length; i < rounded; i++) store<f32>(weights + ((<usize>i) << 2), -f32.MAX_VALUE);
  const end = weights + ((<usize>rounded) << 2);
  const largest = f32x4.splat(findLargest(weights, end, false));
  let sum = f32x4.splat(0);
  for (let at = weights; at < end; at += 16) {
    const power = exp4(f32x4.sub(v128.load(at), largest));
    v128.store(at, power);
    sum = f32x4.add(sum, power);
  }
  const pairs = f32x4.add(sum, v128.shuffle<f32>(sum, sum, 2, 3, 0, 1));
  const total = f32x4.extract_lane(pairs, 0) + f32x4.extract_lane(pairs, 1);
  const factor = f32x4.splat(<f32>1 / total);
  for (let at = weights; at < end; at += 16) v128.store(at, f32x4.mul(v128.load(at), factor));
}

/** Replaces f32[count] by its GELU. `count` is a multiple of 4. */
export function gelu(values: usize, count: i32): void {
  const end = values + ((<usize>count) << 2);
  for (; values < end; values += 16) {
    const x = v128.load(values);
    const half = f32x4.mul(x, f32x4.splat(0.5));
    v128.store(values, f32x4.add(half, f32x4.mul(f32x4.abs(half), erfOfMagnitude(x))));
  }
}

/** erf(|x| / √2) by Abramowitz and Stegun 7.1.26, off by at most 1.5e-7. x·erf(x/√2) = |x|·erf(|x|/√2), so the sign is not needed. */
function erfOfMagnitude(x: v128): v128 {
  const z = f32x4.mul(f32x4.abs(x), f32x4.splat(Mathf.SQRT1_2));
  const t = f32x4.div(f32x4.splat(1), f32x4.add(f32x4.splat(1), f32x4.mul(z, f32x4.splat(0.3275911))));
  let sum = f32x4.add(f32x4.mul(t, f32x4.splat(1.061405429)), f32x4.splat(-1.453152027));
  sum = f32x4.add(f32x4.mul(sum, t), f32x4.splat(1.421413741));
  sum = f32x4.add(f32x4.mul(sum, t), f32x4.splat(-0.284496736));
  sum = f32x4.add(f32x4.mul(sum, t), f32x4.splat(0.254829592));
  const tail = f32x4.mul(f32x4.mul(sum, t), exp4(f32x4.neg(f32x4.mul(z, z))));
  return f32x4.sub(f32x4.splat(1), tail);
}

/**
 * e to the x for four numbers at once, good to seven digits; the same bits on every machine.
 * Below -87 the answer is that of -87 (1.6e-38), above 87 that of 87.
 */
function exp4(x: v128): v128 {
  const bounded = f32x4.pmax(f32x4.splat(-87), f32x4.pmin(f32x4.splat(87), x));
  // e^x = 2^n * e^r with r in ±ln(2)/2; ln(2) in two parts, so that the rest stays exact.
  const n = f32x4.nearest(f32x4.mul(bounded, f32x4.splat(Mathf.LOG2E)));
  const rest = f32x4.sub(bounded, f32x4.mul(n, f32x4.splat(0.693359375)));
  const r = f32x4.add(rest, f32x4.mul(n, f32x4.splat(0.00021219444)));
  let sum = f32x4.add(f32x4.mul(r, f32x4.splat(0.00138888889)), f32x4.splat(0.00833333333));
  sum = f32x4.add(f32x4.mul(sum, r), f32x4.splat(0.0416666667));
  sum = f32x4.add(f32x4.mul(sum, r), f32x4.splat(0.166666667));
  sum = f32x4.add(f32x4.mul(sum, r), f32x4.splat(0.5));
  sum = f32x4.add(f32x4.mul(sum, r), f32x4.splat(1));
  sum = f32x4.add(f32x4.mul(sum, r), f32x4.splat(1));
  const power = i32x4.shl(i32x4.add(i32x4.trunc_sat_f32x4_s(n), i32x4.splat(127)), 23);
  return f32x4.mul(sum, power);
}

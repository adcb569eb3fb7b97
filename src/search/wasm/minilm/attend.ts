// Attention of the tokens of one text to each other, head by head.
import { exp4 } from './exp.ts';

const HEADS: usize = 12;
/** Numbers of one head, and their bytes. */
const WIDTH: i32 = 32;
const WIDTH_BYTES: usize = 128;
/** Queries, keys and values lie side by side in a row of 3 * 384. */
const ROW_BYTES: usize = 4608;
const KEYS_AT: usize = 1536;
const VALUES_AT: usize = 3072;
const CONTEXT_BYTES: usize = 1536;
/** 1 / √32 */
const QUERY_SCALE: f32 = 0.17677669529;

/**
 * Reads f32[length][1152], writes f32[length][384]. With `length` rounded up to a multiple of 8, the scratch takes
 * (3 * 32 + 4) * rounded + 128 numbers: queries, keys (turned, so that neighbours lie side by side), values, and four queries at a
 * time their weights and their result. Rounding adds keys that weigh nothing.
 */
export function attend(rows: usize, context: usize, length: i32, scratch: usize): void {
  const rounded = (length + 7) & ~7;
  const blockBytes = <usize>rounded * WIDTH_BYTES;
  const queries = scratch;
  const keys = queries + blockBytes;
  const values = keys + blockBytes;
  const weights = values + blockBytes;
  const weightBytes = (<usize>rounded) << 2;
  const result = weights + (weightBytes << 2);
  memory.fill(scratch, 0, 3 * blockBytes);
  for (let head: usize = 0; head < HEADS; head++) {
    gather(rows + head * WIDTH_BYTES, length, weightBytes, queries, keys, values);
    for (let query: i32 = 0; query < length; query += 4) {
      const four = queries + <usize>query * WIDTH_BYTES;
      for (let key: usize = 0; key < weightBytes; key += 32) {
        multiplyTile(four, WIDTH_BYTES, keys + key, weightBytes, weights + key, weightBytes, WIDTH);
      }
      for (let i: usize = 0; i < 4; i++) softmax(weights + i * weightBytes, length, rounded);
      for (let i: usize = 0; i < WIDTH_BYTES; i += 32) {
        multiplyTile(weights, weightBytes, values + i, WIDTH_BYTES, result + i, WIDTH_BYTES, rounded);
      }
      const target = context + <usize>query * CONTEXT_BYTES + head * WIDTH_BYTES;
      for (let i: i32 = 0; i < min<i32>(4, length - query); i++) {
        memory.copy(target + <usize>i * CONTEXT_BYTES, result + <usize>i * WIDTH_BYTES, WIDTH_BYTES);
      }
    }
  }
}

/** One head's numbers out of the rows, dense. */
function gather(rows: usize, length: i32, keyStride: usize, queries: usize, keys: usize, values: usize): void {
  const scale = f32x4.splat(QUERY_SCALE);
  for (let token: i32 = 0; token < length; token++) {
    for (let i: usize = 0; i < WIDTH_BYTES; i += 16) {
      v128.store(queries + i, f32x4.mul(v128.load(rows + i), scale));
      v128.store(values + i, v128.load(rows + i, VALUES_AT));
    }
    let key = keys;
    for (let i: usize = 0; i < WIDTH_BYTES; i += 4) {
      store<f32>(key, load<f32>(rows + i, KEYS_AT));
      key += keyStride;
    }
    rows += ROW_BYTES;
    queries += WIDTH_BYTES;
    values += WIDTH_BYTES;
    keys += 4;
  }
}

/** target[4][8] = left[4][depth] * right[depth][8], f32; the strides are in bytes. */
function multiplyTile(
  left: usize,
  leftStride: usize,
  right: usize,
  rightStride: usize,
  target: usize,
  targetStride: usize,
  depth: i32,
): void {
  let a = left;
  let b = a + leftStride;
  let c = b + leftStride;
  let d = c + leftStride;
  let a0 = f32x4.splat(0);
  let a1 = f32x4.splat(0);
  let b0 = f32x4.splat(0);
  let b1 = f32x4.splat(0);
  let c0 = f32x4.splat(0);
  let c1 = f32x4.splat(0);
  let d0 = f32x4.splat(0);
  let d1 = f32x4.splat(0);
  for (let i: i32 = 0; i < depth; i++) {
    const r0 = v128.load(right);
    const r1 = v128.load(right, 16);
    const x = v128.load_splat<u32>(a);
    a0 = f32x4.add(a0, f32x4.mul(x, r0));
    a1 = f32x4.add(a1, f32x4.mul(x, r1));
    const y = v128.load_splat<u32>(b);
    b0 = f32x4.add(b0, f32x4.mul(y, r0));
    b1 = f32x4.add(b1, f32x4.mul(y, r1));
    const z = v128.load_splat<u32>(c);
    c0 = f32x4.add(c0, f32x4.mul(z, r0));
    c1 = f32x4.add(c1, f32x4.mul(z, r1));
    const u = v128.load_splat<u32>(d);
    d0 = f32x4.add(d0, f32x4.mul(u, r0));
    d1 = f32x4.add(d1, f32x4.mul(u, r1));
    a += 4;
    b += 4;
    c += 4;
    d += 4;
    right += rightStride;
  }
  storePair(target, a0, a1);
  storePair(target + targetStride, b0, b1);
  storePair(target + 2 * targetStride, c0, c1);
  storePair(target + 3 * targetStride, d0, d1);
}

function storePair(target: usize, low: v128, high: v128): void {
  v128.store(target, low);
  v128.store(target, high, 16);
}

/** In place; what lies between `length` and `rounded` becomes nothing. */
function softmax(weights: usize, length: i32, rounded: i32): void {
  for (let i = length; i < rounded; i++) store<f32>(weights + ((<usize>i) << 2), -f32.MAX_VALUE);
  const end = weights + ((<usize>rounded) << 2);
  const largest = f32x4.splat(findLargest(weights, end));
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

function findLargest(from: usize, end: usize): f32 {
  let largest = v128.load(from);
  for (let at = from + 16; at < end; at += 16) largest = f32x4.pmax(largest, v128.load(at));
  const one = max<f32>(f32x4.extract_lane(largest, 0), f32x4.extract_lane(largest, 1));
  return max<f32>(one, max<f32>(f32x4.extract_lane(largest, 2), f32x4.extract_lane(largest, 3)));
}

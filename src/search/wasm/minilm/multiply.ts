// Activations times a weight matrix: where most of the time goes.

/** Bytes of weights that one step of the inner loop takes: two inputs of eight channels. */
const STEP_BYTES: usize = 16;

/**
 * output[row][channel] = rowScale * channelScale * Σ input·weight + bias. `rows` is a multiple of 6, `channels` of 8, `inner` of 2.
 * input: i16[rows][inner]. matrix: i8 weights in panels of eight channels, each panel [inner / 2][8 channels][2 inputs], then
 * f32 channelScale[channels], then f32 bias[channels]. Every row of the input times 127 must fit into 31 bits when summed.
 *
 * Six rows by eight channels fill the sixteen registers: each weight that is widened serves six rows, each input eight channels.
 * Four rows are a twentieth slower. Dots of bytes (relaxed SIMD) are a tenth faster, but leave one side only seven bits.
 */
export function multiply(
  input: usize,
  rowScales: usize,
  matrix: usize,
  output: usize,
  rows: i32,
  inner: i32,
  channels: i32,
): void {
  const rowBytes = (<usize>inner) << 1;
  const scales = matrix + <usize>inner * <usize>channels;
  const biases = scales + ((<usize>channels) << 2);
  const outputBytes = (<usize>channels) << 2;
  for (let channel: usize = 0; channel < <usize>channels; channel += 8) {
    const panel = matrix + channel * <usize>inner;
    const at = channel << 2;
    for (let row: usize = 0; row < <usize>rows; row += 6) {
      let a = input + (row + 0) * rowBytes;
      let b = input + (row + 1) * rowBytes;
      let c = input + (row + 2) * rowBytes;
      let d = input + (row + 3) * rowBytes;
      let e = input + (row + 4) * rowBytes;
      let f = input + (row + 5) * rowBytes;
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
      let e0 = i32x4.splat(0);
      let e1 = i32x4.splat(0);
      let f0 = i32x4.splat(0);
      let f1 = i32x4.splat(0);
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
        const v = v128.load_splat<u32>(e);
        e0 = i32x4.add(e0, i32x4.dot_i16x8_s(v, w0));
        e1 = i32x4.add(e1, i32x4.dot_i16x8_s(v, w1));
        const w = v128.load_splat<u32>(f);
        f0 = i32x4.add(f0, i32x4.dot_i16x8_s(w, w0));
        f1 = i32x4.add(f1, i32x4.dot_i16x8_s(w, w1));
        a += 4;
        b += 4;
        c += 4;
        d += 4;
        e += 4;
        f += 4;
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
      target += outputBytes;
      storeRow(target, e0, e1, load<f32>(scale, 16), scales + at, biases + at);
      target += outputBytes;
      storeRow(target, f0, f1, load<f32>(scale, 20), scales + at, biases + at);
      target += outputBytes;
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

// BERT's activation: x times the share of the normal distribution below x.
import { exp4 } from './exp.ts';

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

// e to the x for four numbers at once, good to seven digits; the same bits on every machine.

/** Below -87 the answer is that of -87 (1.6e-38), above 87 that of 87. */
export function exp4(x: v128): v128 {
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

// Modified Bessel functions of the first kind, orders 0 and 1.
#pragma once

// Up to 30: the power series in double-double arithmetic, because errors accumulate over the powers of x. Above 30:
// Hankel's expansion, whose terms fall below the last bit before they grow (Abramowitz and Stegun, 9.6.10 and 9.7.1).
// Above 714 the result is infinite.
__HEDDLE_BOTH_FN double __heddle_bessel_i(int order, double x) {
  double sum = 1, term = 1;
  if (x <= 30) {
    double square = x * x / 4, rest = __heddle_fma(x / 2, x / 2, -square), termRest = 0,
           sumRest = 0;
    for (int k = 1; k < 200 && term > sum * 1e-17; ++k) {
      double divisor = k * (double)(k + order), product = term * square;
      termRest = __heddle_fma(term, square, -product) + (term * rest + termRest * square);
      term = product / divisor;
      termRest = (__heddle_fma(-term, divisor, product) + termRest) / divisor;
      double next = sum + term, added = next - sum;
      sumRest += (sum - (next - added)) + (term - added) + termRest;
      sum = next;
    }
    sum += sumRest;
    return order ? sum * x / 2 : sum;
  }
  if (x > 720)
    return __builtin_inf();
  double rest = 0;
  for (int k = 1; k < 60 && __heddle_fabs(term) > 1e-17; ++k)
    rest += term *= ((2 * k - 1) * (2 * k - 1) - 4 * order * order) / (8 * x * k);
  // exp(x) overflows before the result does: subtract 64 log 2 in two parts, the first of which is exact.
  double power = __heddle_exp(x - 0x1.62e42fefap+5);
  power = __heddle_fma(power, -0x1.cf79abc9e3b3ap-34, power);
  return power * ((1 + rest) / __heddle_sqrt(6.28318530717958647693 * x)) * 0x1p64;
}

__HEDDLE_BOTH_FN double cyl_bessel_i0(double x) { return __heddle_bessel_i(0, __heddle_fabs(x)); }
__HEDDLE_BOTH_FN double cyl_bessel_i1(double x) {
  return __heddle_copysign(__heddle_bessel_i(1, __heddle_fabs(x)), x);
}
__HEDDLE_BOTH_FN float cyl_bessel_i0f(float x) { return (float)cyl_bessel_i0(x); }
__HEDDLE_BOTH_FN float cyl_bessel_i1f(float x) { return (float)cyl_bessel_i1(x); }

// Formulas for functions that the libraries lack, in double and in __float128.
#pragma once

#include <cmath>
#include <quadmath.h>
#include <type_traits>

namespace {

using Quad = __float128;

// The functions that the formulas call, for double and Quad.

double expOf(double x) { return std::exp(x); }
Quad expOf(Quad x) { return expq(x); }
double erfcOf(double x) { return std::erfc(x); }
Quad erfcOf(Quad x) { return erfcq(x); }
double erfOf(double x) { return std::erf(x); }
Quad erfOf(Quad x) { return erfq(x); }
double logOf(double x) { return std::log(x); }
Quad logOf(Quad x) { return logq(x); }
double sqrtOf(double x) { return std::sqrt(x); }
Quad sqrtOf(Quad x) { return sqrtq(x); }
double cbrtOf(double x) { return std::cbrt(x); }
Quad cbrtOf(Quad x) { return cbrtq(x); }
double absOf(double x) { return std::fabs(x); }
Quad absOf(Quad x) { return fabsq(x); }
double sinOf(double x) { return std::sin(x); }
Quad sinOf(Quad x) { return sinq(x); }
double cosOf(double x) { return std::cos(x); }
Quad cosOf(Quad x) { return cosq(x); }
double rintOf(double x) { return std::rint(x); }
Quad rintOf(Quad x) { return rintq(x); }
double hypotOf(double x, double y) { return std::hypot(x, y); }
Quad hypotOf(Quad x, Quad y) { return hypotq(x, y); }

const Quad pi = M_PIq;
const Quad halfSqrtPi = 1 / M_2_SQRTPIq;
template <class R> R nan() { return R(__builtin_nan("")); }
template <class R> R infinity() { return R(__builtin_inf()); }

/// Relative size below which terms of a series are ignored.
template <class R> constexpr R negligible = R(1e-17Q);
template <> constexpr Quad negligible<Quad> = 1e-30Q;

/// x minus the nearest multiple of 2, in [-1, 1]. Exact.
template <class R> R reduceModuloTwo(R x) { return x - 2 * rintOf(x / 2); }

template <class R> R sinpi(R x) {
  R r = reduceModuloTwo(x);
  if (r == 0 || absOf(r) == 1)
    return 0;
  if (absOf(r) > R(0.75))
    return sinOf(R(pi) * ((r > 0 ? 1 : -1) - r));
  if (absOf(r) > R(0.25))
    return (r > 0 ? 1 : -1) * cosOf(R(pi) * (absOf(r) - R(0.5)));
  return sinOf(R(pi) * r);
}
template <class R> R cospi(R x) {
  R r = absOf(reduceModuloTwo(x));
  if (!(r <= 1))
    return nan<R>();
  if (r < R(0.25))
    return cosOf(R(pi) * r);
  if (r > R(0.75))
    return -cosOf(R(pi) * (1 - r));
  return sinOf(R(pi) * (R(0.5) - r));
}
template <class R> R erfcx(R x) {
  if (!(x > 26))                     // erfc of larger numbers is subnormal in double
    return expOf(x * x) * erfcOf(x); // x * x is exact: x has no more than half of the digits
  // The asymptotic series: its terms decrease until term n is about exp(-x^2).
  R sum = 1, term = 1, half = 1 / (2 * x * x);
  for (int n = 1; n < 40 && absOf(term) > negligible<R>; ++n) {
    term *= -(2 * n - 1) * half;
    sum += term;
  }
  return sum / (2 * R(halfSqrtPi) * x);
}
Quad normcdf(Quad x) { return erfcq(-x * M_SQRT1_2q) / 2; }
double normcdf(double x) {
  double z = -x * M_SQRT1_2;
  if (!(z > 1 && z < 30))
    return std::erfc(z) / 2;
  // erfc multiplies the relative error of z by 2 z^2, so correct it to first order.
  double error = std::fma(-x, M_SQRT1_2, -z) - x * double(M_SQRT1_2q - M_SQRT1_2);
  return (std::erfc(z) - error * M_2_SQRTPI * std::exp(-z * z)) / 2;
}

/// Relative size of the last step of Halley's method: each step triples the number of correct digits.
template <class R> constexpr R lastStep = R(1e-6Q);
template <> constexpr Quad lastStep<Quad> = 1e-10Q;

/// erfcinv of y in (0, 0.5] to a few digits.
template <class R> R approximateErfcinv(R y) {
  R logOfProduct = logOf(y * (2 - y));
  R a = R(0.147Q), b = 2 / (R(pi) * a) + logOfProduct / 2;
  return sqrtOf(sqrtOf(b * b - logOfProduct / a) - b);
}
template <class R> R erfcinvSmall(R y) { // y in (0, 0.5]: solves log erfc(z) = log y
  R z;
  if (std::is_same_v<R, Quad> && y > R(1e-300Q)) // from the result in double
    z = erfcinvSmall(double(y));
  else
    z = approximateErfcinv(y);
  for (R step = z; absOf(step) > z * lastStep<R>;) {
    R there = erfcOf(z);
    R difference = logOf(there / y), inverseSlope = R(halfSqrtPi) * there * expOf(z * z);
    step = difference * inverseSlope / (1 - difference * (z * inverseSlope - R(0.5)));
    z += step;
  }
  return z;
}
template <class R> R erfinv(R x) {
  R size = absOf(x);
  if (!(size <= 1))
    return nan<R>();
  if (size == 1)
    return x * infinity<R>();
  if (size > R(0.5))
    return (x > 0 ? 1 : -1) * erfcinvSmall(1 - size); // exact
  R square = x * x;
  R z = x * R(halfSqrtPi) * (1 + R(pi) * square / 12);
  if (square * square < negligible<R>)
    return z;
  if (std::is_same_v<R, Quad>)
    z = erfinv(double(x));
  for (R step = z; absOf(step) > absOf(z) * lastStep<R>;) {
    R newton = (x - erfOf(z)) * R(halfSqrtPi) * expOf(z * z);
    step = newton / (1 - newton * z);
    z += step;
  }
  return z;
}
template <class R> R erfcinv(R y) {
  if (!(y >= 0 && y <= 2))
    return nan<R>();
  if (y == 0 || y == 2)
    return y == 0 ? infinity<R>() : -infinity<R>();
  if (y > R(0.5) && y < R(1.5))
    return erfinv(1 - y); // exact
  return y < 1 ? erfcinvSmall(y) : -erfcinvSmall(2 - y);
}
template <class R> R normcdfinv(R p) {
  if (!(p >= 0 && p <= 1))
    return nan<R>();
  return -sqrtOf(R(2)) * erfcinv(2 * p);
}

/// The ratios of successive terms of the two series of a modified Bessel function, without their powers of x.
template <class R, int order> struct BesselRatios {
  static constexpr int terms = 120, farTerms = 60;
  R series[terms], far[farTerms];

  BesselRatios() {
    for (int k = 1; k <= terms; ++k)
      series[k - 1] = R(1) / (R(k) * (k + order));
    for (int k = 1; k <= farTerms; ++k)
      far[k - 1] = R((2 * k - 1) * (2 * k - 1) - 4 * order * order) / (8 * k);
  }
};
template <class R, int order> const BesselRatios<R, order> besselRatios;

template <class R, int order> R besselI(R x) {
  R size = absOf(x);
  if (!(size < 720))
    return (x < 0 && order ? -1 : 1) * size * infinity<R>(); // NaN for NaN
  R sum = 1, term = 1;
  if (size < 30) { // the power series, all of whose terms are positive
    R square = x * x / 4;
    for (R ratio : besselRatios<R, order>.series) {
      term *= square * ratio;
      sum += term;
      if (term < sum * negligible<R>)
        break;
    }
    return order ? x / 2 * sum : sum;
  }
  // The asymptotic series: its terms decrease until term 2 x is about exp(-2 x).
  R inverse = 1 / size;
  for (R ratio : besselRatios<R, order>.far) {
    term *= ratio * inverse;
    sum += term;
    if (absOf(term) < negligible<R>)
      break;
  }
  return (x < 0 && order ? -1 : 1) * expOf(size) * sum / sqrtOf(2 * R(pi) * size);
}

/// Evaluates a Bessel function in double, or in Quad near its zeros up to 8, where glibc's double functions lose digits.
/// Beyond 8, CUDA bounds the absolute error.
template <double (*inDouble)(double), Quad (*inQuad)(Quad)> double evaluateBessel(float x) {
  double y = inDouble(x);
  bool nearZero = std::fabs(y) < 0x1p-4 && std::fabs(x) > 0.5 && std::fabs(x) <= 8;
  return nearZero ? double(inQuad(x)) : y;
}
double lgammaOf(double x) { // lgamma writes a global variable
  int sign;
  return ::lgamma_r(x, &sign);
}
template <class R> R rsqrt(R x) { return 1 / sqrtOf(x); }
template <class R> R rcbrt(R x) { return 1 / cbrtOf(x); }
template <class R> R rhypot(R x, R y) { return 1 / hypotOf(x, y); }
Quad exp10Quad(Quad x) { return absOf(x) > 400 ? powq(10, x) : expq(x * M_LN10q); }

} // namespace

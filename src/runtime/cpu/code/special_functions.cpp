#include "runtime/cpu/code/special_functions.h"

#include <cmath>
#include <limits>
#include <math.h>

// Everything is computed in long double, which leaves bits to spare for double: with the 64 bits of x86 about ten
// before the last place of the result is wrong.

namespace heddle::cpu {

namespace {

using Wide = long double;

constexpr Wide pi = 3.141592653589793238462643383279502884L;
constexpr Wide rootOfPi = 1.772453850905516027298167483341145183L;
constexpr Wide rootOf2 = 1.414213562373095048801688724209698079L;
constexpr Wide infinity = std::numeric_limits<Wide>::infinity();
constexpr Wide notANumber = std::numeric_limits<Wide>::quiet_NaN();

/// x as quarter * 1/2 + rest with |rest| <= 1/4, all exact; quarter modulo 4.
struct HalfTurns {
  int quarter;
  Wide rest;
};
HalfTurns halfTurns(Wide x) {
  Wide whole = std::rint(2 * x);
  int quarter = int(std::fmod(whole, Wide(4)));
  return {(quarter + 4) % 4, x - whole / 2};
}

Wide sineOfTurns(int quarter, Wide rest) {
  Wide value = quarter % 2 ? std::cos(pi * rest) : std::sin(pi * rest);
  return quarter < 2 ? value : -value;
}

Wide wideSinPi(Wide x) {
  if (!std::isfinite(x))
    return notANumber;
  auto [quarter, rest] = halfTurns(x);
  if (rest == 0 && quarter % 2 == 0)
    return std::copysign(Wide(0), x);
  return sineOfTurns(quarter, rest);
}

Wide wideCosPi(Wide x) {
  if (!std::isfinite(x))
    return notANumber;
  auto [quarter, rest] = halfTurns(x);
  return sineOfTurns((quarter + 1) % 4, rest) + Wide(0); // never -0
}

/// Where erfc has the value y, to about two digits (Winitzki's approximation of erf, solved for x).
Wide nearInverseErfc(Wide y) {
  constexpr Wide a = 0.147L;
  Wide logarithm = std::log(y * (2 - y));
  Wide half = 2 / (pi * a) + logarithm / 2;
  return std::copysign(std::sqrt(std::sqrt(half * half - logarithm / a) - half), 1 - y);
}

/// For 0 < y < 1/2. Newton's method on the logarithm, which is nearly a parabola, then Halley's on the function.
Wide inverseErfcOfTail(Wide y) {
  Wide x = nearInverseErfc(y);
  for (int i = 0; i < 3; ++i) {
    Wide value = std::erfc(x);
    x += std::log(value / y) * value * rootOfPi / 2 * std::exp(x * x);
  }
  for (int i = 0; i < 2; ++i) {
    Wide step = (y - std::erfc(x)) * rootOfPi / 2 * std::exp(x * x);
    x -= step / (1 + x * step);
  }
  return x;
}

/// For |y| <= 1/2, by Halley's method.
Wide inverseErfNearZero(Wide y) {
  if (y == 0)
    return y;
  Wide x = y * rootOfPi / 2;
  for (int i = 0; i < 5; ++i) {
    Wide step = (std::erf(x) - y) * rootOfPi / 2 * std::exp(x * x);
    x -= step / (1 + x * step);
  }
  return x;
}

Wide wideInverseErfc(Wide y) {
  if (!(y >= 0 && y <= 2))
    return notANumber;
  if (y == 0 || y == 2)
    return y == 0 ? infinity : -infinity;
  if (y < 0.5L)
    return inverseErfcOfTail(y);
  return y > 1.5L ? -inverseErfcOfTail(2 - y) : inverseErfNearZero(1 - y);
}

Wide wideInverseErf(Wide y) {
  if (!(std::abs(y) <= 1))
    return notANumber;
  if (std::abs(y) <= 0.5L)
    return inverseErfNearZero(y);
  return std::copysign(wideInverseErfc(1 - std::abs(y)), y);
}

Wide wideScaledErfc(Wide x) {
  if (x < 10)
    return std::exp(x * x) * std::erfc(x);
  // The asymptotic series; its terms shrink until the fiftieth at least.
  Wide inverse = 1 / x, square = inverse * inverse / 2, term = 1, sum = 1;
  for (int k = 1; k < 40 && std::abs(term) > std::numeric_limits<Wide>::epsilon(); ++k) {
    term *= -(2 * k - 1) * square;
    sum += term;
  }
  return sum * inverse / rootOfPi;
}

} // namespace

template <class T> T powerOfTen(T x) { return T(std::pow(Wide(10), Wide(x))); }
template <class T> T sinPi(T x) { return T(wideSinPi(x)); }
template <class T> T cosPi(T x) { return T(wideCosPi(x)); }
template <class T> T reciprocalCubeRoot(T x) { return T(1 / std::cbrt(Wide(x))); }
template <class T> T inverseErf(T y) { return T(wideInverseErf(y)); }
template <class T> T inverseErfc(T y) { return T(wideInverseErfc(y)); }
template <class T> T scaledErfc(T x) { return T(wideScaledErfc(x)); }
template <class T> T normalDistribution(T x) { return T(std::erfc(-Wide(x) / rootOf2) / 2); }
template <class T> T inverseNormalDistribution(T p) {
  return T(-rootOf2 * wideInverseErfc(2 * Wide(p)));
}
template <class T> T besselJ0(T x) { return T(j0l(x)); }
template <class T> T besselJ1(T x) { return T(j1l(x)); }
template <class T> T besselY0(T x) { return T(y0l(x)); }
template <class T> T besselY1(T x) { return T(y1l(x)); }
template <class T> T besselJn(int n, T x) { return T(n < 0 ? notANumber : jnl(n, x)); }
template <class T> T besselYn(int n, T x) { return T(n < 0 ? notANumber : ynl(n, x)); }
template <class T> int remquoQuotient(T x, T y) {
  int quotient = 0;
  std::remquo(x, y, &quotient);
  return quotient;
}

#define HEDDLE_INSTANTIATE(T)                                                                      \
  template T powerOfTen(T);                                                                        \
  template T sinPi(T);                                                                             \
  template T cosPi(T);                                                                             \
  template T reciprocalCubeRoot(T);                                                                \
  template T inverseErf(T);                                                                        \
  template T inverseErfc(T);                                                                       \
  template T scaledErfc(T);                                                                        \
  template T normalDistribution(T);                                                                \
  template T inverseNormalDistribution(T);                                                         \
  template T besselJ0(T);                                                                          \
  template T besselJ1(T);                                                                          \
  template T besselY0(T);                                                                          \
  template T besselY1(T);                                                                          \
  template T besselJn(int, T);                                                                     \
  template T besselYn(int, T);                                                                     \
  template int remquoQuotient(T, T);

HEDDLE_INSTANTIATE(float)
HEDDLE_INSTANTIATE(double)

} // namespace heddle::cpu

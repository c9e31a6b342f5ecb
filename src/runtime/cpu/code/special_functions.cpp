#include "runtime/cpu/code/special_functions.h"

#include "runtime/cpu/code/bessel_roots.h"

#include <cmath>
#include <iterator>
#include <limits>
#include <math.h>
#include <type_traits>

// Float functions compute in double, and double functions in long double, for the spare bits. On x86, with 64 bits of
// significand, about the last ten bits of the intermediate result may be wrong.

namespace heddle::cpu {

namespace {

template <class T> using Wide = std::conditional_t<std::is_same_v<T, float>, double, long double>;

template <class W> constexpr W pi = W(3.141592653589793238462643383279502884L);
template <class W> constexpr W rootOfPi = W(1.772453850905516027298167483341145183L);
template <class W> constexpr W rootOf2 = W(1.414213562373095048801688724209698079L);
template <class W> constexpr W infinity = std::numeric_limits<W>::infinity();
template <class W> constexpr W notANumber = std::numeric_limits<W>::quiet_NaN();

/// Represents x as quarter * 1/2 + rest with |rest| <= 1/4, exactly; quarter is modulo 4.
template <class W> struct HalfTurns {
  int quarter;
  W rest;
};
template <class W> HalfTurns<W> splitIntoHalfTurns(W x) {
  W whole = std::rint(2 * x);
  int quarter = int(std::fmod(whole, W(4)));
  return {(quarter + 4) % 4, x - whole / 2};
}

template <class W> W sineOfTurns(int quarter, W rest) {
  W value = quarter % 2 ? std::cos(pi<W> * rest) : std::sin(pi<W> * rest);
  return quarter < 2 ? value : -value;
}

template <class W> W wideSinPi(W x) {
  if (!std::isfinite(x))
    return notANumber<W>;
  auto [quarter, rest] = splitIntoHalfTurns(x);
  if (rest == 0 && quarter % 2 == 0)
    return std::copysign(W(0), x);
  return sineOfTurns(quarter, rest);
}

template <class W> W wideCosPi(W x) {
  if (!std::isfinite(x))
    return notANumber<W>;
  auto [quarter, rest] = splitIntoHalfTurns(x);
  return sineOfTurns((quarter + 1) % 4, rest) + W(0); // never -0
}

/// An x with erfc(x) close to y, to about two digits (Winitzki's approximation of erf, solved for x).
template <class W> W approximateInverseErfc(W y) {
  constexpr W a = W(0.147L);
  W logarithm = std::log(y * (2 - y));
  W half = 2 / (pi<W> * a) + logarithm / 2;
  return std::copysign(std::sqrt(std::sqrt(half * half - logarithm / a) - half), 1 - y);
}

/// erfc^-1 for 0 < y < 1/2: Newton's method on the logarithm, which is nearly quadratic, then Halley's on erfc.
template <class W> W inverseErfcOfTail(W y) {
  W x = approximateInverseErfc(y);
  for (int i = 0; i < 3; ++i) {
    W value = std::erfc(x);
    x += std::log(value / y) * value * rootOfPi<W> / 2 * std::exp(x * x);
  }
  for (int i = 0; i < 2; ++i) {
    W step = (y - std::erfc(x)) * rootOfPi<W> / 2 * std::exp(x * x);
    x -= step / (1 + x * step);
  }
  return x;
}

/// erf^-1 for |y| <= 1/2, by Halley's method.
template <class W> W inverseErfNearZero(W y) {
  if (y == 0)
    return y;
  W x = y * rootOfPi<W> / 2;
  for (int i = 0; i < 5; ++i) {
    W step = (std::erf(x) - y) * rootOfPi<W> / 2 * std::exp(x * x);
    x -= step / (1 + x * step);
  }
  return x;
}

template <class W> W wideInverseErfc(W y) {
  if (!(y >= 0 && y <= 2))
    return notANumber<W>;
  if (y == 0 || y == 2)
    return y == 0 ? infinity<W> : -infinity<W>;
  if (y < W(0.5))
    return inverseErfcOfTail(y);
  return y > W(1.5) ? -inverseErfcOfTail(2 - y) : inverseErfNearZero(1 - y);
}

template <class W> W wideInverseErf(W y) {
  if (!(std::abs(y) <= 1))
    return notANumber<W>;
  if (std::abs(y) <= W(0.5))
    return inverseErfNearZero(y);
  return std::copysign(wideInverseErfc(1 - std::abs(y)), y);
}

template <class W> W wideScaledErfc(W x) {
  if (x < 10)
    return std::exp(x * x) * std::erfc(x);
  // The asymptotic series. Its terms decrease at least up to the fiftieth.
  W inverse = 1 / x, square = inverse * inverse / 2, term = 1, sum = 1;
  for (int k = 1; k < 40 && std::abs(term) > std::numeric_limits<W>::epsilon(); ++k) {
    term *= -(2 * k - 1) * square;
    sum += term;
  }
  return sum * inverse / rootOfPi<W>;
}

/// The root within 2^-8 of x; null if there is none.
template <size_t n> const RootSeries *findRootNear(const RootSeries (&roots)[n], long double x) {
  for (const RootSeries &root : roots)
    if (std::abs(x - root.high) < 0x1p-8L)
      return &root;
  return nullptr;
}

/// The function's value at x, which is near the root. Accurate to all digits.
long double evaluateNear(const RootSeries &root, long double x) {
  long double distance = (x - root.high) - root.low, sum = 0; // the first difference is exact
  for (int i = std::size(root.coefficients) - 1; i >= 0; --i)
    sum = sum * distance + root.coefficients[i];
  return sum * distance;
}

// libm's functions for long double lose relative accuracy next to their roots.

double bessel0(double x) { return ::j0(x); }
long double bessel0(long double x) {
  const RootSeries *root = findRootNear(rootsOfJ0, std::abs(x));
  return root ? evaluateNear(*root, std::abs(x)) : j0l(x);
}
double bessel1(double x) { return ::j1(x); }
long double bessel1(long double x) {
  const RootSeries *root = findRootNear(rootsOfJ1, std::abs(x));
  return root ? std::copysign(1.0L, x) * evaluateNear(*root, std::abs(x)) : j1l(x);
}
double neumann0(double x) { return ::y0(x); }
long double neumann0(long double x) {
  const RootSeries *root = findRootNear(rootsOfY0, x);
  return root ? evaluateNear(*root, x) : y0l(x);
}
double neumann1(double x) { return ::y1(x); }
long double neumann1(long double x) {
  const RootSeries *root = findRootNear(rootsOfY1, x);
  return root ? evaluateNear(*root, x) : y1l(x);
}
double computeJn(int n, double x) { return ::jn(n, x); }
long double computeJn(int n, long double x) { return jnl(n, x); }
double computeYn(int n, double x) { return ::yn(n, x); }
long double computeYn(int n, long double x) { return ynl(n, x); }

} // namespace

template <class T> T powerOfTen(T x) { return T(std::pow(Wide<T>(10), Wide<T>(x))); }
template <class T> T sinPi(T x) { return T(wideSinPi(Wide<T>(x))); }
template <class T> T cosPi(T x) { return T(wideCosPi(Wide<T>(x))); }
template <class T> T reciprocalCubeRoot(T x) { return T(1 / std::cbrt(Wide<T>(x))); }
template <class T> T inverseErf(T y) { return T(wideInverseErf(Wide<T>(y))); }
template <class T> T inverseErfc(T y) { return T(wideInverseErfc(Wide<T>(y))); }
template <class T> T scaledErfc(T x) { return T(wideScaledErfc(Wide<T>(x))); }
template <class T> T normalDistribution(T x) {
  return T(std::erfc(-Wide<T>(x) / rootOf2<Wide<T>>) / 2);
}
template <class T> T inverseNormalDistribution(T p) {
  return T(-rootOf2<Wide<T>> * wideInverseErfc(2 * Wide<T>(p)));
}
template <class T> T besselJ0(T x) { return T(bessel0(Wide<T>(x))); }
template <class T> T besselJ1(T x) { return T(bessel1(Wide<T>(x))); }
template <class T> T besselY0(T x) { return T(neumann0(Wide<T>(x))); }
template <class T> T besselY1(T x) { return T(neumann1(Wide<T>(x))); }
template <class T> T besselJn(int n, T x) {
  if (n == 0 || n == 1)
    return n == 0 ? besselJ0(x) : besselJ1(x);
  return n < 0 ? notANumber<T> : T(computeJn(n, Wide<T>(x)));
}
template <class T> T besselYn(int n, T x) {
  if (n == 0 || n == 1)
    return n == 0 ? besselY0(x) : besselY1(x);
  return n < 0 ? notANumber<T> : T(computeYn(n, Wide<T>(x)));
}
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

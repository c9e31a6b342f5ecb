// CUDA math functions that libm lacks or implements less accurately than CUDA documents. Defined for float and double.
#pragma once

namespace heddle::cpu {

template <class T> T powerOfTen(T x);
template <class T> T sinPi(T x);
template <class T> T cosPi(T x);
template <class T> T reciprocalCubeRoot(T x);
/// The x with erf(x) == y; infinite for +-1, NaN for |y| > 1.
template <class T> T inverseErf(T y);
/// The x with erfc(x) == y; infinite for 0 and 2, NaN outside [0, 2].
template <class T> T inverseErfc(T y);
/// exp(x * x) * erfc(x)
template <class T> T scaledErfc(T x);
/// The cumulative distribution function of the standard normal distribution.
template <class T> T normalDistribution(T x);
template <class T> T inverseNormalDistribution(T p);
/// Bessel functions; NaN for negative orders, as in CUDA.
template <class T> T besselJ0(T x);
template <class T> T besselJ1(T x);
template <class T> T besselY0(T x);
template <class T> T besselY1(T x);
template <class T> T besselJn(int n, T x);
template <class T> T besselYn(int n, T x);
/// The sign and the lowest bits of x / y rounded to the nearest integer.
template <class T> int remquoQuotient(T x, T y);

} // namespace heddle::cpu

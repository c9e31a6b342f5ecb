// Functions of NVIDIA's math library that libm does not have, or not as exact as CUDA documents them. Defined for float
// and double.
#pragma once

namespace heddle::cpu {

template <class T> T powerOfTen(T x);
template <class T> T sinPi(T x);
template <class T> T cosPi(T x);
template <class T> T reciprocalCubeRoot(T x);
/// The x with erf(x) == y; infinite for +-1, NaN outside.
template <class T> T inverseErf(T y);
/// The x with erfc(x) == y; infinite for 0 and 2, NaN outside.
template <class T> T inverseErfc(T y);
/// exp(x * x) * erfc(x)
template <class T> T scaledErfc(T x);
/// The probability that a standard normal variable is at most x.
template <class T> T normalDistribution(T x);
template <class T> T inverseNormalDistribution(T p);
/// Bessel functions; of an order below 0 they are NaN, as CUDA's.
template <class T> T besselJ0(T x);
template <class T> T besselJ1(T x);
template <class T> T besselY0(T x);
template <class T> T besselY1(T x);
template <class T> T besselJn(int n, T x);
template <class T> T besselYn(int n, T x);
/// x / y rounded to the nearest integer: its sign and its lowest bits.
template <class T> int remquoQuotient(T x, T y);

} // namespace heddle::cpu

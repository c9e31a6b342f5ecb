// Arithmetic with directed rounding: IEEE 754's roundTowardNegative (Down), roundTowardPositive (Up) and
// roundTowardZero (ToZero). Defined for float and double.
#pragma once

namespace heddle::cpu {

template <class T> T addDown(T x, T y);
template <class T> T addUp(T x, T y);
template <class T> T addToZero(T x, T y);
template <class T> T mulDown(T x, T y);
template <class T> T mulUp(T x, T y);
template <class T> T mulToZero(T x, T y);
template <class T> T divDown(T x, T y);
template <class T> T divUp(T x, T y);
template <class T> T divToZero(T x, T y);
template <class T> T sqrtDown(T x);
template <class T> T sqrtUp(T x);
template <class T> T sqrtToZero(T x);
template <class T> T fmaDown(T x, T y, T z);
template <class T> T fmaUp(T x, T y, T z);
template <class T> T fmaToZero(T x, T y, T z);

} // namespace heddle::cpu

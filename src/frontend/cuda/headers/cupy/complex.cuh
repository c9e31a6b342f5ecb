// complex<T> for CuPy kernels: in the global namespace, and as thrust::complex.
#pragma once
#include "heddle/complex.h"

using thrust::complex;
using thrust::abs;
using thrust::acos;
using thrust::acosh;
using thrust::arg;
using thrust::asin;
using thrust::asinh;
using thrust::atan;
using thrust::atanh;
using thrust::conj;
using thrust::cos;
using thrust::cosh;
using thrust::exp;
using thrust::log;
using thrust::log10;
using thrust::norm;
using thrust::polar;
using thrust::pow;
using thrust::proj;
using thrust::sin;
using thrust::sinh;
using thrust::sqrt;
using thrust::tan;
using thrust::tanh;

// Compares real parts, then imaginary parts. Comparisons with NaN are false, and NaN is never the minimum or maximum.
template <class _T> __HEDDLE_FN bool operator<(const complex<_T> &x, const complex<_T> &y) {
  return x.real() < y.real() || (x.real() == y.real() && x.imag() < y.imag());
}
template <class _T> __HEDDLE_FN bool operator>(const complex<_T> &x, const complex<_T> &y) { return y < x; }
template <class _T> __HEDDLE_FN bool operator<=(const complex<_T> &x, const complex<_T> &y) { return x == y || x < y; }
template <class _T> __HEDDLE_FN bool operator>=(const complex<_T> &x, const complex<_T> &y) { return x == y || y < x; }

template <class _T> __HEDDLE_FN _T real(const complex<_T> &x) { return x.real(); }
template <class _T> __HEDDLE_FN _T imag(const complex<_T> &x) { return x.imag(); }
template <class _T> __HEDDLE_FN bool isnan(const complex<_T> &x) { return isnan(x.real()) || isnan(x.imag()); }
template <class _T> __HEDDLE_FN bool isinf(const complex<_T> &x) { return isinf(x.real()) || isinf(x.imag()); }
template <class _T> __HEDDLE_FN bool isfinite(const complex<_T> &x) {
  return isfinite(x.real()) && isfinite(x.imag());
}
template <class _T> __HEDDLE_FN complex<_T> min(const complex<_T> &x, const complex<_T> &y) {
  return isnan(x) || (y < x && !isnan(y)) ? y : x;
}
template <class _T> __HEDDLE_FN complex<_T> max(const complex<_T> &x, const complex<_T> &y) {
  return isnan(x) || (x < y && !isnan(y)) ? y : x;
}
template <class _T> __HEDDLE_FN complex<_T> log1p(const complex<_T> &x) { return log(x + _T(1)); }
template <class _T> __HEDDLE_FN complex<_T> log2(const complex<_T> &x) { return log(x) / log(_T(2)); }
template <class _T> __HEDDLE_FN complex<_T> expm1(const complex<_T> &x) { return exp(x) - _T(1); }
template <class _T> __HEDDLE_FN complex<_T> rint(const complex<_T> &x) { return {rint(x.real()), rint(x.imag())}; }

// complex<T> as CuPy's kernels have it: in the global namespace, and as thrust::complex.
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

// The real part decides, then the imaginary one; NaN is neither less nor more.
template <class _T> __HEDDLE_FN bool operator<(const complex<_T> &x, const complex<_T> &y) {
  return x.real() < y.real() || (x.real() == y.real() && x.imag() < y.imag());
}
template <class _T> __HEDDLE_FN bool operator>(const complex<_T> &x, const complex<_T> &y) { return y < x; }
template <class _T> __HEDDLE_FN bool operator<=(const complex<_T> &x, const complex<_T> &y) { return x == y || x < y; }
template <class _T> __HEDDLE_FN bool operator>=(const complex<_T> &x, const complex<_T> &y) { return x == y || y < x; }
template <class _T> __HEDDLE_FN complex<_T> min(const complex<_T> &x, const complex<_T> &y) { return y < x ? y : x; }
template <class _T> __HEDDLE_FN complex<_T> max(const complex<_T> &x, const complex<_T> &y) { return x < y ? y : x; }

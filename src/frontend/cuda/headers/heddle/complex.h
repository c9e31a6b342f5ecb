// thrust::complex.
#pragma once
#include <type_traits>

namespace thrust {

template <class _T> struct __align__(sizeof(_T) * 2) complex {
  typedef _T value_type;

  complex() = default;
  __HEDDLE_LIB complex(_T re) : x(re), y(0) {}
  __HEDDLE_LIB complex(_T re, _T im) : x(re), y(im) {}
  template <class _U,
            class = std::enable_if_t<std::is_arithmetic<_U>::value && !std::is_same<_U, _T>::value>>
  __HEDDLE_LIB complex(_U re) : x((_T)re), y(0) {}
  template <class _U>
  __HEDDLE_LIB complex(const complex<_U> &z) : x((_T)z.real()), y((_T)z.imag()) {}

  __HEDDLE_LIB _T real() const { return x; }
  __HEDDLE_LIB _T imag() const { return y; }
  __HEDDLE_LIB14 void real(_T re) { x = re; }
  __HEDDLE_LIB14 void imag(_T im) { y = im; }

  __HEDDLE_LIB14 complex &operator+=(const complex &z) { return *this = complex(x + z.x, y + z.y); }
  __HEDDLE_LIB14 complex &operator-=(const complex &z) { return *this = complex(x - z.x, y - z.y); }
  __HEDDLE_LIB14 complex &operator*=(const complex &z) {
    return *this = complex(x * z.x - y * z.y, x * z.y + y * z.x);
  }
  __HEDDLE_LIB14 complex &operator/=(const complex &z);
  __HEDDLE_LIB14 complex &operator*=(_T s) { return *this = complex(x * s, y * s); }
  __HEDDLE_LIB14 complex &operator/=(_T s) { return *this = complex(x / s, y / s); }

private:
  _T x, y;
};

template <class _T> __HEDDLE_LIB14 _T __magnitude(_T v) { return v < 0 ? -v : v; }
// Scales by the divisor's larger part to avoid intermediate overflow (R. L. Smith, CACM 5 (1962), 435).
template <class _T> __HEDDLE_LIB14 complex<_T> &complex<_T>::operator/=(const complex &z) {
  if (__magnitude(z.x) >= __magnitude(z.y)) {
    _T r = z.x == 0 ? z.y : z.y / z.x, d = z.x + z.y * r;
    return *this = complex((x + y * r) / d, (y - x * r) / d);
  }
  _T r = z.x / z.y, d = z.x * r + z.y;
  return *this = complex((x * r + y) / d, (y * r - x) / d);
}

template <class _T> __HEDDLE_LIB complex<_T> operator+(const complex<_T> &z) { return z; }
template <class _T> __HEDDLE_LIB complex<_T> operator-(const complex<_T> &z) {
  return {-z.real(), -z.imag()};
}

// Operands of different types are converted to their common type.
template <class _T, class _U> using __common = complex<decltype(_T() + _U())>;
template <class _U> using __number = std::enable_if_t<std::is_arithmetic<_U>::value>;
#define __HEDDLE_COMPLEX(op)                                                                       \
  template <class _T, class _U>                                                                    \
  __HEDDLE_LIB14 __common<_T, _U> operator op(const complex<_T> &x, const complex<_U> &y) {        \
    __common<_T, _U> result(x);                                                                    \
    return result op## = __common<_T, _U>(y);                                                      \
  }                                                                                                \
  template <class _T, class _U, class = __number<_U>>                                              \
  __HEDDLE_LIB14 __common<_T, _U> operator op(const complex<_T> &x, const _U &y) {                 \
    return x op complex<_U>(y);                                                                    \
  }                                                                                                \
  template <class _T, class _U, class = __number<_U>>                                              \
  __HEDDLE_LIB14 __common<_T, _U> operator op(const _U &x, const complex<_T> &y) {                 \
    return complex<_U>(x) op y;                                                                    \
  }
__HEDDLE_COMPLEX(+)
__HEDDLE_COMPLEX(-)
__HEDDLE_COMPLEX(*)
__HEDDLE_COMPLEX(/)
#undef __HEDDLE_COMPLEX

#define __HEDDLE_EQUALITY(op, join)                                                                \
  template <class _T, class _U>                                                                    \
  __HEDDLE_LIB bool operator op(const complex<_T> &x, const complex<_U> &y) {                      \
    return x.real() op y.real() join x.imag() op y.imag();                                         \
  }                                                                                                \
  template <class _T, class _U, class = __number<_U>>                                              \
  __HEDDLE_LIB bool operator op(const complex<_T> &x, const _U &y) {                               \
    return x.real() op y join x.imag() op _T(0);                                                   \
  }                                                                                                \
  template <class _T, class _U, class = __number<_U>>                                              \
  __HEDDLE_LIB bool operator op(const _U &x, const complex<_T> &y) {                               \
    return y op x;                                                                                 \
  }
__HEDDLE_EQUALITY(==, &&)
__HEDDLE_EQUALITY(!=, ||)
#undef __HEDDLE_EQUALITY

#define __HEDDLE_OF_COMPLEX template <class _T> __HEDDLE_FN
__HEDDLE_OF_COMPLEX _T abs(const complex<_T> &z) { return __heddle_hypot(z.real(), z.imag()); }
__HEDDLE_OF_COMPLEX _T arg(const complex<_T> &z) { return __heddle_atan2(z.imag(), z.real()); }
__HEDDLE_OF_COMPLEX _T norm(const complex<_T> &z) {
  return z.real() * z.real() + z.imag() * z.imag();
}
__HEDDLE_OF_COMPLEX complex<_T> conj(const complex<_T> &z) { return {z.real(), -z.imag()}; }
__HEDDLE_OF_COMPLEX complex<_T> proj(const complex<_T> &z) {
  if (__builtin_isinf(z.real()) || __builtin_isinf(z.imag()))
    return {(_T)__builtin_inf(), __heddle_copysign(_T(0), z.imag())};
  return z;
}
template <class _T, class _U>
__HEDDLE_FN __common<_T, _U> polar(const _T &radius, const _U &angle) {
  typedef decltype(_T() + _U()) _R;
  return {(_R)radius * __heddle_cos((_R)angle), (_R)radius * __heddle_sin((_R)angle)};
}
__HEDDLE_OF_COMPLEX complex<_T> polar(const _T &radius) { return {radius, _T(0)}; }

__HEDDLE_OF_COMPLEX complex<_T> exp(const complex<_T> &z) {
  _T e = __heddle_exp(z.real());
  // exp(inf) times the sine of 0 is 0, not NaN.
  if (z.imag() == 0)
    return {e, z.imag()};
  return {e * __heddle_cos(z.imag()), e * __heddle_sin(z.imag())};
}
__HEDDLE_OF_COMPLEX complex<_T> log(const complex<_T> &z) { return {__heddle_log(abs(z)), arg(z)}; }
__HEDDLE_OF_COMPLEX complex<_T> log10(const complex<_T> &z) {
  return log(z) / (_T)2.30258509299404568402;
}
__HEDDLE_OF_COMPLEX complex<_T> sqrt(const complex<_T> &z) {
  _T x = z.real(), y = z.imag();
  if (x == 0 && y == 0)
    return {_T(0), y};
  if (__builtin_isinf(y))
    return {(_T)__builtin_inf(), y};
  // Compute the larger part first; the other part then follows without cancellation.
  _T larger = __heddle_sqrt((__heddle_fabs(x) / 2 + abs(z) / 2));
  if (x >= 0)
    return {larger, y / (2 * larger)};
  return {__heddle_fabs(y) / (2 * larger), __heddle_copysign(larger, y)};
}

template <class _T, class _U>
__HEDDLE_FN __common<_T, _U> pow(const complex<_T> &x, const complex<_U> &y) {
  typedef decltype(_T() + _U()) _R;
  if (x.real() == 0 && x.imag() == 0)
    return y.real() == 0 && y.imag() == 0 ? complex<_R>(1) : complex<_R>(0);
  return exp(complex<_R>(y) * log(complex<_R>(x)));
}
template <class _T, class _U, class = __number<_U>>
__HEDDLE_FN __common<_T, _U> pow(const complex<_T> &x, const _U &y) {
  return pow(x, complex<decltype(_T() + _U())>(y));
}
template <class _T, class _U, class = __number<_U>>
__HEDDLE_FN __common<_T, _U> pow(const _U &x, const complex<_T> &y) {
  return pow(complex<decltype(_T() + _U())>(x), y);
}

__HEDDLE_OF_COMPLEX complex<_T> sinh(const complex<_T> &z) {
  return {__heddle_sinh(z.real()) * __heddle_cos(z.imag()),
          __heddle_cosh(z.real()) * __heddle_sin(z.imag())};
}
__HEDDLE_OF_COMPLEX complex<_T> cosh(const complex<_T> &z) {
  return {__heddle_cosh(z.real()) * __heddle_cos(z.imag()),
          __heddle_sinh(z.real()) * __heddle_sin(z.imag())};
}
// Uses only tan y and sinh x, to avoid cancellation (Kahan 1987, see below).
__HEDDLE_OF_COMPLEX complex<_T> tanh(const complex<_T> &z) {
  // Above 20 the result rounds to 1, and sinh may overflow.
  if (__heddle_fabs(z.real()) > 20)
    return {__heddle_copysign(_T(1), z.real()), _T(0)};
  _T t = __heddle_tan(z.imag()), s = __heddle_sinh(z.real());
  _T slope = 1 + t * t, cosine = __heddle_sqrt(1 + s * s), d = 1 + slope * s * s;
  return {slope * cosine * s / d, t / d};
}
// sin z = -i sinh(iz), and so on: multiply by i before and by -i after.
__HEDDLE_OF_COMPLEX complex<_T> __turned(const complex<_T> &z) { return {-z.imag(), z.real()}; }
__HEDDLE_OF_COMPLEX complex<_T> __turned_back(const complex<_T> &z) {
  return {z.imag(), -z.real()};
}
__HEDDLE_OF_COMPLEX complex<_T> sin(const complex<_T> &z) {
  return __turned_back(sinh(__turned(z)));
}
__HEDDLE_OF_COMPLEX complex<_T> cos(const complex<_T> &z) { return cosh(__turned(z)); }
__HEDDLE_OF_COMPLEX complex<_T> tan(const complex<_T> &z) {
  return __turned_back(tanh(__turned(z)));
}

// Uses the square roots of 1 - z and 1 + z (W. Kahan, "Branch Cuts for Complex Elementary Functions", 1987).
__HEDDLE_OF_COMPLEX complex<_T> asin(const complex<_T> &z) {
  complex<_T> below = sqrt(_T(1) - z), above = sqrt(_T(1) + z);
  return {__heddle_atan2(z.real(), (below * above).real()),
          __heddle_asinh((conj(below) * above).imag())};
}
__HEDDLE_OF_COMPLEX complex<_T> acos(const complex<_T> &z) {
  complex<_T> below = sqrt(_T(1) - z), above = sqrt(_T(1) + z);
  return {2 * __heddle_atan2(below.real(), above.real()),
          __heddle_asinh((conj(above) * below).imag())};
}
__HEDDLE_OF_COMPLEX complex<_T> acosh(const complex<_T> &z) {
  complex<_T> below = sqrt(z - _T(1)), above = sqrt(z + _T(1));
  return {__heddle_asinh((conj(below) * above).real()),
          2 * __heddle_atan2(below.imag(), above.real())};
}
__HEDDLE_OF_COMPLEX complex<_T> atanh(const complex<_T> &z) {
  _T x = __heddle_fabs(z.real()), y = z.imag(), y2 = y * y;
  _T ratio = 4 * x / ((1 - x) * (1 - x) + y2);
  return {__heddle_copysign(__heddle_log1p(ratio) / 4, z.real()),
          __heddle_atan2(2 * y, (1 - x) * (1 + x) - y2) / 2};
}
__HEDDLE_OF_COMPLEX complex<_T> asinh(const complex<_T> &z) {
  return __turned_back(asin(__turned(z)));
}
__HEDDLE_OF_COMPLEX complex<_T> atan(const complex<_T> &z) {
  return __turned_back(atanh(__turned(z)));
}
#undef __HEDDLE_OF_COMPLEX

} // namespace thrust

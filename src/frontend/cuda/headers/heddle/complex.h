// thrust::complex.
#pragma once
#include <type_traits>

namespace thrust {

template <class T> struct __align__(sizeof(T) * 2) complex {
  typedef T value_type;

  complex() = default;
  __HEDDLE_LIB complex(T re) : x(re), y(0) {}
  __HEDDLE_LIB complex(T re, T im) : x(re), y(im) {}
  template <class U,
            class = std::enable_if_t<std::is_arithmetic<U>::value && !std::is_same<U, T>::value>>
  __HEDDLE_LIB complex(U re) : x((T)re), y(0) {}
  template <class U> __HEDDLE_LIB complex(const complex<U> &z) : x((T)z.real()), y((T)z.imag()) {}

  __HEDDLE_LIB T real() const { return x; }
  __HEDDLE_LIB T imag() const { return y; }
  __HEDDLE_LIB14 void real(T re) { x = re; }
  __HEDDLE_LIB14 void imag(T im) { y = im; }

  __HEDDLE_LIB14 complex &operator+=(const complex &z) { return *this = complex(x + z.x, y + z.y); }
  __HEDDLE_LIB14 complex &operator-=(const complex &z) { return *this = complex(x - z.x, y - z.y); }
  __HEDDLE_LIB14 complex &operator*=(const complex &z) {
    return *this = complex(x * z.x - y * z.y, x * z.y + y * z.x);
  }
  __HEDDLE_LIB14 complex &operator/=(const complex &z);
  __HEDDLE_LIB14 complex &operator*=(T s) { return *this = complex(x * s, y * s); }
  __HEDDLE_LIB14 complex &operator/=(T s) { return *this = complex(x / s, y / s); }

private:
  T x, y;
};

template <class T> __HEDDLE_LIB14 T __magnitude(T v) { return v < 0 ? -v : v; }
// Scaled by the divisor's larger part, so that nothing overflows on the way (R. L. Smith, CACM 5 (1962), 435).
template <class T> __HEDDLE_LIB14 complex<T> &complex<T>::operator/=(const complex &z) {
  if (__magnitude(z.x) >= __magnitude(z.y)) {
    T r = z.x == 0 ? z.y : z.y / z.x, d = z.x + z.y * r;
    return *this = complex((x + y * r) / d, (y - x * r) / d);
  }
  T r = z.x / z.y, d = z.x * r + z.y;
  return *this = complex((x * r + y) / d, (y * r - x) / d);
}

template <class T> __HEDDLE_LIB complex<T> operator+(const complex<T> &z) { return z; }
template <class T> __HEDDLE_LIB complex<T> operator-(const complex<T> &z) {
  return {-z.real(), -z.imag()};
}

// Operands of two types meet in their common type.
template <class T, class U> using __common = complex<decltype(T() + U())>;
template <class U> using __number = std::enable_if_t<std::is_arithmetic<U>::value>;
#define __HEDDLE_COMPLEX(op)                                                                       \
  template <class T, class U>                                                                      \
  __HEDDLE_LIB14 __common<T, U> operator op(const complex<T> &x, const complex<U> &y) {            \
    __common<T, U> result(x);                                                                      \
    return result op## = __common<T, U>(y);                                                        \
  }                                                                                                \
  template <class T, class U, class = __number<U>>                                                 \
  __HEDDLE_LIB14 __common<T, U> operator op(const complex<T> &x, const U &y) {                     \
    return x op complex<U>(y);                                                                     \
  }                                                                                                \
  template <class T, class U, class = __number<U>>                                                 \
  __HEDDLE_LIB14 __common<T, U> operator op(const U &x, const complex<T> &y) {                     \
    return complex<U>(x) op y;                                                                     \
  }
__HEDDLE_COMPLEX(+)
__HEDDLE_COMPLEX(-)
__HEDDLE_COMPLEX(*)
__HEDDLE_COMPLEX(/)
#undef __HEDDLE_COMPLEX

#define __HEDDLE_EQUALITY(op, join)                                                                \
  template <class T, class U>                                                                      \
  __HEDDLE_LIB bool operator op(const complex<T> &x, const complex<U> &y) {                        \
    return x.real() op y.real() join x.imag() op y.imag();                                         \
  }                                                                                                \
  template <class T, class U, class = __number<U>>                                                 \
  __HEDDLE_LIB bool operator op(const complex<T> &x, const U &y) {                                 \
    return x.real() op y join x.imag() op T(0);                                                    \
  }                                                                                                \
  template <class T, class U, class = __number<U>>                                                 \
  __HEDDLE_LIB bool operator op(const U &x, const complex<T> &y) {                                 \
    return y op x;                                                                                 \
  }
__HEDDLE_EQUALITY(==, &&)
__HEDDLE_EQUALITY(!=, ||)
#undef __HEDDLE_EQUALITY

#define __HEDDLE_OF_COMPLEX template <class T> __HEDDLE_FN
__HEDDLE_OF_COMPLEX T abs(const complex<T> &z) { return __heddle_hypot(z.real(), z.imag()); }
__HEDDLE_OF_COMPLEX T arg(const complex<T> &z) { return __heddle_atan2(z.imag(), z.real()); }
__HEDDLE_OF_COMPLEX T norm(const complex<T> &z) {
  return z.real() * z.real() + z.imag() * z.imag();
}
__HEDDLE_OF_COMPLEX complex<T> conj(const complex<T> &z) { return {z.real(), -z.imag()}; }
__HEDDLE_OF_COMPLEX complex<T> proj(const complex<T> &z) {
  if (__builtin_isinf(z.real()) || __builtin_isinf(z.imag()))
    return {(T)__builtin_inf(), __heddle_copysign(T(0), z.imag())};
  return z;
}
template <class T, class U> __HEDDLE_FN __common<T, U> polar(const T &radius, const U &angle) {
  typedef decltype(T() + U()) R;
  return {(R)radius * __heddle_cos((R)angle), (R)radius * __heddle_sin((R)angle)};
}
__HEDDLE_OF_COMPLEX complex<T> polar(const T &radius) { return {radius, T(0)}; }

__HEDDLE_OF_COMPLEX complex<T> exp(const complex<T> &z) {
  T e = __heddle_exp(z.real());
  // exp(inf) times the sine of 0 is 0, not NaN.
  if (z.imag() == 0)
    return {e, z.imag()};
  return {e * __heddle_cos(z.imag()), e * __heddle_sin(z.imag())};
}
__HEDDLE_OF_COMPLEX complex<T> log(const complex<T> &z) { return {__heddle_log(abs(z)), arg(z)}; }
__HEDDLE_OF_COMPLEX complex<T> log10(const complex<T> &z) {
  return log(z) / (T)2.30258509299404568402;
}
__HEDDLE_OF_COMPLEX complex<T> sqrt(const complex<T> &z) {
  T x = z.real(), y = z.imag();
  if (x == 0 && y == 0)
    return {T(0), y};
  if (__builtin_isinf(y))
    return {(T)__builtin_inf(), y};
  // The larger part first: the other one follows without cancellation.
  T larger = __heddle_sqrt((__heddle_fabs(x) / 2 + abs(z) / 2));
  if (x >= 0)
    return {larger, y / (2 * larger)};
  return {__heddle_fabs(y) / (2 * larger), __heddle_copysign(larger, y)};
}

template <class T, class U>
__HEDDLE_FN __common<T, U> pow(const complex<T> &x, const complex<U> &y) {
  typedef decltype(T() + U()) R;
  if (x.real() == 0 && x.imag() == 0)
    return y.real() == 0 && y.imag() == 0 ? complex<R>(1) : complex<R>(0);
  return exp(complex<R>(y) * log(complex<R>(x)));
}
template <class T, class U, class = __number<U>>
__HEDDLE_FN __common<T, U> pow(const complex<T> &x, const U &y) {
  return pow(x, complex<decltype(T() + U())>(y));
}
template <class T, class U, class = __number<U>>
__HEDDLE_FN __common<T, U> pow(const U &x, const complex<T> &y) {
  return pow(complex<decltype(T() + U())>(x), y);
}

__HEDDLE_OF_COMPLEX complex<T> sinh(const complex<T> &z) {
  return {__heddle_sinh(z.real()) * __heddle_cos(z.imag()),
          __heddle_cosh(z.real()) * __heddle_sin(z.imag())};
}
__HEDDLE_OF_COMPLEX complex<T> cosh(const complex<T> &z) {
  return {__heddle_cosh(z.real()) * __heddle_cos(z.imag()),
          __heddle_sinh(z.real()) * __heddle_sin(z.imag())};
}
// From tan y and sinh x alone, which no cancellation follows (Kahan 1987, see below).
__HEDDLE_OF_COMPLEX complex<T> tanh(const complex<T> &z) {
  // Beyond 20 the result is 1 to the last bit, and sinh overflows.
  if (__heddle_fabs(z.real()) > 20)
    return {__heddle_copysign(T(1), z.real()), T(0)};
  T t = __heddle_tan(z.imag()), s = __heddle_sinh(z.real());
  T slope = 1 + t * t, cosine = __heddle_sqrt(1 + s * s), d = 1 + slope * s * s;
  return {slope * cosine * s / d, t / d};
}
// sin z = -i sinh(iz), and so on: a turn by i before, one by -i after.
__HEDDLE_OF_COMPLEX complex<T> __turned(const complex<T> &z) { return {-z.imag(), z.real()}; }
__HEDDLE_OF_COMPLEX complex<T> __turned_back(const complex<T> &z) { return {z.imag(), -z.real()}; }
__HEDDLE_OF_COMPLEX complex<T> sin(const complex<T> &z) { return __turned_back(sinh(__turned(z))); }
__HEDDLE_OF_COMPLEX complex<T> cos(const complex<T> &z) { return cosh(__turned(z)); }
__HEDDLE_OF_COMPLEX complex<T> tan(const complex<T> &z) { return __turned_back(tanh(__turned(z))); }

// By the square roots of 1 - z and 1 + z (W. Kahan, "Branch Cuts for Complex Elementary Functions", 1987).
__HEDDLE_OF_COMPLEX complex<T> asin(const complex<T> &z) {
  complex<T> below = sqrt(T(1) - z), above = sqrt(T(1) + z);
  return {__heddle_atan2(z.real(), (below * above).real()),
          __heddle_asinh((conj(below) * above).imag())};
}
__HEDDLE_OF_COMPLEX complex<T> acos(const complex<T> &z) {
  complex<T> below = sqrt(T(1) - z), above = sqrt(T(1) + z);
  return {2 * __heddle_atan2(below.real(), above.real()),
          __heddle_asinh((conj(above) * below).imag())};
}
__HEDDLE_OF_COMPLEX complex<T> acosh(const complex<T> &z) {
  complex<T> below = sqrt(z - T(1)), above = sqrt(z + T(1));
  return {__heddle_asinh((conj(below) * above).real()),
          2 * __heddle_atan2(below.imag(), above.real())};
}
__HEDDLE_OF_COMPLEX complex<T> atanh(const complex<T> &z) {
  T x = __heddle_fabs(z.real()), y = z.imag(), y2 = y * y;
  T ratio = 4 * x / ((1 - x) * (1 - x) + y2);
  return {__heddle_copysign(__heddle_log1p(ratio) / 4, z.real()),
          __heddle_atan2(2 * y, (1 - x) * (1 + x) - y2) / 2};
}
__HEDDLE_OF_COMPLEX complex<T> asinh(const complex<T> &z) {
  return __turned_back(asin(__turned(z)));
}
__HEDDLE_OF_COMPLEX complex<T> atan(const complex<T> &z) {
  return __turned_back(atanh(__turned(z)));
}
#undef __HEDDLE_OF_COMPLEX

} // namespace thrust

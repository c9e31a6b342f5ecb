// Conversions and classes that the floats of 8, 6 and 4 bits share.
#pragma once
#include <cassert>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };

/// A format: a sign, exponent and mantissa bits. `largest` is the magnitude of the largest number.
struct __heddle_tiny_format {
  int mantissa, bias, largest, sign;
};

/// The magnitude `x` in units of the last place of a format with `mantissa` bits at `exponent`, rounded to nearest
/// even or to zero.
__HEDDLE_FN int __heddle_quanta(float x, int exponent, int mantissa, bool to_zero) {
  float scaled = x * __int_as_float((127 + mantissa - exponent) << 23);
  return to_zero ? __float2int_rz(scaled) : __float2int_rn(scaled);
}
__HEDDLE_FN int __heddle_quanta(double x, int exponent, int mantissa, bool to_zero) {
  double scaled = x * __hiloint2double((1023 + mantissa - exponent) << 20, 0);
  return to_zero ? __double2int_rz(scaled) : __double2int_rn(scaled);
}
__HEDDLE_FN int __heddle_exponent(float x) { return (__float_as_int(x) >> 23) - 127; }
__HEDDLE_FN int __heddle_exponent(double x) { return (__double2hiint(x) >> 20) - 1023; }

/// The bits of a magnitude, rounded; those after the largest number for larger and infinite magnitudes.
template <class T>
__HEDDLE_FN int __heddle_tiny_magnitude(T size, __heddle_tiny_format f, bool to_zero) {
  if (!(size < (T)65536))
    return f.largest + 1;
  int exponent = max(__heddle_exponent(size), 1 - f.bias);
  int bits = ((exponent + f.bias - 1) << f.mantissa) +
             __heddle_quanta(size, exponent, f.mantissa, to_zero);
  return min(bits, f.largest + 1);
}

/// The bits of a number in a format without infinities and NaN. Larger numbers become the largest one, and NaN the
/// largest positive one.
template <class T>
__HEDDLE_FN unsigned char __heddle_to_tiny(T x, __heddle_tiny_format f, cudaRoundMode rounding) {
  assert(rounding == cudaRoundNearest || rounding == cudaRoundZero);
  int bits = min(__heddle_tiny_magnitude((T)fabs(x), f, rounding == cudaRoundZero), f.largest);
  return (unsigned char)(signbit(x) && !isnan(x) ? bits | f.sign : bits);
}

/// The half with the value of a finite number.
__HEDDLE_FN __half_raw __heddle_tiny_to_halfraw(unsigned x, __heddle_tiny_format f) {
  __half_raw raw = {
      (unsigned short)((x & f.sign ? 0x8000 : 0) | (x & (f.sign - 1)) << (10 - f.mantissa))};
  if (f.bias == 15)
    return raw;
  // As the bits of a half, the number is too small by the difference of the biases.
  return __half(__half2float(__half(raw)) * (float)(1 << (15 - f.bias)));
}

/// A number, stored as bits. Conversions from other types saturate. F: the storage of one, two and four numbers,
/// conversions, and the distance of two numbers in bits.
template <class F> struct __heddle_tiny {
  typename F::__one __x;

  __heddle_tiny() = default;
  __HEDDLE_FN explicit __heddle_tiny(double v) : __x(F::__round(v)) {}
  template <class T> __HEDDLE_FN explicit __heddle_tiny(T v) : __x(F::__round((float)v)) {}

  __HEDDLE_FN explicit operator __half() const { return F::__widen(__x); }
  __HEDDLE_FN explicit operator float() const { return __half2float((__half) * this); }
  __HEDDLE_FN explicit operator bool() const { return (float)*this != 0.0f; }
  template <class T> __HEDDLE_FN explicit operator T() const { return (T)(float)*this; }
};

/// Two numbers, the first in the low bits.
template <class F> struct alignas(sizeof(typename F::__two)) __heddle_tiny_pair {
  typename F::__two __x;

  __heddle_tiny_pair() = default;
  __HEDDLE_FN explicit __heddle_tiny_pair(float2 v) : __x(__join(v.x, v.y)) {}
  __HEDDLE_FN explicit __heddle_tiny_pair(double2 v) : __x(__join(v.x, v.y)) {}
  __HEDDLE_FN explicit __heddle_tiny_pair(__half2 v) : __x(__join((float)v.x, (float)v.y)) {}
  __HEDDLE_FN explicit __heddle_tiny_pair(__nv_bfloat162 v) : __x(__join((float)v.x, (float)v.y)) {}

  __HEDDLE_FN explicit operator __half2() const {
    return __half2_raw{F::__widen((typename F::__one)__x).x,
                       F::__widen((typename F::__one)(__x >> F::__distance)).x};
  }
  __HEDDLE_FN explicit operator float2() const { return __half22float2((__half2) * this); }

private:
  template <class T> __HEDDLE_FN static typename F::__two __join(T x, T y) {
    return (typename F::__two)(F::__round(x) | F::__round(y) << F::__distance);
  }
};

template <class F> struct alignas(sizeof(typename F::__four)) __heddle_tiny_four {
  typename F::__four __x;

  __heddle_tiny_four() = default;
  __HEDDLE_FN __heddle_tiny_four(__heddle_tiny_pair<F> low, __heddle_tiny_pair<F> high)
      : __x((typename F::__four)(low.__x | (typename F::__four)high.__x << 2 * F::__distance)) {}
  __HEDDLE_FN explicit __heddle_tiny_four(float4 v)
      : __heddle_tiny_four(make_float2(v.x, v.y), make_float2(v.z, v.w)) {}
  __HEDDLE_FN explicit __heddle_tiny_four(double4 v)
      : __heddle_tiny_four(make_double2(v.x, v.y), make_double2(v.z, v.w)) {}
  template <class T>
  __HEDDLE_FN __heddle_tiny_four(T low, T high)
      : __heddle_tiny_four(__heddle_tiny_pair<F>(low), __heddle_tiny_pair<F>(high)) {}

  __HEDDLE_FN explicit operator float4() const {
    __heddle_tiny_pair<F> low, high;
    low.__x = (typename F::__two)__x;
    high.__x = (typename F::__two)(__x >> 2 * F::__distance);
    float2 a = (float2)low, b = (float2)high;
    return make_float4(a.x, a.y, b.x, b.y);
  }
};

/// The classes' parameter for floats of 6 and 4 bits. I: the enumeration with the format.
template <class I, I as, class One, class Two, class Four, int distance>
struct __heddle_tiny_parameter {
  typedef One __one;
  typedef Two __two;
  typedef Four __four;
  static constexpr int __distance = distance;
  template <class T> __HEDDLE_FN static One __round(T v) {
    return __heddle_to_tiny(v, __heddle_format_of(as), cudaRoundNearest);
  }
  __HEDDLE_FN static __half_raw __widen(One x) {
    return __heddle_tiny_to_halfraw(x, __heddle_format_of(as));
  }
};

// Conversions of one and two floats of 6 or 4 bits, whose names begin with __nv_`kind`.
#define __HEDDLE_TO_TINY(kind, from, T, value)                                                     \
  __HEDDLE_FN __nv_##kind##_storage_t __nv_cvt_##from##_to_##kind(                                 \
      T x, __nv_##kind##_interpretation_t as, cudaRoundMode rounding) {                            \
    return __heddle_to_tiny(value, __heddle_format_of(as), rounding);                              \
  }
#define __HEDDLE_TO_TINY_PAIR(kind, from, T, distance, one, first, second)                         \
  __HEDDLE_FN __nv_##kind##x2_storage_t __nv_cvt_##from##_to_##kind##x2(                           \
      T x, __nv_##kind##_interpretation_t as, cudaRoundMode rounding) {                            \
    return (__nv_##kind##x2_storage_t)(__nv_cvt_##one##_to_##kind(first, as, rounding) |           \
                                       __nv_cvt_##one##_to_##kind(second, as, rounding)            \
                                           << distance);                                           \
  }
#define __HEDDLE_TINY_CONVERSIONS(kind, distance)                                                  \
  __HEDDLE_TO_TINY(kind, float, float, x)                                                          \
  __HEDDLE_TO_TINY(kind, double, double, x)                                                        \
  __HEDDLE_TO_TINY(kind, halfraw, __half_raw, __half2float(__half(x)))                             \
  __HEDDLE_TO_TINY(kind, bfloat16raw, __nv_bfloat16_raw, __bfloat162float(__nv_bfloat16(x)))       \
  __HEDDLE_TO_TINY_PAIR(kind, float2, float2, distance, float, x.x, x.y)                           \
  __HEDDLE_TO_TINY_PAIR(kind, double2, double2, distance, double, x.x, x.y)                        \
  __HEDDLE_TO_TINY_PAIR(kind, halfraw2, __half2_raw, distance, halfraw, __half_raw{x.x},           \
                        __half_raw{x.y})                                                           \
  __HEDDLE_TO_TINY_PAIR(kind, bfloat16raw2, __nv_bfloat162_raw, distance, bfloat16raw,             \
                        __nv_bfloat16_raw{x.x}, __nv_bfloat16_raw{x.y})                            \
  __HEDDLE_FN __half_raw __nv_cvt_##kind##_to_halfraw(__nv_##kind##_storage_t x,                   \
                                                      __nv_##kind##_interpretation_t as) {         \
    return __heddle_tiny_to_halfraw(x, __heddle_format_of(as));                                    \
  }                                                                                                \
  __HEDDLE_FN __half2_raw __nv_cvt_##kind##x2_to_halfraw2(__nv_##kind##x2_storage_t x,             \
                                                          __nv_##kind##_interpretation_t as) {     \
    return {__nv_cvt_##kind##_to_halfraw((__nv_##kind##_storage_t)x, as).x,                        \
            __nv_cvt_##kind##_to_halfraw((__nv_##kind##_storage_t)(x >> distance), as).x};         \
  }

// 8-bit floats: e4m3 (up to 448, no infinities) and e5m2 (the upper half of a binary16).
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };
typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;

/// The magnitude `x` in units of the last place of a format with `mantissa` bits at `exponent`, rounded to nearest
/// even.
__HEDDLE_FN int __heddle_quanta(float x, int exponent, int mantissa) {
  return __float2int_rn(x * __int_as_float((127 + mantissa - exponent) << 23));
}
__HEDDLE_FN int __heddle_quanta(double x, int exponent, int mantissa) {
  return __double2int_rn(x * __hiloint2double((1023 + mantissa - exponent) << 20, 0));
}
__HEDDLE_FN int __heddle_exponent(float x) { return (__float_as_int(x) >> 23) - 127; }
__HEDDLE_FN int __heddle_exponent(double x) { return (__double2hiint(x) >> 20) - 1023; }

template <class T>
__HEDDLE_FN __nv_fp8_storage_t __heddle_to_fp8(T x, __nv_saturation_t saturate,
                                               __nv_fp8_interpretation_t as) {
  bool is4 = as == __NV_E4M3;
  int mantissa = is4 ? 3 : 2, bias = is4 ? 7 : 15, largest = is4 ? 0x7e : 0x7b;
  if (isnan(x))
    return 0x7f;
  int sign = signbit(x) ? 0x80 : 0;
  T size = fabs(x);
  int bits = largest + 1; // NaN in e4m3, infinity in e5m2
  if (size < (T)65536) {
    int exponent = max(__heddle_exponent(size), 1 - bias);
    bits = ((exponent + bias - 1) << mantissa) + __heddle_quanta(size, exponent, mantissa);
  }
  if (bits > largest)
    bits = saturate == __NV_SATFINITE ? largest : largest + 1;
  return (__nv_fp8_storage_t)(sign | bits);
}

__HEDDLE_FN __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate,
                                                     __nv_fp8_interpretation_t as) {
  return __heddle_to_fp8(x, saturate, as);
}
__HEDDLE_FN __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate,
                                                      __nv_fp8_interpretation_t as) {
  return __heddle_to_fp8(x, saturate, as);
}
__HEDDLE_FN __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate,
                                                       __nv_fp8_interpretation_t as) {
  return __heddle_to_fp8(__half2float(__half(x)), saturate, as);
}
__HEDDLE_FN __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x,
                                                           __nv_saturation_t saturate,
                                                           __nv_fp8_interpretation_t as) {
  return __heddle_to_fp8(__bfloat162float(__nv_bfloat16(x)), saturate, as);
}

__HEDDLE_FN __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t as) {
  __half_raw raw = {(unsigned short)(x << 8)};
  if (as == __NV_E5M2)
    return raw;
  if ((x & 0x7f) == 0x7f)
    return {(unsigned short)0x7fff};
  // As the bits of a half, the number is 2^8 times too small.
  raw.x = (unsigned short)((x & 0x80) << 8 | (x & 0x7f) << 7);
  return __half(__half2float(__half(raw)) * 256.0f);
}

// Two numbers, the first in the lower byte.
#define __HEDDLE_TWO(name, type, one, first, second)                                               \
  __HEDDLE_FN __nv_fp8x2_storage_t name(type x, __nv_saturation_t saturate,                        \
                                        __nv_fp8_interpretation_t as) {                            \
    return (__nv_fp8x2_storage_t)(one(first, saturate, as) | one(second, saturate, as) << 8);      \
  }
__HEDDLE_TWO(__nv_cvt_float2_to_fp8x2, float2, __nv_cvt_float_to_fp8, x.x, x.y)
__HEDDLE_TWO(__nv_cvt_double2_to_fp8x2, double2, __nv_cvt_double_to_fp8, x.x, x.y)
__HEDDLE_TWO(__nv_cvt_halfraw2_to_fp8x2, __half2_raw, __nv_cvt_halfraw_to_fp8, __half_raw{x.x},
             __half_raw{x.y})
__HEDDLE_TWO(__nv_cvt_bfloat16raw2_to_fp8x2, __nv_bfloat162_raw, __nv_cvt_bfloat16raw_to_fp8,
             __nv_bfloat16_raw{x.x}, __nv_bfloat16_raw{x.y})
#undef __HEDDLE_TWO
__HEDDLE_FN __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x,
                                                   __nv_fp8_interpretation_t as) {
  return {__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, as).x,
          __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), as).x};
}

/// One, two or four numbers, stored as bits. Conversions from other types saturate.
template <__nv_fp8_interpretation_t as> struct __heddle_fp8 {
  __nv_fp8_storage_t __x;

  __heddle_fp8() = default;
  __HEDDLE_FN explicit __heddle_fp8(double v) : __x(__heddle_to_fp8(v, __NV_SATFINITE, as)) {}
  template <class T>
  __HEDDLE_FN explicit __heddle_fp8(T v) : __x(__heddle_to_fp8((float)v, __NV_SATFINITE, as)) {}

  __HEDDLE_FN explicit operator __half() const { return __nv_cvt_fp8_to_halfraw(__x, as); }
  __HEDDLE_FN explicit operator float() const { return __half2float((__half) * this); }
  __HEDDLE_FN explicit operator bool() const { return (__x & 0x7f) != 0; }
  template <class T> __HEDDLE_FN explicit operator T() const { return (T)(float)*this; }
};

template <__nv_fp8_interpretation_t as> struct __align__(2) __heddle_fp8x2 {
  __nv_fp8x2_storage_t __x;

  __heddle_fp8x2() = default;
  __HEDDLE_FN explicit __heddle_fp8x2(float2 v)
      : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, as)) {}
  __HEDDLE_FN explicit __heddle_fp8x2(double2 v)
      : __x(__nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, as)) {}
  __HEDDLE_FN explicit __heddle_fp8x2(__half2 v)
      : __heddle_fp8x2(make_float2(__half2float(v.x), __half2float(v.y))) {}
  __HEDDLE_FN explicit __heddle_fp8x2(__nv_bfloat162 v)
      : __heddle_fp8x2(make_float2(__bfloat162float(v.x), __bfloat162float(v.y))) {}

  __HEDDLE_FN explicit operator __half2() const { return __nv_cvt_fp8x2_to_halfraw2(__x, as); }
  __HEDDLE_FN explicit operator float2() const { return __half22float2((__half2) * this); }
};

template <__nv_fp8_interpretation_t as> struct __align__(4) __heddle_fp8x4 {
  __nv_fp8x4_storage_t __x;

  __heddle_fp8x4() = default;
  __HEDDLE_FN __heddle_fp8x4(__heddle_fp8x2<as> low, __heddle_fp8x2<as> high)
      : __x(low.__x | (unsigned)high.__x << 16) {}
  __HEDDLE_FN explicit __heddle_fp8x4(float4 v)
      : __heddle_fp8x4(__heddle_fp8x2<as>(make_float2(v.x, v.y)),
                       __heddle_fp8x2<as>(make_float2(v.z, v.w))) {}
  __HEDDLE_FN explicit __heddle_fp8x4(double4 v)
      : __heddle_fp8x4(__heddle_fp8x2<as>(make_double2(v.x, v.y)),
                       __heddle_fp8x2<as>(make_double2(v.z, v.w))) {}
  __HEDDLE_FN __heddle_fp8x4(__half2 low, __half2 high)
      : __heddle_fp8x4(__heddle_fp8x2<as>(low), __heddle_fp8x2<as>(high)) {}
  __HEDDLE_FN __heddle_fp8x4(__nv_bfloat162 low, __nv_bfloat162 high)
      : __heddle_fp8x4(__heddle_fp8x2<as>(low), __heddle_fp8x2<as>(high)) {}

  __HEDDLE_FN explicit operator float4() const {
    __heddle_fp8x2<as> low, high;
    low.__x = (__nv_fp8x2_storage_t)__x;
    high.__x = (__nv_fp8x2_storage_t)(__x >> 16);
    float2 a = (float2)low, b = (float2)high;
    return make_float4(a.x, a.y, b.x, b.y);
  }
};

typedef __heddle_fp8<__NV_E4M3> __nv_fp8_e4m3;
typedef __heddle_fp8<__NV_E5M2> __nv_fp8_e5m2;
typedef __heddle_fp8x2<__NV_E4M3> __nv_fp8x2_e4m3;
typedef __heddle_fp8x2<__NV_E5M2> __nv_fp8x2_e5m2;
typedef __heddle_fp8x4<__NV_E4M3> __nv_fp8x4_e4m3;
typedef __heddle_fp8x4<__NV_E5M2> __nv_fp8x4_e5m2;

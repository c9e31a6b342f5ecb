// 8-bit floats: e4m3 (up to 448, no infinities) and e5m2 (the upper half of a binary16).
#pragma once
#include "heddle/tiny_float.h"

enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };
typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;

/// One more than the largest magnitude is NaN in e4m3, and infinity in e5m2.
__HEDDLE_FN __heddle_tiny_format __heddle_format_of(__nv_fp8_interpretation_t as) {
  return as == __NV_E4M3 ? __heddle_tiny_format{3, 7, 0x7e, 0x80}
                         : __heddle_tiny_format{2, 15, 0x7b, 0x80};
}

template <class T>
__HEDDLE_FN __nv_fp8_storage_t __heddle_to_fp8(T x, __nv_saturation_t saturate,
                                               __nv_fp8_interpretation_t as) {
  __heddle_tiny_format f = __heddle_format_of(as);
  if (isnan(x))
    return 0x7f;
  int bits = __heddle_tiny_magnitude((T)fabs(x), f, false);
  if (saturate == __NV_SATFINITE)
    bits = min(bits, f.largest);
  return (__nv_fp8_storage_t)(signbit(x) ? bits | f.sign : bits);
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
  if ((x & 0x7f) > (as == __NV_E4M3 ? 0x7e : 0x7c))
    return {(unsigned short)0x7fff}; // NaN
  return __heddle_tiny_to_halfraw(x, __heddle_format_of(as));
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

template <__nv_fp8_interpretation_t as> struct __heddle_fp8 {
  typedef __nv_fp8_storage_t __one;
  typedef __nv_fp8x2_storage_t __two;
  typedef __nv_fp8x4_storage_t __four;
  static constexpr int __distance = 8;
  template <class T> __HEDDLE_FN static __one __round(T v) {
    return __heddle_to_fp8(v, __NV_SATFINITE, as);
  }
  __HEDDLE_FN static __half_raw __widen(__one x) { return __nv_cvt_fp8_to_halfraw(x, as); }
};
typedef __heddle_tiny<__heddle_fp8<__NV_E4M3>> __nv_fp8_e4m3;
typedef __heddle_tiny<__heddle_fp8<__NV_E5M2>> __nv_fp8_e5m2;
typedef __heddle_tiny_pair<__heddle_fp8<__NV_E4M3>> __nv_fp8x2_e4m3;
typedef __heddle_tiny_pair<__heddle_fp8<__NV_E5M2>> __nv_fp8x2_e5m2;
typedef __heddle_tiny_four<__heddle_fp8<__NV_E4M3>> __nv_fp8x4_e4m3;
typedef __heddle_tiny_four<__heddle_fp8<__NV_E5M2>> __nv_fp8x4_e5m2;

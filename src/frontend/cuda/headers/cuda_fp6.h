// 6-bit floats: e2m3, up to 7.5, and e3m2, up to 28, without infinities and NaN. Each is the low bits of a byte.
#pragma once
#include <cuda_fp8.h>

enum __nv_fp6_interpretation_t { __NV_E2M3, __NV_E3M2 };
typedef __nv_fp8_storage_t __nv_fp6_storage_t;
typedef __nv_fp8x2_storage_t __nv_fp6x2_storage_t;
typedef __nv_fp8x4_storage_t __nv_fp6x4_storage_t;

__HEDDLE_FN __heddle_tiny_format __heddle_format_of(__nv_fp6_interpretation_t as) {
  return as == __NV_E2M3 ? __heddle_tiny_format{3, 1, 0x1f, 0x20}
                         : __heddle_tiny_format{2, 3, 0x1f, 0x20};
}
__HEDDLE_TINY_CONVERSIONS(fp6, 8)

template <__nv_fp6_interpretation_t as>
using __heddle_fp6 = __heddle_tiny_parameter<__nv_fp6_interpretation_t, as, __nv_fp6_storage_t,
                                             __nv_fp6x2_storage_t, __nv_fp6x4_storage_t, 8>;
typedef __heddle_tiny<__heddle_fp6<__NV_E2M3>> __nv_fp6_e2m3;
typedef __heddle_tiny<__heddle_fp6<__NV_E3M2>> __nv_fp6_e3m2;
typedef __heddle_tiny_pair<__heddle_fp6<__NV_E2M3>> __nv_fp6x2_e2m3;
typedef __heddle_tiny_pair<__heddle_fp6<__NV_E3M2>> __nv_fp6x2_e3m2;
typedef __heddle_tiny_four<__heddle_fp6<__NV_E2M3>> __nv_fp6x4_e2m3;
typedef __heddle_tiny_four<__heddle_fp6<__NV_E3M2>> __nv_fp6x4_e3m2;

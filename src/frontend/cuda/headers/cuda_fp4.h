// 4-bit floats: e2m1, from 0.5 to 6, without infinities and NaN. Two of them share a byte.
#pragma once
#include <cuda_fp8.h>

enum __nv_fp4_interpretation_t { __NV_E2M1 };
typedef __nv_fp8_storage_t __nv_fp4_storage_t;
typedef __nv_fp8_storage_t __nv_fp4x2_storage_t;
typedef __nv_fp8x2_storage_t __nv_fp4x4_storage_t;

__HEDDLE_FN __heddle_tiny_format __heddle_format_of(__nv_fp4_interpretation_t) {
  return {1, 1, 7, 8};
}
__HEDDLE_TINY_CONVERSIONS(fp4, 4)

typedef __heddle_tiny_parameter<__nv_fp4_interpretation_t, __NV_E2M1, __nv_fp4_storage_t,
                                __nv_fp4x2_storage_t, __nv_fp4x4_storage_t, 4>
    __heddle_e2m1;
typedef __heddle_tiny<__heddle_e2m1> __nv_fp4_e2m1;
typedef __heddle_tiny_pair<__heddle_e2m1> __nv_fp4x2_e2m1;
typedef __heddle_tiny_four<__heddle_e2m1> __nv_fp4x4_e2m1;

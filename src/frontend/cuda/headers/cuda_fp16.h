// Half precision: IEEE 754's binary16.
#pragma once
#include "heddle/small_float_rounding.h"

#define __HEDDLE_NUMBER __half
#define __HEDDLE_PAIR __half2
#define __HEDDLE_RAW __half_raw
#define __HEDDLE_RAW_PAIR __half2_raw
#define __HEDDLE_STORAGE _Float16
#define __HEDDLE_LLVM "f16"
#include "heddle/small_float.h"
__HEDDLE_CONVERSIONS(half)
#include "heddle/small_float_end.h"

typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half nv_half;
typedef __half2 nv_half2;

__HEDDLE_BOTH __half2 __halves2half2(__half x, __half y) { return {x, y}; }
__HEDDLE_BOTH __half2 make_half2(__half x, __half y) { return {x, y}; }

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7c00u)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7fffu)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7bffu)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001u)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3c00u)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000u)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000u)

// Brain floating point: the upper half of a float.
#pragma once
#include "heddle/small_float_rounding.h"

#define __HEDDLE_NUMBER __nv_bfloat16
#define __HEDDLE_PAIR __nv_bfloat162
#define __HEDDLE_RAW __nv_bfloat16_raw
#define __HEDDLE_RAW_PAIR __nv_bfloat162_raw
#define __HEDDLE_STORAGE __bf16
#define __HEDDLE_LLVM "bf16"
#include "heddle/small_float.h"
__HEDDLE_CONVERSIONS(bfloat16)
#include "heddle/small_float_end.h"

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

__HEDDLE_BOTH __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
__HEDDLE_BOTH __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7f80u)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7fffu)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7f7fu)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001u)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3f80u)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000u)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000u)

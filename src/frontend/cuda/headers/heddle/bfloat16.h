// bfloat16: the upper half of a float. The namespace allows precompiling this header; cuda_bf16.h makes it visible.
#ifndef __HEDDLE_BFLOAT16_H
#define __HEDDLE_BFLOAT16_H
#include "heddle/small_float_rounding.h"

namespace __heddle_bfloat16 {

#define __HEDDLE_NUMBER __nv_bfloat16
#define __HEDDLE_PAIR __nv_bfloat162
#define __HEDDLE_RAW __nv_bfloat16_raw
#define __HEDDLE_RAW_PAIR __nv_bfloat162_raw
#define __HEDDLE_STORAGE __bf16
#define __HEDDLE_LLVM "bf16"
#include "heddle/small_float.h"
__HEDDLE_CONVERSIONS(bfloat16)
#include "heddle/small_float_end.h"

__HEDDLE_BOTH __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
__HEDDLE_BOTH __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }

} // namespace __heddle_bfloat16

#endif

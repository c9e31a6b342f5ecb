// Half precision: IEEE 754 binary16. The declarations are in a namespace, so that this header can be precompiled;
// cuda_fp16.h makes them visible.
#ifndef __HEDDLE_HALF_H
#define __HEDDLE_HALF_H
#include "heddle/small_float_rounding.h"

namespace __heddle_half {

#define __HEDDLE_NUMBER __half
#define __HEDDLE_PAIR __half2
#define __HEDDLE_RAW __half_raw
#define __HEDDLE_RAW_PAIR __half2_raw
#define __HEDDLE_STORAGE _Float16
#define __HEDDLE_LLVM "f16"
#include "heddle/small_float.h"
__HEDDLE_CONVERSIONS(half)
#include "heddle/small_float_end.h"

__HEDDLE_BOTH __half2 __halves2half2(__half x, __half y) { return {x, y}; }
__HEDDLE_BOTH __half2 make_half2(__half x, __half y) { return {x, y}; }

} // namespace __heddle_half

#endif

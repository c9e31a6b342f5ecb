// Operators for cooperative_groups::reduce and the scans.
#pragma once
#include <cooperative_groups.h>

namespace cooperative_groups {

#define __HEDDLE_OPERATOR(name, result)                                                            \
  template <class T> struct name {                                                                 \
    __device__ __forceinline__ T operator()(const T &x, const T &y) const { return result; }       \
  };
__HEDDLE_OPERATOR(plus, x + y)
__HEDDLE_OPERATOR(less, y < x ? y : x)
__HEDDLE_OPERATOR(greater, x < y ? y : x)
__HEDDLE_OPERATOR(bit_and, x &y)
__HEDDLE_OPERATOR(bit_or, x | y)
__HEDDLE_OPERATOR(bit_xor, x ^ y)
#undef __HEDDLE_OPERATOR

} // namespace cooperative_groups

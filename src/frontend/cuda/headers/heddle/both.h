// Declaration macros for library functions that are also usable in host constant expressions.
#pragma once

#define __HEDDLE_LIB __host__ __device__ __forceinline__ constexpr
// For functions with statements or side effects, which constant expressions allow since C++14.
#if __cplusplus >= 201402L
#define __HEDDLE_LIB14 __HEDDLE_LIB
#else
#define __HEDDLE_LIB14 __host__ __device__ __forceinline__
#endif

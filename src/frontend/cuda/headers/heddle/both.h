// How functions of the library are declared that the host's constants and the device have in common.
#pragma once

#define __HEDDLE_LIB __host__ __device__ __forceinline__ constexpr
// Changes its object, or has statements: constant expressions may call it since C++14.
#if __cplusplus >= 201402L
#define __HEDDLE_LIB14 __HEDDLE_LIB
#else
#define __HEDDLE_LIB14 __host__ __device__ __forceinline__
#endif

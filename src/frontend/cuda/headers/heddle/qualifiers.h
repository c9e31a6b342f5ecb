#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __device__ // the host accesses it like other variables
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __maxnreg__(...) // a hint; -maxrregcount sets a limit
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __device_builtin__
#define __cudart_builtin__
#define __restrict __restrict__
#define __CUDACC_RTC__ 1
#define __CUDACC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#define CUDART_VERSION 13000
#define CUDA_VERSION 13000

// An always-inlined function of these headers.
#define __HEDDLE_FN __device__ __inline__ __attribute__((always_inline))
// Like __HEDDLE_FN, for functions that host functions of a program may also call. No code is generated for these.
#define __HEDDLE_BOTH_FN __host__ __HEDDLE_FN
// A template function, so that C++ prefers the program's definition with the same parameters.
#define __HEDDLE_YIELDING_FN template <int = 0> __HEDDLE_FN
#define __HEDDLE_YIELDING_BOTH_FN template <int = 0> __HEDDLE_BOTH_FN
// A predefined function: a SIMT operation or an LLVM intrinsic.
#define __HEDDLE_OP(result, name, operation, ...)                                                  \
  __device__ result name(__VA_ARGS__) __asm__(operation);

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t; // NVRTC programs define these themselves
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef long long intptr_t;
typedef unsigned long long uintptr_t;
typedef long long clock_t;
typedef unsigned int uint; // glibc names, which nvcc programs get from its headers
typedef unsigned short ushort;

static constexpr int warpSize = 32;

#define NULL __null
#define INFINITY (__builtin_inff())
#define NAN (__builtin_nanf(""))
#define HUGE_VAL (__builtin_inf())

namespace std {
using ::ptrdiff_t;
using ::size_t;
typedef decltype(nullptr) nullptr_t;
enum class byte : unsigned char {};
} // namespace std

// C++'s placement new, which is valid in host and device code.
__HEDDLE_FN void *operator new(size_t, void *place) noexcept { return place; }
__HEDDLE_FN void *operator new[](size_t, void *place) noexcept { return place; }

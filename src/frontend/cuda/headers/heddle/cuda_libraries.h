// Definitions that CUB, Thrust and libcu++ (NVIDIA's CCCL) expect from NVRTC and CUDA's runtime headers. Included
// before programs that use these libraries.
#pragma once

// The libraries adapt to the compiler: they see NVRTC, whose macros, headers and built-in declarations Heddle provides.
#undef __clang__
#undef __GNUC__
#define __NV_BUILTIN_INITIALIZER_LIST 1
// Algorithms called in a kernel run sequentially.
#define THRUST_DEVICE_SYSTEM 4 // THRUST_DEVICE_SYSTEM_CPP
// Half precision is disabled, because the libraries access the representation of NVIDIA's __half and __nv_bfloat16.
#define CCCL_DISABLE_FP16_SUPPORT
#define CCCL_DISABLE_BF16_SUPPORT

// Ranges for host profilers are disabled.
#define CCCL_DISABLE_NVTX

#include <initializer_list>

#include "heddle/math_builtins.h"

namespace std {
template <class> struct iterator_traits;
template <class, class> class basic_ostream;
template <class, class> class basic_istream;
class ios_base {
public:
  static constexpr int failbit = 4;
};

// Exception classes of the libraries. Only host functions throw them.
class exception {
public:
  __HEDDLE_LIB const char *what() const noexcept { return ""; }
};
#define __HEDDLE_EXCEPTION(name)                                                                   \
  class name : public exception {                                                                  \
  public:                                                                                          \
    __HEDDLE_LIB explicit name(const char * = "") {}                                               \
  };
__HEDDLE_EXCEPTION(bad_alloc)
__HEDDLE_EXCEPTION(length_error)
__HEDDLE_EXCEPTION(logic_error)
__HEDDLE_EXCEPTION(out_of_range)
__HEDDLE_EXCEPTION(runtime_error)
#undef __HEDDLE_EXCEPTION
} // namespace std

#define __HEDDLE_WIDE(name, T)                                                                     \
  struct __align__(16) name##4_16a { T x, y, z, w; };                                              \
  struct __align__(32) name##4_32a { T x, y, z, w; };
__HEDDLE_WIDE(long, long)
__HEDDLE_WIDE(ulong, unsigned long)
__HEDDLE_WIDE(longlong, long long)
__HEDDLE_WIDE(ulonglong, unsigned long long)
__HEDDLE_WIDE(double, double)
#undef __HEDDLE_WIDE

// CUDA runtime API types that occur in the signatures of host functions.
enum cudaError { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorUnknown = 999 };
typedef cudaError cudaError_t;
enum cudaDeviceAttr : int {};
enum cudaSharedMemConfig {
  cudaSharedMemBankSizeDefault,
  cudaSharedMemBankSizeFourByte,
  cudaSharedMemBankSizeEightByte
};
typedef struct CUstream_st *cudaStream_t;

__HEDDLE_FN bool __isClusterShared(const void *p) { return __isShared(p); }

// clang-format off: the libraries need the definitions above.
#include <type_traits>
#include <utility>
#include <tuple>
#include <functional>
#if __has_include(<cuda/__nvtx/nvtx.h>)
#include <cuda/__nvtx/nvtx.h>
#endif

#pragma once

__HEDDLE_OP(unsigned, __heddle_tid_x, "simt.tid.x")
__HEDDLE_OP(unsigned, __heddle_tid_y, "simt.tid.y")
__HEDDLE_OP(unsigned, __heddle_tid_z, "simt.tid.z")
__HEDDLE_OP(unsigned, __heddle_ctaid_x, "simt.ctaid.x")
__HEDDLE_OP(unsigned, __heddle_ctaid_y, "simt.ctaid.y")
__HEDDLE_OP(unsigned, __heddle_ctaid_z, "simt.ctaid.z")
__HEDDLE_OP(unsigned, __heddle_ntid_x, "simt.ntid.x")
__HEDDLE_OP(unsigned, __heddle_ntid_y, "simt.ntid.y")
__HEDDLE_OP(unsigned, __heddle_ntid_z, "simt.ntid.z")
__HEDDLE_OP(unsigned, __heddle_nctaid_x, "simt.nctaid.x")
__HEDDLE_OP(unsigned, __heddle_nctaid_y, "simt.nctaid.y")
__HEDDLE_OP(unsigned, __heddle_nctaid_z, "simt.nctaid.z")
__HEDDLE_OP(unsigned, __heddle_laneid, "simt.laneid")

// `threadIdx.x` is a property: reading it calls the operation.
#define __HEDDLE_INDEX(type, as)                                                                   \
  struct __heddle_##type {                                                                         \
    __declspec(property(get = __x)) unsigned int x;                                                \
    __declspec(property(get = __y)) unsigned int y;                                                \
    __declspec(property(get = __z)) unsigned int z;                                                \
    __device__ __forceinline__ unsigned int __x() const { return __heddle_##type##_x(); }          \
    __device__ __forceinline__ unsigned int __y() const { return __heddle_##type##_y(); }          \
    __device__ __forceinline__ unsigned int __z() const { return __heddle_##type##_z(); }          \
    __device__ __forceinline__ operator as() const { return as{__x(), __y(), __z()}; }             \
    __heddle_##type() = delete;                                                                    \
    __device__ __forceinline__ __heddle_##type(const __heddle_##type &) {}                         \
    void operator=(const __heddle_##type &) = delete;                                              \
    void operator&() const = delete;                                                               \
  };
__HEDDLE_INDEX(tid, uint3)
__HEDDLE_INDEX(ctaid, uint3)
__HEDDLE_INDEX(ntid, dim3)
__HEDDLE_INDEX(nctaid, dim3)
#undef __HEDDLE_INDEX

extern const __device__ __attribute__((weak)) __heddle_tid threadIdx;
extern const __device__ __attribute__((weak)) __heddle_ctaid blockIdx;
extern const __device__ __attribute__((weak)) __heddle_ntid blockDim;
extern const __device__ __attribute__((weak)) __heddle_nctaid gridDim;

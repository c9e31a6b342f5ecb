#pragma once

#define __HEDDLE_VECTOR(name, T, a1, a2, a4)                                                       \
  struct name##1 { T x; };                                                                         \
  struct __align__(a2) name##2 { T x, y; };                                                        \
  struct name##3 { T x, y, z; };                                                                   \
  struct __align__(a4) name##4 { T x, y, z, w; };                                                  \
  __HEDDLE_BOTH name##1 make_##name##1(T x) { return {x}; }                                        \
  __HEDDLE_BOTH name##2 make_##name##2(T x, T y) { return {x, y}; }                                \
  __HEDDLE_BOTH name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }                        \
  __HEDDLE_BOTH name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
#define __HEDDLE_BOTH static __host__ __device__ __inline__ __attribute__((always_inline)) constexpr

// CUDA's alignments (CUDA C++ Programming Guide, "Built-in Vector Types").
__HEDDLE_VECTOR(char, signed char, 1, 2, 4)
__HEDDLE_VECTOR(uchar, unsigned char, 1, 2, 4)
__HEDDLE_VECTOR(short, short, 2, 4, 8)
__HEDDLE_VECTOR(ushort, unsigned short, 2, 4, 8)
__HEDDLE_VECTOR(int, int, 4, 8, 16)
__HEDDLE_VECTOR(uint, unsigned int, 4, 8, 16)
__HEDDLE_VECTOR(long, long, 8, 16, 16)
__HEDDLE_VECTOR(ulong, unsigned long, 8, 16, 16)
__HEDDLE_VECTOR(longlong, long long, 8, 16, 16)
__HEDDLE_VECTOR(ulonglong, unsigned long long, 8, 16, 16)
__HEDDLE_VECTOR(float, float, 4, 8, 16)
__HEDDLE_VECTOR(double, double, 8, 16, 16)
#undef __HEDDLE_VECTOR

struct dim3 {
  unsigned int x, y, z;
  __host__ __device__ constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1)
      : x(x), y(y), z(z) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return {x, y, z}; }
};

// Half precision in CuPy's kernels.
#pragma once

struct float16 {
  _Float16 value;
  float16() = default;
  __device__ float16(float x) : value((_Float16)x) {}
  __device__ operator float() const { return (float)value; }
  __device__ float16 &operator+=(float x) { return *this = *this + x; }
  __device__ float16 &operator-=(float x) { return *this = *this - x; }
  __device__ float16 &operator*=(float x) { return *this = *this * x; }
  __device__ float16 &operator/=(float x) { return *this = *this / x; }
};

"""Sums, scans and maxima with CUB's block and warp primitives, from one module of templates."""

import cupy as cp
import numpy as np

module = cp.RawModule(
    code=r"""
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>

template <typename T, int THREADS> __global__ void block_sums(const T* x, T* sums, int n) {
  typedef cub::BlockReduce<T, THREADS> Reduce;
  __shared__ typename Reduce::TempStorage storage;
  int i = blockIdx.x * THREADS + threadIdx.x;
  T sum = Reduce(storage).Sum(i < n ? x[i] : T(0));
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

extern "C" __global__ void exclusive_sums(const int* x, int* sums) {
  typedef cub::BlockScan<int, 64> Scan;
  __shared__ typename Scan::TempStorage storage;
  int sum;
  Scan(storage).ExclusiveSum(x[threadIdx.x], sum);
  sums[threadIdx.x] = sum;
}

struct Larger {
  __device__ float operator()(float a, float b) const { return a > b ? a : b; }
};

extern "C" __global__ void warp_maxima(const float* x, float* maxima) {
  typedef cub::WarpReduce<float> Reduce;
  __shared__ typename Reduce::TempStorage storage[2];
  int warp = threadIdx.x / 32;
  float largest = Reduce(storage[warp]).Reduce(x[threadIdx.x], Larger());
  if (threadIdx.x % 32 == 0) maxima[warp] = largest;
}
""",
    options=("-std=c++17",),
    name_expressions=("block_sums<float, 128>", "block_sums<double, 64>"),
)
x = cp.arange(1000, dtype=cp.float32)
sums = cp.zeros(8, cp.float32)
module.get_function("block_sums<float, 128>")((8,), (128,), (x, sums, np.int32(1000)))
print(float(sums.sum()))
scan = cp.zeros(64, cp.int32)
module.get_function("exclusive_sums")((1,), (64,), (cp.ones(64, cp.int32), scan))
print(scan[:4].tolist(), int(scan[63]))
maxima = cp.zeros(2, cp.float32)
module.get_function("warp_maxima")((1,), (64,), (x, maxima))
print(maxima.tolist())

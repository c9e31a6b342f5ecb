"""Kernels of kernels.py in CUDA C++, on the current device."""

import numpy as np

import heddle
import kernels
from gpu_first_call import extract_kernel_source

SOURCE = r"""
extern "C" __global__ void vector_add(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + b[i];
}

#define TILE 16
extern "C" __global__ void tiled_matmul(const float *a, const float *b, float *c, int n) {
  __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
  float total = 0;
  for (int step = 0; step < gridDim.x; ++step) {
    tile_a[ty][tx] = a[y * n + tx + step * TILE];
    tile_b[ty][tx] = b[(ty + step * TILE) * n + x];
    __syncthreads();
    for (int k = 0; k < TILE; ++k)
      total += tile_a[ty][k] * tile_b[k][tx];
    __syncthreads();
  }
  c[y * n + x] = total;
}

extern "C" __global__ void sum_by_shuffles(const float *x, float *out) {
  __shared__ float part[8];
  int i = threadIdx.x;
  float total = x[blockIdx.x * blockDim.x + i];
  for (int offset = 16; offset; offset /= 2)
    total += __shfl_down_sync(0xffffffff, total, offset);
  if (i % 32 == 0)
    part[i / 32] = total;
  __syncthreads();
  if (i < 8) {
    total = part[i];
    for (int offset = 4; offset; offset /= 2)
      total += __shfl_down_sync(0xff, total, offset);
    if (i == 0)
      out[blockIdx.x] = total;
  }
}
"""


def add_vectors(n):
    """As in kernels.py: a call and a check of its result. The first call compiles the kernel."""
    a, b = np.random.default_rng(1).random((2, n), np.float32)
    c = np.zeros_like(a)
    kernel = heddle.RawKernel(extract_kernel_source(SOURCE, "vector_add"), "vector_add")
    return (
        lambda: kernel((-(-n // 256),), (256,), (a, b, c, np.int32(n))),
        lambda: np.testing.assert_array_equal(c, a + b),
    )


def multiply_matrices(n):
    a, b = np.random.default_rng(1).random((2, n, n), np.float32)
    c = np.zeros_like(a)
    kernel = heddle.RawKernel(extract_kernel_source(SOURCE, "tiled_matmul"), "tiled_matmul")
    tile = kernels.TILE
    return (
        lambda: kernel((n // tile, n // tile), (tile, tile), (a, b, c, np.int32(n))),
        lambda: np.testing.assert_allclose(c, a @ b, rtol=1e-5),
    )


def sum_blocks(n):
    x = np.random.default_rng(1).integers(0, 100, n).astype(np.float32)
    out = np.zeros(n // 256, np.float32)
    kernel = heddle.RawKernel(extract_kernel_source(SOURCE, "sum_by_shuffles"), "sum_by_shuffles")
    return (
        lambda: kernel((n // 256,), (256,), (x, out)),
        lambda: np.testing.assert_array_equal(out, x.reshape(-1, 256).sum(axis=1)),
    )


# The same work in Python and in CUDA C++, by description.
PAIRS = {
    "vector_add, 2^22 float32": lambda: (kernels.add_vectors(1 << 22), add_vectors(1 << 22)),
    "tiled_matmul, 512x512 float32": lambda: (
        kernels.multiply_matrices(512),
        multiply_matrices(512),
    ),
    "sum by shuffles, 2^20 float32": lambda: (
        kernels.sum_blocks(kernels.sum_by_shuffles, 1 << 20),
        sum_blocks(1 << 20),
    ),
}

"""The kernels that gpu.py times, in Python that heddle.cuda and numba.cuda both compile, and in CUDA C++.

With KERNELS_FROM=numba in the environment when this file is loaded, they are numba.cuda kernels.
"""

import os

import numpy as np

if os.environ.get("KERNELS_FROM") == "numba":
    from numba import cuda, float32, int32
else:
    from heddle import cuda, float32, int32

TILE = 16


@cuda.jit
def vector_add(a, b, c):
    i = cuda.grid(1)
    if i < c.size:
        c[i] = a[i] + b[i]


@cuda.jit
def add_one(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] += 1


@cuda.jit
def naive_matmul(a, b, c):
    column, row = cuda.grid(2)
    if row < c.shape[0] and column < c.shape[1]:
        total = float32(0)
        for k in range(a.shape[1]):
            total += a[row, k] * b[k, column]
        c[row, column] = total


@cuda.jit
def tiled_matmul(a, b, c):
    tile_a = cuda.shared.array((TILE, TILE), float32)
    tile_b = cuda.shared.array((TILE, TILE), float32)
    column, row = cuda.grid(2)
    x = cuda.threadIdx.x
    y = cuda.threadIdx.y
    total = float32(0)
    for start in range(0, a.shape[1], TILE):
        tile_a[y, x] = 0
        tile_b[y, x] = 0
        if row < a.shape[0] and start + x < a.shape[1]:
            tile_a[y, x] = a[row, start + x]
        if start + y < b.shape[0] and column < b.shape[1]:
            tile_b[y, x] = b[start + y, column]
        cuda.syncthreads()
        for k in range(TILE):
            total += tile_a[y, k] * tile_b[k, x]
        cuda.syncthreads()
    if row < c.shape[0] and column < c.shape[1]:
        c[row, column] = total


@cuda.jit
def naive_matmul_x_as_row(a, b, c):
    row, column = cuda.grid(2)
    if row < c.shape[0] and column < c.shape[1]:
        total = float32(0)
        for k in range(a.shape[1]):
            total += a[row, k] * b[k, column]
        c[row, column] = total


@cuda.jit
def tiled_matmul_x_as_row(a, b, c):
    tile_a = cuda.shared.array((TILE, TILE), float32)
    tile_b = cuda.shared.array((TILE, TILE), float32)
    row, column = cuda.grid(2)
    x = cuda.threadIdx.x
    y = cuda.threadIdx.y
    total = float32(0)
    for start in range(0, a.shape[1], TILE):
        tile_a[x, y] = 0
        tile_b[x, y] = 0
        if row < a.shape[0] and start + y < a.shape[1]:
            tile_a[x, y] = a[row, start + y]
        if start + x < b.shape[0] and column < b.shape[1]:
            tile_b[x, y] = b[start + x, column]
        cuda.syncthreads()
        for k in range(TILE):
            total += tile_a[x, k] * tile_b[k, y]
        cuda.syncthreads()
    if row < c.shape[0] and column < c.shape[1]:
        c[row, column] = total


@cuda.jit
def dynamic_matmul(a, b, c, width):
    """Matrix product with width x width tiles in dynamic shared memory of 8 * width * width bytes."""
    memory = cuda.shared.array(0, float32)
    tile_a = memory[: width * width]
    tile_b = memory[width * width : 2 * width * width]
    column, row = cuda.grid(2)
    x = cuda.threadIdx.x
    y = cuda.threadIdx.y
    here = y * width + x
    total = float32(0)
    for start in range(0, a.shape[1], width):
        tile_a[here] = 0
        tile_b[here] = 0
        if row < a.shape[0] and start + x < a.shape[1]:
            tile_a[here] = a[row, start + x]
        if start + y < b.shape[0] and column < b.shape[1]:
            tile_b[here] = b[start + y, column]
        cuda.syncthreads()
        for k in range(width):
            total += tile_a[y * width + k] * tile_b[k * width + x]
        cuda.syncthreads()
    if row < c.shape[0] and column < c.shape[1]:
        c[row, column] = total


@cuda.jit
def histogram(x, low, high, counts):
    width = (high - low) / counts.shape[0]
    for i in range(cuda.grid(1), x.shape[0], cuda.gridsize(1)):
        which = int32((x[i] - low) / width)
        if which >= 0 and which < counts.shape[0]:
            cuda.atomic.add(counts, which, 1)


# Extents have the type int, as people usually write them.
CUDA_CPP = r"""
extern "C" __global__ void vector_add(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + b[i];
}

extern "C" __global__ void naive_matmul(const float *a, const float *b, float *c, int n, int m, int k) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && column < m) {
    float total = 0;
    for (int i = 0; i < k; ++i)
      total += a[row * k + i] * b[i * m + column];
    c[row * m + column] = total;
  }
}

#define TILE 16
extern "C" __global__ void tiled_matmul(const float *a, const float *b, float *c, int n, int m, int k) {
  __shared__ float tile_a[TILE][TILE];
  __shared__ float tile_b[TILE][TILE];
  int x = threadIdx.x, y = threadIdx.y;
  int column = blockIdx.x * blockDim.x + x;
  int row = blockIdx.y * blockDim.y + y;
  float total = 0;
  for (int start = 0; start < k; start += TILE) {
    tile_a[y][x] = 0;
    tile_b[y][x] = 0;
    if (row < n && start + x < k)
      tile_a[y][x] = a[row * k + start + x];
    if (start + y < k && column < m)
      tile_b[y][x] = b[(start + y) * m + column];
    __syncthreads();
    for (int i = 0; i < TILE; ++i)
      total += tile_a[y][i] * tile_b[i][x];
    __syncthreads();
  }
  if (row < n && column < m)
    c[row * m + column] = total;
}

extern "C" __global__ void naive_matmul_x_as_row(const float *a, const float *b, float *c, int n, int m,
                                                 int k) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && column < m) {
    float total = 0;
    for (int i = 0; i < k; ++i)
      total += a[row * k + i] * b[i * m + column];
    c[row * m + column] = total;
  }
}

extern "C" __global__ void tiled_matmul_x_as_row(const float *a, const float *b, float *c, int n, int m,
                                                 int k) {
  __shared__ float tile_a[TILE][TILE];
  __shared__ float tile_b[TILE][TILE];
  int x = threadIdx.x, y = threadIdx.y;
  int row = blockIdx.x * blockDim.x + x;
  int column = blockIdx.y * blockDim.y + y;
  float total = 0;
  for (int start = 0; start < k; start += TILE) {
    tile_a[x][y] = 0;
    tile_b[x][y] = 0;
    if (row < n && start + y < k)
      tile_a[x][y] = a[row * k + start + y];
    if (start + x < k && column < m)
      tile_b[x][y] = b[(start + x) * m + column];
    __syncthreads();
    for (int i = 0; i < TILE; ++i)
      total += tile_a[x][i] * tile_b[i][y];
    __syncthreads();
  }
  if (row < n && column < m)
    c[row * m + column] = total;
}

extern "C" __global__ void dynamic_matmul(const float *a, const float *b, float *c, int n, int m, int k,
                                          int width) {
  extern __shared__ float memory[];
  float *tile_a = memory, *tile_b = memory + width * width;
  int x = threadIdx.x, y = threadIdx.y;
  int column = blockIdx.x * blockDim.x + x;
  int row = blockIdx.y * blockDim.y + y;
  int here = y * width + x;
  float total = 0;
  for (int start = 0; start < k; start += width) {
    tile_a[here] = 0;
    tile_b[here] = 0;
    if (row < n && start + x < k)
      tile_a[here] = a[row * k + start + x];
    if (start + y < k && column < m)
      tile_b[here] = b[(start + y) * m + column];
    __syncthreads();
    for (int i = 0; i < width; ++i)
      total += tile_a[y * width + i] * tile_b[i * width + x];
    __syncthreads();
  }
  if (row < n && column < m)
    c[row * m + column] = total;
}

extern "C" __global__ void histogram(const float *x, int n, float low, float high, int *counts, int bins) {
  float width = (high - low) / bins;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int which = int((x[i] - low) / width);
    if (which >= 0 && which < bins)
      atomicAdd(&counts[which], 1);
  }
}
"""


def dot(a, b):
    """The product of two float32 matrices in float64, for checking results."""
    return a.astype(np.float64) @ b.astype(np.float64)

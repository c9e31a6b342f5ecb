"""Tensor cores, asynchronous copies and barriers in hardware, in kernels of many blocks and many phases."""

import numpy as np
import pytest
from in_cuda_cpp import run


@pytest.fixture(autouse=True)
def ampere(gpu):
    if gpu.compute_capability < (8, 0):
        pytest.skip("this GPU copies and waits in software")


GEMM = """
#include <cuda_pipeline.h>
#include <mma.h>
using namespace nvcuda;
// A block of 4 warps computes 64 x 64 sums. It copies the next tiles while it multiplies.
__device__ void load(half (*tile)[72], const half* from, int stride, int rows, int columns) {
  for (int i = threadIdx.x; i < rows * columns / 8; i += 128) {
    int row = i / (columns / 8), column = i % (columns / 8) * 8;
    __pipeline_memcpy_async(&tile[row][column], from + row * stride + column, 16);
  }
}
__global__ void k(const half* a, const half* b, float* c, int n) {
  __shared__ __align__(32) half as[2][64][72], bs[2][64][72];
  int warp = threadIdx.x / 32;
  a += blockIdx.y * 64 * n;
  b += blockIdx.x * 64;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[4];
  for (int j = 0; j < 4; ++j) wmma::fill_fragment(sums[j], 0.0f);
  load(as[0], a, n, 64, 64);
  load(bs[0], b, n, 64, 64);
  __pipeline_commit();
  for (int k = 0; k < n; k += 64) {
    int now = k / 64 % 2;
    if (k + 64 < n) {
      load(as[1 - now], a + k + 64, n, 64, 64);
      load(bs[1 - now], b + (k + 64) * n, n, 64, 64);
    }
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    for (int t = 0; t < 64; t += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
      wmma::load_matrix_sync(fa, &as[now][warp * 16][t], 72);
      for (int j = 0; j < 4; ++j) {
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
        wmma::load_matrix_sync(fb, &bs[now][t][j * 16], 72);
        wmma::mma_sync(sums[j], fa, fb, sums[j]);
      }
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j) {
    for (int e = 0; e < sums[j].num_elements; ++e) sums[j].x[e] = 2 * sums[j].x[e];
    float* to = c + (blockIdx.y * 64 + warp * 16) * n + blockIdx.x * 64 + j * 16;
    wmma::store_matrix_sync(to, sums[j], n, wmma::mem_row_major);
  }
}"""


def test_a_product_copies_tiles_while_tensor_cores_multiply():
    n = 512
    a, b = np.random.default_rng(1).integers(-4, 5, (2, n, n)).astype(np.float16)
    c = np.zeros((n, n), np.float32)
    run(GEMM, a, b, c, n, grid=(n // 64, n // 64), block=128)
    np.testing.assert_array_equal(c, 2 * (a.astype("f") @ b.astype("f")))


def test_warps_hand_stages_to_each_other_for_many_rounds():
    blocks, rounds = 64, 500
    values = np.random.default_rng(2).integers(0, 1000, (rounds, 64)).astype(np.int32)
    out = np.zeros((blocks, 64), np.int32)
    source = """
    #include <cooperative_groups.h>
    #include <cuda/pipeline>
    namespace cg = cooperative_groups;
    __global__ void k(const int* in, int* out, int rounds) {
      constexpr int stages = 4;
      __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
      __shared__ int tiles[stages][64];
      auto block = cg::this_thread_block();
      auto pipe = cuda::make_pipeline(block, &state, (size_t)64);
      int i = threadIdx.x % 64, sum = 0;
      for (int round = 0; round < rounds; ++round)
        if (threadIdx.x < 64) {
          pipe.producer_acquire();
          cuda::memcpy_async(&tiles[round % stages][i], in + 64 * round + i, 4, pipe);
          pipe.producer_commit();
        } else {
          pipe.consumer_wait();
          sum = 3 * sum + tiles[round % stages][63 - i];
          pipe.consumer_release();
        }
      if (threadIdx.x >= 64) out[64 * blockIdx.x + i] = sum;
    }"""
    run(source, values, out, rounds, grid=blocks, block=128)
    expected = np.zeros(64, np.int32)
    for row in values:
        expected = 3 * expected + row[::-1]
    np.testing.assert_array_equal(out, np.tile(expected, (blocks, 1)))


def test_blocks_wait_at_two_barriers_in_turn_for_many_phases():
    blocks, rounds = 64, 500
    values = np.random.default_rng(3).integers(0, 1000, (rounds, 128)).astype(np.int32)
    out = np.zeros((blocks, 128), np.int32)
    source = """
    #include <cuda/barrier>
    typedef cuda::barrier<cuda::thread_scope_block> Barrier;
    __global__ void k(const int* in, int* out, int rounds) {
      __shared__ Barrier barriers[2];
      __shared__ int tiles[2][128];
      int i = threadIdx.x, sum = 0;
      if (i < 2) init(barriers + i, 128);
      __syncthreads();
      cuda::memcpy_async(&tiles[0][i], in + i, 4, barriers[0]);
      for (int round = 0; round < rounds; ++round) {
        int now = round % 2;
        if (round + 1 < rounds)
          cuda::memcpy_async(&tiles[1 - now][i], in + 128 * (round + 1) + i, 4, barriers[1 - now]);
        barriers[now].arrive_and_wait();
        sum = 5 * sum + tiles[now][127 - i];
        __syncthreads();
      }
      out[128 * blockIdx.x + i] = sum;
    }"""
    run(source, values, out, rounds, grid=blocks, block=128)
    expected = np.zeros(128, np.int32)
    for row in values:
        expected = 5 * expected + row[::-1]
    np.testing.assert_array_equal(out, np.tile(expected, (blocks, 1)))


def test_inline_ptx_waits_at_an_mbarrier():
    out = np.zeros(64, np.int32)
    source = r"""
    __global__ void k(int* out) {
      __shared__ unsigned long long barrier;
      __shared__ int values[64];
      unsigned address = (unsigned)__cvta_generic_to_shared(&barrier);
      int i = threadIdx.x;
      if (i == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(address), "r"(64) : "memory");
      __syncthreads();
      for (unsigned round = 0; round < 100; ++round) {
        values[i] = round * i;
        asm volatile("mbarrier.arrive.shared.b64 _, [%0];" :: "r"(address) : "memory");
        unsigned over = 0;
        while (!over)
          asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; "
                       "selp.u32 %0, 1, 0, p; }" : "=r"(over) : "r"(address), "r"(round & 1) : "memory");
        out[i] += values[63 - i];
        __syncthreads();
      }
    }"""
    run(source, out, block=64)
    np.testing.assert_array_equal(out, 4950 * np.arange(64)[::-1])

"""cuda::barrier, cuda::pipeline, asynchronous copies, and their C functions."""

import numpy as np
import pytest
from in_cuda_cpp import run

BARRIER = """
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
namespace cg = cooperative_groups;
typedef cuda::barrier<cuda::thread_scope_block> Barrier;
"""


def test_a_thread_works_between_its_arrival_and_its_wait(device):
    out = np.zeros(128, np.int32)
    source = """__global__ void k(int* out) {
      __shared__ Barrier barrier;
      __shared__ int values[128];
      if (threadIdx.x == 0) init(&barrier, blockDim.x);
      __syncthreads();
      values[threadIdx.x] = threadIdx.x;
      Barrier::arrival_token token = barrier.arrive();
      int own = 1000 * threadIdx.x;
      barrier.wait(std::move(token));
      out[threadIdx.x] = own + values[127 - threadIdx.x];
    }"""
    run(BARRIER + source, out, block=128)
    np.testing.assert_array_equal(out, 1000 * np.arange(128) + np.arange(128)[::-1])


def test_some_threads_produce_what_others_consume(device):
    out = np.zeros(32, np.int32)
    source = """__global__ void k(int* out) {
      __shared__ Barrier ready, filled;
      __shared__ int values[32];
      if (threadIdx.x == 0) { init(&ready, 64); init(&filled, 64); }
      __syncthreads();
      int i = threadIdx.x % 32, sum = 0;
      for (int round = 0; round < 5; ++round)
        if (threadIdx.x < 32) {
          ready.arrive_and_wait();
          values[i] = round * i;
          filled.arrive();
        } else {
          ready.arrive();
          filled.arrive_and_wait();
          sum += values[31 - i];
        }
      if (threadIdx.x >= 32) out[i] = sum;
    }"""
    run(BARRIER + source, out, block=64)
    np.testing.assert_array_equal(out, 10 * np.arange(32)[::-1])


def test_threads_that_leave_are_no_longer_waited_for(device):
    out = np.zeros(1, np.int32)
    source = """__global__ void k(int* out) {
      __shared__ Barrier barrier;
      if (threadIdx.x == 0) init(&barrier, blockDim.x);
      __syncthreads();
      if (threadIdx.x % 2) { barrier.arrive_and_drop(); return; }
      for (int round = 0; round < 4; ++round) barrier.arrive_and_wait();
      atomicAdd(out, 1);
    }"""
    run(BARRIER + source, out, block=64)
    assert out[0] == 32


def test_the_last_thread_of_a_phase_completes_it(device):
    out = np.zeros(1, np.int32)
    source = """struct Count { int* where; __device__ void operator()() { ++*where; } };
    __global__ void k(int* out) {
      __shared__ cuda::barrier<cuda::thread_scope_block, Count> barrier;
      if (threadIdx.x == 0) init(&barrier, blockDim.x, Count{out});
      __syncthreads();
      for (int round = 0; round < 7; ++round) barrier.arrive_and_wait();
    }"""
    run(BARRIER + source, out, block=40)
    assert out[0] == 7


@pytest.mark.parametrize(
    "copy",
    [
        "cg::memcpy_async(block, tile, in, sizeof(int) * 64); cg::wait(block);",
        "cg::memcpy_async(block, tile, 64, in, 100); cg::wait_prior<0>(block);",
        "cg::memcpy_async(block, tile, in, cuda::aligned_size_t<16>(256)); cg::wait(block);",
        "cuda::memcpy_async(block, tile, in, sizeof(int) * 64, barrier); barrier.arrive_and_wait();",
        "cuda::memcpy_async(tile + i, in + i, 4, barrier); barrier.arrive_and_wait();",
    ],
    ids=["bytes", "elements", "aligned", "with a barrier", "of one thread"],
)
def test_a_copy_is_there_after_the_wait(device, copy):
    values, out = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    source = f"""__global__ void k(const int* in, int* out) {{
      __shared__ Barrier barrier;
      __shared__ int tile[64];
      int i = threadIdx.x;
      cg::thread_block block = cg::this_thread_block();
      if (i == 0) init(&barrier, 64);
      block.sync();
      {copy}
      out[i] = tile[63 - i];
    }}"""
    run(BARRIER + source, values, out, block=64)
    np.testing.assert_array_equal(out, values[::-1])


PIPELINE = """
#include <cooperative_groups.h>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
constexpr int stages = 2, rounds = 6;
"""


def test_a_block_fills_a_stage_while_it_reads_another(device):
    values, out = np.arange(6 * 64, dtype=np.int32), np.zeros(64, np.int32)
    source = """__global__ void k(const int* in, int* out) {
      __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
      __shared__ int tiles[stages][64];
      auto block = cg::this_thread_block();
      auto pipe = cuda::make_pipeline(block, &state);
      int sum = 0;
      for (int read = 0, filled = 0; read < rounds; ++read) {
        for (; filled < rounds && filled < read + stages; ++filled) {
          pipe.producer_acquire();
          cuda::memcpy_async(block, tiles[filled % stages], in + 64 * filled, 256, pipe);
          pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += tiles[read % stages][63 - threadIdx.x];
        pipe.consumer_release();
      }
      out[threadIdx.x] = sum;
    }"""
    run(PIPELINE + source, values, out, block=64)
    np.testing.assert_array_equal(out, values.reshape(6, 64).sum(0)[::-1])


@pytest.mark.parametrize(
    "made",
    [
        "cuda::make_pipeline(block, &state, (size_t)32)",
        "cuda::make_pipeline(block, &state, threadIdx.x < 32 ? cuda::pipeline_role::producer "
        ": cuda::pipeline_role::consumer)",
    ],
    ids=["by number", "by role"],
)
def test_one_warp_fills_the_stages_that_another_reads(device, made):
    values, out = np.arange(6 * 32, dtype=np.int32), np.zeros(32, np.int32)
    source = f"""__global__ void k(const int* in, int* out) {{
      __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
      __shared__ int tiles[stages][32];
      auto block = cg::this_thread_block();
      auto pipe = {made};
      int lane = threadIdx.x % 32;
      for (int round = 0; round < rounds; ++round)
        if (threadIdx.x < 32) {{
          pipe.producer_acquire();
          cuda::memcpy_async(&tiles[round % stages][lane], in + 32 * round + lane, 4, pipe);
          pipe.producer_commit();
        }} else {{
          pipe.consumer_wait();
          out[lane] += tiles[round % stages][31 - lane];
          pipe.consumer_release();
        }}
    }}"""
    run(PIPELINE + source, values, out, block=64)
    np.testing.assert_array_equal(out, values.reshape(6, 32).sum(0)[::-1])


def test_a_thread_waits_for_its_own_copies(device):
    values, out = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    source = """__global__ void k(const int* in, int* out) {
      __shared__ int tile[64];
      cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
      pipe.producer_acquire();
      cuda::memcpy_async(tile + threadIdx.x, in + threadIdx.x, sizeof(int), pipe);
      pipe.producer_commit();
      cuda::pipeline_consumer_wait_prior<0>(pipe);
      __syncthreads();
      out[threadIdx.x] = tile[63 - threadIdx.x];
      pipe.consumer_release();
    }"""
    run(PIPELINE + source, values, out, block=64)
    np.testing.assert_array_equal(out, values[::-1])


def test_pipelines_have_functions_of_c(device):
    values, out = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    source = """#include <cuda_pipeline.h>
    __global__ void k(const int4* in, int* out) {
      __shared__ int4 tile[16];
      __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], 16, threadIdx.x ? 0 : 8);
      __pipeline_commit();
      __pipeline_wait_prior(0);
      ((int4*)out)[threadIdx.x] = tile[threadIdx.x];
    }"""
    run(source, values, out, block=16)
    np.testing.assert_array_equal(out, np.where((values == 2) | (values == 3), 0, values))


def test_barriers_have_functions_of_c(device):
    out = np.zeros(64, np.int32)
    source = """#include <cuda_awbarrier_primitives.h>
    __global__ void k(int* out) {
      __shared__ __mbarrier_t barrier;
      __shared__ int values[64];
      if (threadIdx.x == 0) __mbarrier_init(&barrier, 64);
      __syncthreads();
      values[threadIdx.x] = threadIdx.x;
      __mbarrier_token_t token = __mbarrier_arrive(&barrier);
      while (!__mbarrier_test_wait(&barrier, token)) {}
      out[threadIdx.x] = values[63 - threadIdx.x];
    }"""
    run(source, out, block=64)
    np.testing.assert_array_equal(out, np.arange(64)[::-1])

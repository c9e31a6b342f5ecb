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


@pytest.mark.parametrize("other", ["<cuda/barrier>", "<cuda/std/barrier>"])
def test_cuda_std_barrier_is_a_barrier_of_the_system(device, other):
    out = np.zeros(64, np.int32)
    source = f"""#include {other}
    #include <cuda/std/barrier>
    __global__ void k(int* out) {{
      __shared__ cuda::std::barrier<> barrier;
      __shared__ int values[64];
      cuda::barrier<cuda::thread_scope_system>* same = &barrier;
      if (threadIdx.x == 0) init(same, blockDim.x);
      __syncthreads();
      values[threadIdx.x] = threadIdx.x;
      barrier.arrive_and_wait();
      out[threadIdx.x] = values[63 - threadIdx.x];
    }}"""
    run(source, out, block=64)
    np.testing.assert_array_equal(out, np.arange(64)[::-1])


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


@pytest.mark.parametrize("size", [1, 2, 4, 12, 16, 40, 96])
@pytest.mark.parametrize("offset", [0, 1, 2, 4, 8])
def test_copies_of_any_size_and_alignment_arrive(device, offset, size):
    values = np.random.default_rng(size).integers(0, 256, 128).astype(np.uint8)
    out = np.zeros((2, 128), np.uint8)
    source = """__global__ void k(const char* in, char* out, int offset, int size) {
      __shared__ Barrier barrier;
      __shared__ __align__(16) char tile[2][128];
      cg::thread_block block = cg::this_thread_block();
      int i = threadIdx.x;
      if (i == 0) init(&barrier, 32);
      for (int j = i; j < 256; j += 32) tile[0][j] = 0;
      block.sync();
      cuda::memcpy_async(block, tile[0] + offset, in + offset, size, barrier);
      if (i == 7)
        cuda::memcpy_async((void*)(tile[1] + offset), (const void*)(in + offset), size, barrier);
      barrier.arrive_and_wait();
      for (int j = i; j < 256; j += 32) out[j] = tile[0][j];
    }"""
    run(BARRIER + source, values, out, offset, size, block=32)
    inside = (np.arange(128) >= offset) & (np.arange(128) < offset + size)
    np.testing.assert_array_equal(out, [np.where(inside, values, 0)] * 2)


@pytest.mark.parametrize(
    "copy",
    [
        "cuda::memcpy_async(block, tile, in, 256, barrier);",
        "cuda::memcpy_async(block, tile, in, cuda::aligned_size_t<16>(256), barrier);",
        "cuda::memcpy_async(tile + i, in + i, 4, barrier);",
    ],
)
@pytest.mark.parametrize("kind", ["Counting", "cuda::barrier<cuda::thread_scope_device>"])
def test_barriers_in_software_wait_for_copies(device, kind, copy):
    values, out = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    source = f"""struct Nothing {{ __device__ void operator()() {{}} }};
    typedef cuda::barrier<cuda::thread_scope_block, Nothing> Counting;
    __global__ void k(const int* in, int* out) {{
      __shared__ {kind} barrier;
      __shared__ __align__(16) int tile[64];
      cg::thread_block block = cg::this_thread_block();
      int i = threadIdx.x;
      if (i == 0) init(&barrier, 64);
      block.sync();
      {copy}
      barrier.arrive_and_wait();
      out[i] = tile[63 - i];
    }}"""
    run(BARRIER + source, values, out, block=64)
    np.testing.assert_array_equal(out, values[::-1])


def test_a_block_waits_at_a_barrier_in_global_memory(device):
    values, out = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    source = """__device__ char place[sizeof(Barrier) + alignof(Barrier)];
    __global__ void k(const int* in, int* out) {
      Barrier* barrier = (Barrier*)(((size_t)place + alignof(Barrier) - 1) / alignof(Barrier) *
                                    alignof(Barrier));
      __shared__ int tile[64];
      int i = threadIdx.x;
      if (i == 0) init(barrier, 64);
      __syncthreads();
      for (int round = 0; round < 5; ++round) {
        barrier->arrive_and_wait();
        cuda::memcpy_async(tile + (i + round) % 64, in + i, 4, *barrier);
        barrier->arrive_and_wait();
        out[i] += tile[i];
      }
    }"""
    run(BARRIER + source, values, out, block=64)
    np.testing.assert_array_equal(out, sum(np.roll(values, round) for round in range(5)))


def test_threads_arrive_several_times_and_wait_for_a_parity(device):
    out = np.zeros(32, np.int32)
    source = """__global__ void k(int* out) {
      __shared__ Barrier barrier;
      __shared__ int value;
      int i = threadIdx.x;
      if (i == 0) init(&barrier, 36);
      __syncthreads();
      for (int round = 0; round < 6; ++round) {
        if (i == 0) value = round;
        (void)barrier.arrive(i == 0 ? 5 : 1);
        barrier.wait_parity(round % 2);
        out[i] += value * value;
        __syncthreads();
      }
    }"""
    run(BARRIER + source, out, block=32)
    np.testing.assert_array_equal(out, np.full(32, 55))


def test_a_thread_tries_to_wait(device):
    out = np.zeros(64, np.int32)
    source = """__global__ void k(int* out) {
      __shared__ Barrier barrier;
      __shared__ int values[64];
      int i = threadIdx.x, parity = 0;
      if (i == 0) init(&barrier, 64);
      __syncthreads();
      values[i] = i;
      auto token = barrier.arrive();
      while (!barrier.try_wait(token)) {}
      out[i] = values[63 - i];
      (void)barrier.arrive();
      while (!barrier.try_wait_parity(parity ^ 1)) {}
      values[i] = 2 * i;
      (void)barrier.arrive();
      while (!barrier.try_wait_parity(parity)) {}
      out[i] += values[63 - i];
    }"""
    run(BARRIER + source, out, block=64)
    np.testing.assert_array_equal(out, 3 * np.arange(64)[::-1])


MATMUL = """
constexpr int size = 32;
template <class Load, class Wait>
__device__ void multiply(const float* a, const float* b, float* c, int n, Load load, Wait wait) {
  __shared__ __align__(16) float as[2][8 * 8], bs[2][8 * 8];
  int row = threadIdx.x / 8, column = threadIdx.x % 8;
  float sum = 0;
  a += blockIdx.y * 8 * n;
  b += blockIdx.x * 8;
  load(as[0] + threadIdx.x, a + row * n + column, bs[0] + threadIdx.x, b + row * n + column);
  for (int tile = 0; tile < n / 8; ++tile) {
    int next = tile + 1;
    if (next < n / 8)
      load(as[next % 2] + threadIdx.x, a + row * n + next * 8 + column, bs[next % 2] + threadIdx.x,
           b + (next * 8 + row) * n + column);
    wait(next == n / 8);
    for (int k = 0; k < 8; ++k) sum += as[tile % 2][row * 8 + k] * bs[tile % 2][k * 8 + column];
    __syncthreads();
  }
  c[(blockIdx.y * 8 + row) * n + blockIdx.x * 8 + column] = sum;
}
"""
WITH_FUNCTIONS_OF_C = """
multiply(a, b, c, n, [](float* s, const float* x, float* t, const float* y) {
  __pipeline_memcpy_async(s, x, 4);
  __pipeline_memcpy_async(t, y, 4);
  __pipeline_commit();
}, [](bool last) {
  if (last) __pipeline_wait_prior(0); else __pipeline_wait_prior(1);
  __syncthreads();
});"""
WITH_A_PIPELINE = """
auto pipe = cuda::make_pipeline();
multiply(a, b, c, n, [&](float* s, const float* x, float* t, const float* y) {
  pipe.producer_acquire();
  cuda::memcpy_async(s, x, 4, pipe);
  cuda::memcpy_async(t, y, 4, pipe);
  pipe.producer_commit();
}, [&](bool) {
  pipe.consumer_wait();
  __syncthreads();
  pipe.consumer_release();
});"""
WITH_BARRIERS = """
__shared__ Barrier barriers[2];
if (threadIdx.x < 2) init(barriers + threadIdx.x, 64);
__syncthreads();
int loaded = 0, waited = 0;
multiply(a, b, c, n, [&](float* s, const float* x, float* t, const float* y) {
  cuda::memcpy_async(s, x, cuda::aligned_size_t<4>(4), barriers[loaded % 2]);
  cuda::memcpy_async(t, y, cuda::aligned_size_t<4>(4), barriers[loaded++ % 2]);
}, [&](bool) { barriers[waited++ % 2].arrive_and_wait(); });"""


@pytest.mark.parametrize(
    "body",
    [WITH_FUNCTIONS_OF_C, WITH_A_PIPELINE, WITH_BARRIERS],
    ids=["functions of C", "pipeline", "barriers"],
)
def test_a_product_loads_its_next_tiles_while_it_computes(device, body):
    a, b = np.random.default_rng(7).integers(-9, 10, (2, 64, 64)).astype("f")
    c = np.zeros_like(a)
    source = f"""#include <cuda_pipeline.h>
    #include <cuda/pipeline>
    {BARRIER} {MATMUL}
    __global__ void k(const float* a, const float* b, float* c, int n) {{ {body} }}"""
    run(source, a, b, c, 64, grid=(8, 8), block=64)
    np.testing.assert_array_equal(c, a @ b)


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


@pytest.mark.parametrize(
    "size, zeros",
    [(size, zeros) for size in (4, 8, 16) for zeros in (0, 1, 4, 6, 8, 16) if zeros <= size],
)
def test_the_end_of_a_copy_is_filled_with_zeros(device, size, zeros):
    values = np.arange(1, 17, dtype=np.uint8)
    out = np.full(16, 99, np.uint8)
    source = """#include <cuda_pipeline.h>
    __global__ void k(const char* in, char* out, int zeros) {
      __shared__ __align__(16) char tile[16];
      __pipeline_memcpy_async(tile, in, SIZE, zeros);
      __pipeline_commit();
      __pipeline_wait_prior(0);
      for (int i = 0; i < SIZE; ++i) out[i] = tile[i];
    }"""
    run(source.replace("SIZE", str(size)), values, out, zeros)
    kept = size - zeros
    np.testing.assert_array_equal(out, [*values[:kept], *[0] * zeros, *[99] * (16 - size)])


@pytest.mark.parametrize(
    "wait",
    [
        "__mbarrier_test_wait(&barrier, token)",
        "__mbarrier_try_wait(&barrier, token, 1000)",
        "__mbarrier_try_wait_parity(&barrier, 0, 1000)",
    ],
)
def test_barriers_have_functions_of_c(device, wait):
    out = np.zeros(64, np.int32)
    source = """#include <cuda_awbarrier_primitives.h>
    __global__ void k(int* out) {
      __shared__ __mbarrier_t barrier;
      __shared__ int values[64];
      if (threadIdx.x == 0) __mbarrier_init(&barrier, 64);
      __syncthreads();
      values[threadIdx.x] = threadIdx.x;
      __mbarrier_token_t token = __mbarrier_arrive(&barrier);
      while (!WAIT) {}
      out[threadIdx.x] = values[63 - threadIdx.x];
    }"""
    run(source.replace("WAIT", wait), out, block=64)
    np.testing.assert_array_equal(out, np.arange(64)[::-1])

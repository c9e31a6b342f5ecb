"""The C++ functions for bulk copies and mbarriers: cuda/ptx, and those of cuda/barrier in cuda::device."""

import numpy as np
import pytest
from in_cuda_cpp import assemble_for_hopper

import heddle
from heddle import cuda

INCLUDES = """
#include <cuda/barrier>
#include <cuda/ptx>
#include <cuda/std/utility>
namespace ptx = cuda::ptx;
typedef cuda::barrier<cuda::thread_scope_block> Barrier;
"""


@pytest.fixture
def run(device, tmp_path):
    """Runs the kernel ``k``, which is also assembled for a GPU, on arrays. They hold the results afterwards."""
    if device.type != "cpu" and device.compute_capability < (9, 0):
        pytest.skip("these functions are there from compute capability 9.0 on")

    def run(source, *args, grid=1, block=1):
        assemble_for_hopper(INCLUDES + source, tmp_path)
        there = [cuda.to_device(a) if isinstance(a, np.ndarray) else a for a in args]
        heddle.RawKernel(INCLUDES + source, "k")(grid, block, tuple(there))
        for given, used in zip(args, there):
            if isinstance(given, np.ndarray):
                used.copy_to_host(given)

    return run


LOADS = {
    "cuda::memcpy_async": "cuda::memcpy_async(tile, x + first, cuda::aligned_size_t<16>(sizeof(tile)), bar);",
    "memcpy_async_tx": """cuda::device::memcpy_async_tx(tile, x + first, cuda::aligned_size_t<16>(sizeof(tile)), bar);
      cuda::device::barrier_expect_tx(bar, sizeof(tile));""",
    "cp_async_bulk": """u64* handle = cuda::device::barrier_native_handle(bar);
      ptx::mbarrier_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, handle, sizeof(tile));
      ptx::cp_async_bulk(ptx::space_shared, ptx::space_global, tile, x + first, sizeof(tile), handle);""",
    "experimental": """cuda::device::barrier_expect_tx(bar, sizeof(tile));
      cuda::device::experimental::cp_async_bulk_global_to_shared(tile, x + first, sizeof(tile), bar);""",
}
STORES = {
    "cuda::ptx": """ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, x + first, tile, sizeof(tile));
      ptx::cp_async_bulk_commit_group(); ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());""",
    "experimental": """namespace cde = cuda::device::experimental;
      cde::cp_async_bulk_shared_to_global(x + first, tile, sizeof(tile));
      cde::cp_async_bulk_commit_group(); cde::cp_async_bulk_wait_group_read<0>();""",
}


@pytest.mark.parametrize("width", ["", "1"])
@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("load", LOADS)
def test_a_block_changes_a_tile_that_bulk_copies_load_and_store(
    run, monkeypatch, load, store, width
):
    monkeypatch.setenv("HEDDLE_WIDTH", width)
    source = f"""
    typedef unsigned long long u64;
    __device__ bool leads() {{ return threadIdx.x / 32 == 0 && ptx::elect_sync(0xffffffff); }}
    __global__ void k(int* x) {{
      __shared__ alignas(16) int tile[512];
      __shared__ Barrier bar;
      int first = blockIdx.x * 512;
      if (threadIdx.x == 0) init(&bar, blockDim.x);
      __syncthreads();
      if (leads()) {{ {LOADS[load]} }}
      Barrier::arrival_token token = bar.arrive();
      bar.wait(cuda::std::move(token));
      for (int i = threadIdx.x; i < 512; i += blockDim.x) tile[i] = 3 * tile[i] + blockIdx.x;
      ptx::fence_proxy_async(ptx::space_shared);
      __syncthreads();
      if (leads()) {{ {STORES[store]} }}
    }}"""
    x = np.arange(1536, dtype=np.int32)
    run(source, x, grid=3, block=96)
    np.testing.assert_array_equal(x, 3 * np.arange(1536) + np.arange(1536) // 512)


def test_stages_are_loaded_ahead_and_tracked_by_parity(run):
    source = """__global__ void k(const float* x, float* out, int tiles) {
      __shared__ alignas(16) float stages[3][64];
      __shared__ Barrier bars[3];
      if (threadIdx.x == 0) for (Barrier& b : bars) init(&b, 1);
      __syncthreads();
      auto load = [&](int tile) {
        if (threadIdx.x != 0 || tile >= tiles) return;
        cuda::device::memcpy_async_tx(stages[tile % 3], x + 64 * tile, cuda::aligned_size_t<16>(256), bars[tile % 3]);
        (void)cuda::device::barrier_arrive_tx(bars[tile % 3], 1, 256);
      };
      for (int n = 0; n < 3; ++n) load(n);
      float sum = 0;
      for (int n = 0; n < tiles; ++n) {
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta,
                                              cuda::device::barrier_native_handle(bars[n % 3]), n / 3 & 1)) {}
        sum += stages[n % 3][threadIdx.x];
        __syncthreads();
        load(n + 3);
      }
      out[threadIdx.x] = sum;
    }"""
    x, out = np.arange(64 * 10, dtype=np.float32), np.zeros(64, np.float32)
    run(source, x, out, 10, block=64)
    np.testing.assert_array_equal(out, x.reshape(10, 64).sum(0))


def test_mbarrier_functions_share_one_mbarrier_with_cuda_barrier(run):
    source = """__global__ void k(unsigned* out) {
      __shared__ Barrier bar;
      uint64_t* b = cuda::device::barrier_native_handle(bar);
      ptx::mbarrier_init(b, 6);
      ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
      uint64_t token = bar.arrive(2);
      out[0] = ptx::mbarrier_pending_count(token);
      out[1] = ptx::mbarrier_pending_count(ptx::mbarrier_arrive_no_complete(b, 2));
      ptx::mbarrier_arrive_drop(ptx::sem_release, ptx::scope_cta, ptx::space_shared, b);
      out[2] = ptx::mbarrier_test_wait(b, token) + 2 * bar.try_wait(token);
      ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, b);
      out[3] = ptx::mbarrier_test_wait(b, token) + 2 * bar.try_wait(token) + 4 * ptx::mbarrier_try_wait(b, token, 10);
      out[4] = ptx::mbarrier_try_wait_parity(b, 0) + 2 * bar.try_wait_parity(false) + 4 * bar.try_wait_parity(true);
      token = ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, b, 32);
      out[5] = ptx::mbarrier_pending_count(token);
      ptx::mbarrier_arrive(b, 4);
      out[6] = bar.try_wait(token);
      ptx::mbarrier_complete_tx(ptx::sem_relaxed, ptx::scope_cluster, ptx::space_cluster, b, 32);
      out[7] = bar.try_wait(token);
      ptx::mbarrier_inval(b);
    }"""
    out = np.zeros(8, np.uint32)
    run(source, out)
    assert out.tolist() == [6, 4, 0, 7, 3, 5, 0, 1]


def test_reductions_add_up_the_tiles_of_blocks(run):
    source = """__global__ void k(unsigned* sums, float* floats) {
      __shared__ alignas(16) unsigned tile[32];
      __shared__ alignas(16) float tenths[32];
      tile[threadIdx.x] = threadIdx.x * (blockIdx.x + 1);
      tenths[threadIdx.x] = threadIdx.x * 0.5f;
      ptx::fence_proxy_async();
      __syncthreads();
      if (threadIdx.x == 0) {
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, sums, tile, 128);
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, floats, tenths, 128);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
      }
    }"""
    sums, floats = np.zeros(32, np.uint32), np.zeros(32, np.float32)
    run(source, sums, floats, grid=5, block=32)
    np.testing.assert_array_equal(sums, 15 * np.arange(32))
    np.testing.assert_array_equal(floats, 2.5 * np.arange(32))


def test_a_cluster_of_one_block_has_the_functions_of_clusters(run):
    source = """__global__ void k(unsigned* out) {
      __shared__ unsigned value, copy;
      __shared__ uint64_t bar;
      ptx::mbarrier_init(&bar, 1);
      value = 5;
      ptx::barrier_cluster_arrive(ptx::sem_release);
      ptx::barrier_cluster_wait(ptx::sem_acquire);
      out[0] = *ptx::mapa(ptx::space_cluster, &value, ptx::get_sreg_cluster_ctarank());
      out[1] = ptx::getctarank(ptx::space_cluster, &value) + 10 * ptx::get_sreg_cluster_nctarank();
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, &bar, 4);
      ptx::st_async(&copy, 8u, &bar);
      while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
      out[2] = copy;
      ptx::fence(ptx::sem_acq_rel, ptx::scope_cluster);
      out[3] = ptx::get_sreg_ntid_y() + ptx::get_sreg_clusterid_x();
    }"""
    out = np.zeros(4, np.uint32)
    run(source, out)
    assert out.tolist() == [5, 10, 8, 1]


def test_a_wait_with_a_time_limit_ends(run):
    source = """
    struct Nanoseconds {  // as in cuda::std::chrono
      struct period { static constexpr long num = 1, den = 1000000000; };
      long n;
      __device__ long count() const { return n; }
    };
    __global__ void k(int* out) {
      __shared__ Barrier bar;
      if (threadIdx.x == 0) init(&bar, blockDim.x + 1);
      __syncthreads();
      Barrier::arrival_token token = bar.arrive();
      out[threadIdx.x] = bar.try_wait_for(token, Nanoseconds{1000});
      __syncthreads();
      if (threadIdx.x == 0) bar.arrive();
      while (!bar.try_wait_parity_for(false, Nanoseconds{100})) {}
      out[threadIdx.x] += 2 * bar.try_wait_for(token, Nanoseconds{0});
    }"""
    out = np.full(64, -1, np.int32)
    run(source, out, block=64)
    np.testing.assert_array_equal(out, np.full(64, 2))

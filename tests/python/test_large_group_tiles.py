"""Cooperative groups in CUDA C++: tiles of several warps, partitions by label, functions called by one member."""

import numpy as np
import pytest

import heddle
from heddle import cuda

HEAD = """#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(const int *in, int *out) {
  int i = threadIdx.x;
  __shared__ cg::block_tile_memory<256> memory;
  cg::thread_block block = cg::this_thread_block(memory);
"""
VALUES = np.random.RandomState(1).randint(0, 100, 256).astype("i4")
SIZES = pytest.mark.parametrize("size", [64, 128, 256])


def run(body, threads=256):
    values, out = cuda.to_device(VALUES), cuda.to_device(np.zeros(256, np.int32))
    heddle.RawKernel(HEAD + body + "}", "k")(1, threads, (values, out))
    return out.copy_to_host()


def tile(size):
    return f"auto tile = cg::tiled_partition<{size}>(block);\n"


@SIZES
def test_a_tile_knows_its_place(device, size):
    found = run(
        tile(size)
        + "out[i] = tile.thread_rank() + 1000 * tile.meta_group_rank() + tile.meta_group_size();"
    )
    place = np.arange(256)
    assert (found == place % size + 1000 * (place // size) + 256 // size).all()


@SIZES
def test_a_tile_reduces_its_values(device, size):
    found = run(tile(size) + "out[i] = cg::reduce(tile, in[i], cg::plus<int>());")
    assert (found == VALUES.reshape(-1, size).sum(1).repeat(size)).all()


@SIZES
def test_a_tile_scans_its_values(device, size):
    rows = VALUES.reshape(-1, size)
    found = run(tile(size) + "out[i] = cg::inclusive_scan(tile, in[i], cg::greater<int>());")
    assert (found == np.maximum.accumulate(rows, 1).ravel()).all()
    found = run(tile(size) + "out[i] = cg::exclusive_scan(tile, in[i]);")
    assert (found == (np.cumsum(rows, 1) - rows).ravel()).all()


def test_a_member_reads_another_ones_value(device):
    found = run(tile(128) + "out[i] = tile.shfl(in[i], 70);")
    assert (found == VALUES.reshape(2, 128)[:, 70].repeat(128)).all()


def test_a_tile_votes(device):
    found = run(tile(64) + "out[i] = tile.any(i == 70) + 2 * tile.all(i < 128);")
    assert found[::64].tolist() == [2, 3, 0, 0]


def test_a_tile_waits_for_its_members(device):
    body = """__shared__ int seen[256];
    seen[i] = in[i];
    tile.sync();
    out[i] = seen[i ^ 63];"""
    assert (run(tile(64) + body) == VALUES[np.arange(256) ^ 63]).all()


def test_a_small_tile_is_a_part_of_a_large_one(device):
    found = run(
        tile(64)
        + "auto part = cg::tiled_partition<32>(tile); out[i] = cg::reduce(part, in[i], cg::plus<int>());"
    )
    assert (found == VALUES.reshape(-1, 32).sum(1).repeat(32)).all()


def test_sixteen_tiles_wait(device):
    source = """#include <cooperative_groups.h>
    namespace cg = cooperative_groups;
    extern "C" __global__ void k(int *out) {
      __shared__ int seen[1024];
      auto tile = cg::tiled_partition<64>(cg::this_thread_block());
      seen[threadIdx.x] = threadIdx.x;
      tile.sync();
      out[threadIdx.x] = seen[threadIdx.x ^ 63];
    }"""
    out = cuda.to_device(np.zeros(1024, np.int32))
    heddle.RawKernel(source, "k")(1, 1024, (out,))
    assert (out.copy_to_host() == np.arange(1024) ^ 63).all()


@SIZES
def test_each_tile_waits_as_often_as_it_likes(device, size):
    body = """__shared__ int seen[256];
    for (int turn = 0; turn < 2 + (int)tile.meta_group_rank(); ++turn) {
      seen[i] = in[i] + turn;
      tile.sync();
      out[i] += seen[i ^ 33];
      tile.sync();
    }"""
    turns = 2 + np.arange(256) // size
    expected = turns * VALUES[np.arange(256) ^ 33] + turns * (turns - 1) // 2
    np.testing.assert_array_equal(run(tile(size) + body), expected)


def test_tiles_take_different_branches(device):
    body = """if (tile.meta_group_rank() % 2) {
      int sum = cg::reduce(tile, in[i], cg::plus<int>());
      out[i] = sum + 10000 * tile.any(i == 70);
    } else {
      out[i] = cg::exclusive_scan(tile, in[i]) + tile.shfl(in[i], 5);
    }"""
    rows = VALUES.reshape(4, 64)
    expected = np.cumsum(rows, 1) - rows + rows[:, 5:6]
    expected[1::2] = rows[1::2].sum(1)[:, None] + np.array([[10000], [0]])
    np.testing.assert_array_equal(run(tile(64) + body), expected.ravel())


def test_one_tile_waits_alone(device):
    body = """__shared__ int seen[256];
    seen[i] = in[i];
    if (i < 64) { tile.sync(); out[i] = seen[63 - i]; }
    __syncthreads();
    if (i >= 64) out[i] = seen[255 - i];"""
    found = run(tile(64) + body)
    assert (found[:64] == VALUES[63::-1]).all()
    assert (found[64:] == VALUES[255 - np.arange(64, 256)]).all()


def test_a_label_makes_groups_with_ranks(device):
    found = run(
        """auto warp = cg::tiled_partition<32>(block);
        auto group = cg::labeled_partition(warp, i % 3);
        out[i] = group.size() + 100 * group.meta_group_size() + 1000 * group.meta_group_rank();""",
        32,
    )
    expected = [(11, 11, 10)[i % 3] + 300 + 1000 * (i % 3) for i in range(32)]
    assert found[:32].tolist() == expected


def test_one_member_calls_for_all(device):
    found = run(
        """auto warp = cg::tiled_partition<32>(block);
        int *sum = out + 255;
        cg::invoke_one(warp, [&] { atomicAdd(sum, 1); });
        block.sync();
        if (i < 128) {
          auto active = cg::coalesced_threads();
          out[i] = cg::invoke_one_broadcast(active, [&](int x) { return in[i] + x; }, 1000);
        }"""
    )
    assert found[255] == 8
    assert (found[:128] == VALUES[:128:32].repeat(32) + 1000).all()

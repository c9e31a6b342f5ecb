"""Uses of warp operations: reductions, scans, compaction, aggregated atomics and sorting among 32 lanes."""

import numpy as np
import pytest

from heddle import cuda

ALL = 0xFFFFFFFF


@cuda.jit(device=True)
def warp_sum(value):
    """The sum over the warp, in lane 0."""
    offset = 16
    while offset:
        value += cuda.shfl_down_sync(ALL, value, offset)
        offset //= 2
    return value


@cuda.jit(device=True)
def warp_scan(value):
    """The sum over the lanes up to the caller."""
    offset = 1
    while offset < 32:
        below = cuda.shfl_up_sync(ALL, value, offset)
        if cuda.laneid >= offset:
            value += below
        offset *= 2
    return value


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
def test_a_sum_by_shuffles(device, dtype):
    @cuda.jit
    def k(x, out):
        i = cuda.grid(1)
        total = warp_sum(x[i] if i < x.size else x[0] - x[0])
        if cuda.laneid == 0:
            cuda.atomic.add(out, 0, total)

    x = np.random.default_rng(2).integers(0, 9, 10_001).astype(dtype)
    out = np.zeros(1, dtype)
    k[40, 256](x, out)
    assert out[0] == x.sum()


def test_a_block_sums_with_one_barrier(device):
    @cuda.jit
    def k(x, out):
        partial = cuda.shared.array(32, np.float64)
        i = cuda.grid(1)
        warp, lane = cuda.threadIdx.x // 32, cuda.laneid
        total = warp_sum(x[i])
        if lane == 0:
            partial[warp] = total
        cuda.syncthreads()
        if warp == 0:
            total = warp_sum(partial[lane] if lane < cuda.blockDim.x // 32 else 0.0)
            if lane == 0:
                out[cuda.blockIdx.x] = total

    x, out = np.arange(4096.0), np.zeros(8)
    k[8, 512](x, out)
    np.testing.assert_array_equal(out, x.reshape(8, 512).sum(axis=1))


def test_an_inclusive_scan_of_a_block(device):
    @cuda.jit
    def k(x, out):
        totals = cuda.shared.array(32, np.int64)
        i, warp, lane = cuda.threadIdx.x, cuda.threadIdx.x // 32, cuda.laneid
        prefix = warp_scan(x[i])
        if lane == 31:
            totals[warp] = prefix
        cuda.syncthreads()
        if warp == 0:
            totals[lane] = warp_scan(totals[lane] if lane < cuda.blockDim.x // 32 else 0)
        cuda.syncthreads()
        out[i] = prefix + (totals[warp - 1] if warp else 0)

    x = np.random.default_rng(4).integers(-50, 50, 768)
    out = np.zeros_like(x)
    k[1, 768](x, out)
    np.testing.assert_array_equal(out, np.cumsum(x))


def test_a_compaction_by_ballots_keeps_the_order_within_a_warp(device):
    @cuda.jit
    def k(x, out, count):
        i = cuda.grid(1)
        keep = i < x.size and x[i] > 0
        kept = cuda.ballot_sync(ALL, keep)
        first = 0
        if cuda.laneid == 0:
            first = cuda.atomic.add(count, 0, cuda.popc(kept))
        first = cuda.shfl_sync(ALL, first, 0)
        if keep:
            out[first + cuda.popc(kept & cuda.lanemask_lt())] = x[i]

    x = np.random.default_rng(6).integers(-9, 10, 3000)
    out, count = np.zeros_like(x), np.zeros(1, np.int64)
    k[24, 128](x, out, count)
    expected = x[x > 0]
    assert count[0] == expected.size
    np.testing.assert_array_equal(np.sort(out[: count[0]]), np.sort(expected))
    warps = [x[i : i + 32][x[i : i + 32] > 0] for i in range(0, x.size, 32)]
    text = out[: count[0]].tobytes()
    assert all(warp.tobytes() in text for warp in warps)


def test_a_histogram_with_one_atomic_for_each_value_of_a_warp(device):
    @cuda.jit
    def k(x, bins):
        i = cuda.grid(1)
        here = cuda.ballot_sync(ALL, i < x.size)
        if i < x.size:
            same = cuda.match_any_sync(here, x[i])
            if cuda.ffs(same) - 1 == cuda.laneid:
                cuda.atomic.add(bins, x[i], cuda.popc(same))

    x = np.random.default_rng(9).integers(0, 10, 5000)
    bins = np.zeros(10, np.int64)
    k[20, 256](x, bins)
    np.testing.assert_array_equal(bins, np.bincount(x, minlength=10))


def test_an_increment_aggregated_over_the_active_lanes(device):
    @cuda.jit
    def k(counter, tickets):
        i = cuda.grid(1)
        if i % 3 == 0:
            active = cuda.activemask()
            leader = cuda.ffs(active) - 1
            first = 0
            if cuda.laneid == leader:
                first = cuda.atomic.add(counter, 0, cuda.popc(active))
            first = cuda.shfl_sync(active, first, leader)
            tickets[i // 3] = first + cuda.popc(active & cuda.lanemask_lt())

    counter, tickets = np.zeros(1, np.int64), np.zeros(200, np.int64)
    k[3, 200](counter, tickets)
    assert counter[0] == 200
    np.testing.assert_array_equal(np.sort(tickets), np.arange(200))


def test_a_bitonic_sort_of_each_warp(device):
    @cuda.jit
    def k(x):
        i, lane = cuda.grid(1), cuda.laneid
        value = x[i]
        size = 2
        while size <= 32:
            distance = size // 2
            while distance:
                other = cuda.shfl_xor_sync(ALL, value, distance)
                ascending = (lane & size) == 0
                lower = (lane & distance) == 0
                value = min(value, other) if ascending == lower else max(value, other)
                distance //= 2
            size *= 2
        x[i] = value

    x = np.random.default_rng(12).random(512).astype(np.float32)
    expected = np.sort(x.reshape(16, 32)).ravel()
    k[4, 128](x)
    np.testing.assert_array_equal(x, expected)


def test_an_argument_of_the_maximum_by_shuffles_of_two_values(device):
    @cuda.jit
    def k(x, out):
        i = cuda.threadIdx.x
        best, at = x[i], i
        step = 16
        while step:
            other = cuda.shfl_xor_sync(ALL, best, step)
            there = cuda.shfl_xor_sync(ALL, at, step)
            if other > best or (other == best and there < at):
                best, at = other, there
            step //= 2
        out[i] = at

    x = np.random.default_rng(14).integers(0, 20, 32).astype(np.float64)
    out = np.zeros(32, np.int64)
    k[1, 32](x, out)
    np.testing.assert_array_equal(out, np.argmax(x))


def test_the_warps_of_a_2d_block_transpose_tiles(device):
    @cuda.jit
    def k(x):
        row, column = cuda.laneid // 8, cuda.laneid % 8
        x[cuda.threadIdx.y, cuda.threadIdx.x] = cuda.shfl_sync(
            ALL, x[cuda.threadIdx.y, cuda.threadIdx.x], column * 4 + row
        )

    x = np.arange(64).reshape(8, 8)
    expected = [tile.reshape(8, 4).T.copy() for tile in (x[:4], x[4:])]
    k[1, (8, 8)](x)
    np.testing.assert_array_equal(x.reshape(2, 4, 8), expected)


def test_a_million_threads_sum_by_shuffles(device):
    @cuda.jit
    def k(x, out):
        i = cuda.grid(1)
        total = warp_sum(x[i])
        if cuda.laneid == 0:
            cuda.atomic.add(out, 0, total)

    x, out = np.ones(1 << 20, np.int64), np.zeros(1, np.int64)
    k[4096, 256](x, out)
    assert out[0] == x.size


def test_the_rest_of_a_warps_sum(device):
    """LLVM's code generator once did not terminate for it."""

    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        total = np.int64((i == x[i % 3, 1]) + 3)
        for distance in (16, 8, 4, 2, 1):
            total += cuda.shfl_xor_sync(0xFFFFFFFF, total, distance)
        out[i] = cuda.ballot_sync(0xFFFFFFFF, x[total % 3, i % 5] < x[i % 3, total % 5])

    x, out = np.arange(15.0).reshape(3, 5), np.zeros(32, np.int64)
    kernel[1, 32](x, out)
    i = np.arange(32)
    total = (i == x[i % 3, 1]).sum() + 3 * 32
    expected = sum(1 << int(n) for n in i if x[total % 3, n % 5] < x[n % 3, total % 5])
    assert (out & 0xFFFFFFFF).tolist() == [expected] * 32

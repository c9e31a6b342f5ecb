"""Warp operations: the value each lane gets, which lanes wait for each other, and what is refused."""

from functools import partial

import numpy as np
import pytest
from in_kernels import run

from heddle import RawKernel, cuda
from heddle.errors import KernelRuntimeError, TypingError

of_a_warp = partial(run, dtype=np.int32, size=32, threads=32)

ALL = 0xFFFFFFFF
LANES = np.arange(32)
VALUES = [np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64]


@pytest.mark.parametrize("dtype", VALUES)
def test_a_shuffle_brings_the_value_of_a_lane_in_every_type(device, dtype):
    @cuda.jit
    def k(x, out):
        i = cuda.threadIdx.x
        out[i] = cuda.shfl_sync(ALL, x[i], 31 - i)

    rng = np.random.default_rng(3)
    x = rng.integers(0, 256, 32 * np.dtype(dtype).itemsize, np.uint8).view(dtype)
    out = np.zeros_like(x)
    k[1, 32](x, out)
    np.testing.assert_array_equal(out.view(np.uint8), x[::-1].copy().view(np.uint8))


def test_a_shuffle_takes_the_lane_modulo_32(device):
    @cuda.jit
    def k(out):
        i = cuda.threadIdx.x
        out[i] = cuda.shfl_sync(-1, i, i + 35)

    np.testing.assert_array_equal(of_a_warp(k), (LANES + 3) % 32)


def test_a_shuffle_up_keeps_the_first_lanes(device):
    @cuda.jit
    def k(out):
        i = cuda.threadIdx.x
        out[i] = cuda.shfl_up_sync(ALL, i, 3)

    np.testing.assert_array_equal(of_a_warp(k), np.where(LANES < 3, LANES, LANES - 3))


def test_a_shuffle_down_keeps_the_last_lanes(device):
    @cuda.jit
    def k(out):
        i = cuda.threadIdx.x
        out[i] = cuda.shfl_down_sync(ALL, i, 5)

    np.testing.assert_array_equal(of_a_warp(k), np.where(LANES > 26, LANES, LANES + 5))


def test_a_shuffle_xor_swaps_lanes(device):
    @cuda.jit
    def k(out):
        i = cuda.threadIdx.x
        out[i] = cuda.shfl_xor_sync(ALL, i, 5)

    np.testing.assert_array_equal(of_a_warp(k), LANES ^ 5)


def shuffles_of_width(width):
    @cuda.jit
    def k(out):
        i = cuda.threadIdx.x
        out[0, i] = cuda.shfl_sync(ALL, i, 11, width)
        out[1, i] = cuda.shfl_up_sync(ALL, i, 3, width=width)
        out[2, i] = cuda.shfl_down_sync(ALL, i, 3, width=width)
        out[3, i] = cuda.shfl_xor_sync(ALL, i, 9, width=width)

    return k


@pytest.mark.parametrize("width", [1, 2, 4, 8, 16, 32])
def test_a_width_cuts_the_warp_into_pieces(device, width):
    first = LANES // width * width
    last = first + width - 1
    expected = [
        first + 11 % width,
        np.where(LANES - 3 >= first, LANES - 3, LANES),
        np.where(LANES + 3 <= last, LANES + 3, LANES),
        np.where(LANES ^ 9 <= last, LANES ^ 9, LANES),
    ]
    out = np.zeros((4, 32), np.int32)
    shuffles_of_width(width)[1, 32](out)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("width", [1, 4, 32])
def test_a_width_may_be_an_argument(device, width):
    @cuda.jit
    def k(x, width):
        i = cuda.threadIdx.x
        x[i] = cuda.shfl_sync(ALL, x[i], 0, width)

    x = np.arange(32, dtype=np.int32)
    k[1, 32](x, width)
    np.testing.assert_array_equal(x, LANES // width * width)


def test_each_lane_may_ask_for_another_lane_and_a_64_bit_value(device):
    @cuda.jit
    def k(x, lanes, out):
        i = cuda.threadIdx.x
        out[i] = cuda.shfl_sync(ALL, x[i], lanes[i])

    rng = np.random.default_rng(5)
    x, lanes = rng.random(32), rng.integers(0, 32, 32)
    out = np.zeros(32)
    k[1, 32](x, lanes, out)
    np.testing.assert_array_equal(out, x[lanes])


def test_the_lanes_vote(device):
    @cuda.jit
    def k(out, limit):
        i = cuda.threadIdx.x
        out[0, i] = cuda.all_sync(ALL, i < limit)
        out[1, i] = cuda.any_sync(ALL, i < limit)
        out[2, i] = cuda.eq_sync(ALL, i < limit)
        out[3, i] = cuda.ballot_sync(ALL, i < limit)

    for limit in (0, 7, 32):
        out = np.zeros((4, 32), np.int32)
        k[1, 32](out, limit)
        votes = [limit == 32, limit > 0, limit in (0, 32), np.uint32(2**limit - 1).astype(np.int32)]
        np.testing.assert_array_equal(out, np.repeat(votes, 32).reshape(4, 32))


def test_a_vote_takes_any_integer_as_truth(device):
    @cuda.jit
    def k(out):
        i = cuda.threadIdx.x
        out[i] = cuda.ballot_sync(ALL, i * 16)

    np.testing.assert_array_equal(of_a_warp(k), -2)


def test_a_ballot_is_an_int32_and_a_vote_a_bool(cpu):
    @cuda.jit
    def k(out):
        out[0] = cuda.ballot_sync(1, True) // -2
        out[1] = cuda.all_sync(1, True) + cuda.all_sync(1, 2)
        out[2] = cuda.ballot_sync(1, True) ^ cuda.lanemask_lt()

    out = np.zeros(3, np.int64)
    k[1, 1](out)
    np.testing.assert_array_equal(out, [-1, 2, 1])


@pytest.mark.parametrize("dtype", VALUES)
def test_a_match_finds_the_lanes_with_the_same_value(device, dtype):
    @cuda.jit
    def k(x, out):
        i = cuda.threadIdx.x
        out[i] = cuda.match_any_sync(ALL, x[i])

    x = (LANES % 5 * 2**15).astype(dtype)
    out = np.zeros(32, np.int32)
    k[1, 32](x, out)
    expected = [sum(1 << j for j in range(32) if j % 5 == i % 5) for i in range(32)]
    np.testing.assert_array_equal(out.view(np.uint32), expected)


@pytest.mark.parametrize("dtype", VALUES)
def test_a_match_of_all_lanes_is_a_mask_and_a_bool(device, dtype):
    @cuda.jit
    def k(x, out):
        i = cuda.threadIdx.x
        mask, same = cuda.match_all_sync(ALL, x[i])
        out[i, 0] = mask
        out[i, 1] = same

    x, out = np.full(32, 7, dtype), np.zeros((32, 2), np.int32)
    k[1, 32](x, out)
    np.testing.assert_array_equal(out, [[-1, 1]] * 32)
    x[31] = 8
    k[1, 32](x, out)
    np.testing.assert_array_equal(out, 0)


def test_a_match_compares_the_bits_of_floats(device):
    @cuda.jit
    def k(x, out):
        i = cuda.threadIdx.x
        out[i] = cuda.match_any_sync(7, x[i])

    out = np.zeros(3, np.int32)
    k[1, 3](np.array([0.0, -0.0, np.nan]), out)
    np.testing.assert_array_equal(out, [1, 2, 4])


REDUCTIONS = {
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


@cuda.jit
def reduce_all(x, out):
    i = cuda.threadIdx.x
    out[0, i] = cuda.reduce_add_sync(ALL, x[i])
    out[1, i] = cuda.reduce_min_sync(ALL, x[i])
    out[2, i] = cuda.reduce_max_sync(ALL, x[i])
    out[3, i] = cuda.reduce_and_sync(ALL, x[i])
    out[4, i] = cuda.reduce_or_sync(ALL, x[i])
    out[5, i] = cuda.reduce_xor_sync(ALL, x[i])


@pytest.mark.parametrize("lanes", [1, 13, 32])
@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64, np.uint64])
def test_a_reduction_gives_every_lane_the_result(device, dtype, lanes):
    limits = np.iinfo(dtype)
    x = np.random.default_rng(8).integers(limits.min, limits.max, lanes, dtype, endpoint=True)
    out = np.zeros((6, lanes), dtype)
    reduce_all[1, lanes](x, out)
    expected = [f.reduce(x, dtype=dtype) for f in REDUCTIONS.values()]
    np.testing.assert_array_equal(out, np.repeat(expected, lanes).reshape(6, lanes))


def test_a_reduction_is_among_the_lanes_of_its_mask(device):
    @cuda.jit
    def k(out):
        i = cuda.threadIdx.x
        if i % 4 == 0:
            out[i] = cuda.reduce_add_sync(0x11111111, i)
        else:
            out[i] = cuda.reduce_max_sync(0xEEEEEEEE, i)

    np.testing.assert_array_equal(of_a_warp(k), np.where(LANES % 4, 31, sum(range(0, 32, 4))))


def test_lanemask_lt_has_the_lanes_below(device):
    @cuda.jit
    def k(out):
        i = cuda.grid(1)
        out[i] = cuda.lanemask_lt()

    out = np.zeros(64, np.uint32)
    k[1, 64](out)
    np.testing.assert_array_equal(out, np.tile((1 << LANES) - 1, 2))


def test_the_active_mask_has_the_caller(device):
    @cuda.jit
    def k(out):
        i = cuda.threadIdx.x
        if i % 3 == 0:
            out[i] = (cuda.activemask() >> cuda.laneid) & 1

    out = np.zeros(64, np.int32)
    k[1, 64](out)
    np.testing.assert_array_equal(out, np.arange(64) % 3 == 0)


def test_lanes_that_are_active_together_agree_on_the_mask(device):
    @cuda.jit
    def k(out):
        i = cuda.threadIdx.x
        if i % 3 == 0:
            mask = cuda.activemask()
            out[i] = cuda.all_sync(mask, mask == cuda.shfl_sync(mask, mask, cuda.ffs(mask) - 1))

    out = np.ones(32, np.int32)
    k[1, 32](out)
    np.testing.assert_array_equal(out, 1)


def test_the_active_mask_has_every_lane_of_a_branch(cpu):
    @cuda.jit
    def k(out):
        i = cuda.threadIdx.x
        out[0, i] = cuda.activemask()
        if i % 4 == 0:
            out[1, i] = cuda.activemask()
        elif i == 7:
            return
        out[2, i] = cuda.activemask()

    out = np.zeros((3, 20), np.uint32)
    k[1, 20](out)
    lanes = np.arange(20)
    np.testing.assert_array_equal(out[0], 2**20 - 1)
    np.testing.assert_array_equal(out[1], np.where(lanes % 4, 0, 0x11111))
    np.testing.assert_array_equal(out[2], np.where(lanes == 7, 0, 2**20 - 1 - 2**7))


def test_syncwarp_orders_what_the_lanes_write(device):
    @cuda.jit
    def k(out):
        s = cuda.shared.array(64, np.int32)
        i = cuda.threadIdx.x
        s[i] = i
        cuda.syncwarp()
        left = s[i ^ 1]
        cuda.syncwarp(ALL)
        s[i] = left * 2
        cuda.syncwarp(mask=-1)
        out[i] = s[i ^ 2]

    out = np.zeros(64, np.int32)
    k[1, 64](out)
    np.testing.assert_array_equal(out, (np.arange(64) ^ 3) * 2)


def test_branches_meet_by_their_masks(device):
    @cuda.jit
    def k(out):
        i = cuda.threadIdx.x
        if i < 8:
            out[i] = cuda.shfl_sync(0x000000FF, i * 10, 7 - i)
        elif i < 16:
            out[i] = cuda.ballot_sync(0x0000FF00, i % 2)
        else:
            out[i] = cuda.shfl_down_sync(0xFFFF0000, i, 1, width=16)

    out = np.zeros(32, np.int32)
    k[1, 32](out)
    expected = np.where(LANES < 8, (7 - LANES) * 10, 0xAA00)
    expected = np.where(LANES < 16, expected, np.minimum(LANES + 1, 31))
    np.testing.assert_array_equal(out, expected)


def test_a_lane_that_has_returned_is_not_waited_for(device):
    @cuda.jit
    def k(out):
        i = cuda.threadIdx.x
        if i % 2:
            return
        out[i] = cuda.ballot_sync(ALL, True)
        if i > 15:
            return
        out[i] &= cuda.ballot_sync(ALL, True)

    out = np.zeros(32, np.int32)
    k[1, 32](out)
    np.testing.assert_array_equal(
        out, np.where(LANES % 2, 0, np.where(LANES > 15, 0x55555555, 0x5555))
    )


def test_lanes_leave_a_loop_at_different_times(device):
    @cuda.jit
    def k(out):
        i = cuda.threadIdx.x
        rounds = 0
        while cuda.any_sync(ALL, rounds <= i % 9):
            rounds += 1
        left = cuda.ballot_sync(ALL, i < 5)
        for j in range(i):
            if j == 3:
                break
            rounds += cuda.popc(left)
        out[i] = cuda.shfl_sync(ALL, rounds, 2)

    np.testing.assert_array_equal(of_a_warp(k), 9 + 2 * 5)


def test_the_last_warp_of_a_block_may_have_fewer_lanes(device):
    @cuda.jit
    def k(out):
        i = cuda.threadIdx.x
        out[i] = cuda.ballot_sync(ALL, True)

    out = np.zeros(45, np.int32)
    k[1, 45](out)
    np.testing.assert_array_equal(out, [-1] * 32 + [2**13 - 1] * 13)


def test_the_threads_of_a_2d_block_are_lanes_row_by_row(device):
    @cuda.jit
    def k(out):
        x, y = cuda.threadIdx.x, cuda.threadIdx.y
        out[y, x] = cuda.shfl_xor_sync(ALL, y * 100 + x, 12)

    out = np.zeros((8, 8), np.int32)
    k[1, (8, 8)](out)
    other = np.arange(64) ^ 12
    np.testing.assert_array_equal(out.ravel(), other // 8 * 100 + other % 8)


def test_warps_meet_at_barriers_of_the_block(device):
    @cuda.jit
    def k(x, out):
        sums = cuda.shared.array(8, np.int64)
        i = cuda.threadIdx.x
        total = cuda.reduce_add_sync(ALL, x[i])
        if cuda.laneid == 0:
            sums[i // 32] = total
        cuda.syncthreads()
        if i < 8:
            out[i] = cuda.reduce_add_sync(0xFF, sums[i])
        count = cuda.syncthreads_count(i < 100)
        out[i] += cuda.shfl_sync(ALL, count, 0)

    x, out = np.arange(256), np.zeros(256, np.int64)
    k[1, 256](x, out)
    np.testing.assert_array_equal(out, np.where(x < 8, x.sum() + 100, 100))


def test_warps_meet_at_barriers_of_the_grid(device):
    @cuda.jit
    def k(x, out):
        i = cuda.grid(1)
        x[i] = cuda.shfl_up_sync(ALL, i, 1)
        cuda.cg.this_grid().sync()
        out[i] = cuda.shfl_xor_sync(ALL, x[(i + 32) % x.size], 1)

    x = np.zeros(128, np.int64)
    out = np.zeros_like(x)
    k[4, 32](x, out)
    shifted = np.maximum(np.arange(128) - 1, np.arange(128) // 32 * 32)
    np.testing.assert_array_equal(out, np.roll(shifted, -32)[np.arange(128) ^ 1])


def test_a_device_function_may_talk_to_the_warp(device):
    @cuda.jit(device=True)
    def neighbour(x):
        return cuda.shfl_xor_sync(ALL, x, 1)

    @cuda.jit
    def k(out):
        i = cuda.threadIdx.x
        if i < 32:
            out[i] = neighbour(neighbour(i) * 2)
        else:
            out[i] = neighbour(i)

    out = np.zeros(64, np.int32)
    k[1, 64](out)
    i = np.arange(64)
    np.testing.assert_array_equal(out, np.where(i < 32, 2 * i, i ^ 1))


def test_every_block_has_its_own_warps(device):
    @cuda.jit
    def k(out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = cuda.shfl_down_sync(ALL, i, 1)

    out = np.zeros(1000, np.int32)
    k[8, 128](out)
    i = np.arange(1000)
    inside = i[(i % 32 != 31) & (i != 999)]
    np.testing.assert_array_equal(out[inside], inside + 1)


def test_a_kernel_that_is_not_optimized_talks_to_its_warp(device):
    @cuda.jit(debug=True, opt=False)
    def k(x, out):
        i = cuda.threadIdx.x
        mask, same = cuda.match_all_sync(ALL, x[i] % 2)
        out[i] = cuda.shfl_xor_sync(mask, x[i], 1) if same else cuda.ballot_sync(ALL, x[i] % 2)

    out = np.zeros(32, np.int64)
    k[1, 32](2 * LANES, out)
    np.testing.assert_array_equal(out, 2 * (LANES ^ 1))
    k[1, 32](LANES, out)
    np.testing.assert_array_equal(out, np.int32(-1431655766))


def test_an_error_in_one_lane_stops_the_kernel_while_others_wait(device):
    @cuda.jit(debug=True, opt=False)
    def k(x, out):
        i = cuda.threadIdx.x
        total = cuda.reduce_add_sync(ALL, i)
        if i == 9:
            raise ValueError("lane nine")
        out[i] = cuda.shfl_sync(ALL, total, 3)

    with pytest.raises(ValueError, match="lane nine"):
        k[1, 64](LANES, np.zeros(64, np.int64))
        cuda.synchronize()


def test_a_value_from_a_lane_that_does_not_take_part_is_zero(cpu):
    @cuda.jit
    def k(out):
        i = cuda.threadIdx.x
        if i < 4:
            out[i] = cuda.shfl_sync(0xF, i, i + 3)

    out = np.full(8, -1, np.int32)
    k[1, 8](out)
    np.testing.assert_array_equal(out, [3, 0, 0, 0, -1, -1, -1, -1])


def stops(kernel, threads, *texts):
    """Launch a block of `threads`; check that the error contains every text and that the device still works."""
    with pytest.raises(KernelRuntimeError) as caught:
        kernel[1, threads](np.zeros(64, np.int32))
    for text in texts:
        assert text in str(caught.value)
    out = np.zeros((6, 2), np.int32)
    reduce_all[1, 2](np.array([3, 5], np.int32), out)
    np.testing.assert_array_equal(out[0], 8)


def test_a_lane_that_waits_for_one_at_a_barrier_is_an_error(cpu):
    @cuda.jit
    def k(out):
        if cuda.threadIdx.x < 4:
            cuda.shfl_sync(0xFF, 1, 0)
        cuda.syncthreads()

    first = k.py_func.__code__.co_firstlineno
    stops(
        k,
        8,
        f"cuda.shfl_sync() at line {first + 3} with mask 0x000000ff is not reached by every lane",
        f"lane 0 waits there while lane 4 waits at the barrier at line {first + 4}",
    )


@pytest.mark.parametrize("block", [(66, 1), (33, 2), (6, 11)])
def test_lanes_that_leave_a_loop_early_are_not_missing_in_other_warps(cpu, block):
    @cuda.jit
    def k(x, out):
        t = cuda.threadIdx.y * cuda.blockDim.x + cuda.threadIdx.x
        shared = cuda.shared.array(66, np.int32)
        for _ in range(2):
            left = t // 32 + 2
            while left > 0:
                left -= 1
                if left == 2:
                    shared[t] = x[t]
                    break
                out[t] += cuda.popc(cuda.match_any_sync(ALL, x[0]))
            out[t] += cuda.syncthreads_count(shared[t] == 0)

    t = np.arange(66)
    x = t % 3
    out = np.zeros(66, np.int64)
    k[1, block](x, out)
    lanes, rounds = np.where(t < 64, 32, 2), np.array([2, 0, 1])[t // 32]
    rounds_before = 2 * lanes * rounds
    np.testing.assert_array_equal(out - rounds_before, out[32])
    assert out[32] > 0


def test_lanes_that_returned_are_not_waited_for(cpu):
    @cuda.jit
    def k(x, n, out):
        i, j = cuda.grid(2)
        if i:
            return
        for _ in x:
            if j % n:
                break
        else:
            out[j] = cuda.reduce_xor_sync(ALL, j + 5)
        cuda.syncwarp()

    out = np.zeros(3, np.int32)
    k[1, (16, 3)](np.ones(2), 1, out)
    np.testing.assert_array_equal(out, [5 ^ 6, 5 ^ 6, 7])
    with pytest.raises(KernelRuntimeError, match="lane 0 waits there while lane 16 waits"):
        k[1, (16, 3)](np.ones(2), 2, out)


def test_lanes_that_wait_with_different_masks_are_an_error(cpu):
    @cuda.jit
    def k(out):
        i = cuda.threadIdx.x
        out[i] = cuda.ballot_sync(0x3 if i < 1 else 0x7, 1)

    stops(k, 3, "with mask 0x00000003", "lane 1 waits at cuda.ballot_sync()", "0x00000007")


def test_lanes_that_wait_at_different_operations_are_an_error(cpu):
    @cuda.jit
    def k(out):
        i = cuda.threadIdx.x
        out[i] = cuda.all_sync(ALL, 1) if i % 2 else cuda.any_sync(ALL, 1)

    stops(k, 64, "warp 0", "cuda.any_sync()", "lane 1 waits at cuda.all_sync()")


def test_lanes_with_values_of_different_sizes_do_not_meet(cpu):
    @cuda.jit
    def k(out):
        if cuda.threadIdx.x:
            cuda.shfl_sync(3, np.int32(1), 0)
        else:
            cuda.shfl_sync(3, np.int64(1), 0)

    stops(k, 2, "lane 0 waits there while lane 1 waits at cuda.shfl_sync()")


def test_a_lane_outside_its_own_mask_is_an_error_that_names_the_thread(cpu):
    @cuda.jit
    def k(out):
        cuda.syncwarp(0xF)

    stops(k, (3, 2), "lane 4 is not in the mask of its operation", "0x0000000f", "thread (1, 1, 0)")


@pytest.mark.parametrize(
    "name, more",
    [
        ("__syncwarp", ""),
        ("__ballot_sync", ", 1"),
        ("__match_any_sync", ", 1"),
        ("__shfl_sync", ", 1, 0"),
        ("__shfl_up_sync", ", 1, 0"),
        ("__reduce_min_sync", ", 1u"),
        ("__reduce_xor_sync", ", 1u"),
    ],
)
def test_an_error_names_a_warp_function_of_cuda_cpp(cpu, name, more):
    k = RawKernel(f'extern "C" __global__ void k() {{ {name}(1{more}); }}', "k")
    with pytest.raises(KernelRuntimeError, match=rf"lane 1 .* calls {name}\(\) at line 1"):
        k((1,), (2,), ())
        cuda.synchronize()


def refuses(function, *texts):
    kernel = cuda.jit(function)
    with pytest.raises(TypingError) as caught:
        kernel[1, 32](np.zeros(32, np.int8), np.zeros(32))
    for text in texts:
        assert text in str(caught.value)


def test_a_shuffle_of_a_narrow_value_is_refused_with_a_hint():
    def k(x, y):
        cuda.shfl_sync(ALL, x[0], 0)

    refuses(k, "cuda.shfl_sync works on values of type int32", "not int8", "np.int32(value)")


def test_a_shuffle_of_an_array_is_refused():
    def k(x, y):
        cuda.shfl_xor_sync(ALL, y, 1)

    refuses(k, "cuda.shfl_xor_sync works on values of type int32", "not array(float64, 1d, C)")


def test_a_mask_that_is_no_integer_is_refused():
    def k(x, y):
        cuda.ballot_sync(y[0], True)

    refuses(k, "cuda.ballot_sync takes an integer here, not float64")


def test_a_predicate_that_is_no_integer_is_refused():
    def k(x, y):
        cuda.all_sync(ALL, y[0])

    refuses(k, "cuda.all_sync takes an integer here, not float64")


def test_a_reduction_of_floats_is_refused():
    def k(x, y):
        cuda.reduce_add_sync(ALL, y[0])

    refuses(k, "works on values of type int32, uint32, int64 or uint64, not float64")


def test_a_width_that_is_no_power_of_two_is_refused():
    def k(x, y):
        cuda.shfl_sync(ALL, y[0], 0, 12)

    refuses(k, "width must be 1, 2, 4, 8, 16 or 32")


def test_a_width_that_is_no_integer_is_refused():
    def k(x, y):
        cuda.shfl_sync(ALL, y[0], 0, width=y[0])

    refuses(k, "takes an integer here, not float")


def test_a_recursion_that_talks_to_the_warp_is_refused_on_the_cpu(cpu):
    from heddle.errors import UnsupportedError

    @cuda.jit("int32(int32)", device=True)
    def down(n):
        return n if n == 0 else cuda.shfl_sync(ALL, down(n - 1), 0)

    @cuda.jit
    def k(out):
        out[0] = down(3)

    with pytest.raises(UnsupportedError, match="can reach a barrier or a warp operation"):
        k[1, 32](np.zeros(1, np.int32))

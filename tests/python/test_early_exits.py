"""Threads that leave a kernel or a loop early, while the other threads of their group continue to a barrier.

What a thread does before it leaves happens before the barrier that the others reach.
"""

import numpy as np
import pytest

from heddle import RawKernel, cuda

threads = 64
t = np.arange(threads)


def stores_and_returns(out):
    s, t = cuda.shared.array(64, np.int64), cuda.threadIdx.x
    s[t] = 100 + t
    cuda.syncthreads()
    if t % 16 == 4:
        out[t] = s[t + 1]
        return
    cuda.syncthreads()
    s[t] = 0


def stores_on_the_other_side(out):
    s, t = cuda.shared.array(64, np.int64), cuda.threadIdx.x
    s[t] = 100 + t
    cuda.syncthreads()
    if t % 16 != 4:
        cuda.syncthreads()
        s[t] = 0
    else:
        out[t] = s[t + 1]


def adds_and_returns(out):
    s, t = cuda.shared.array(1, np.int64), cuda.threadIdx.x
    if t == 0:
        s[0] = 5
    cuda.syncthreads()
    if t % 16 == 4:
        out[t] = cuda.atomic.add(s, 0, 0)
        return
    cuda.syncthreads()
    cuda.atomic.add(s, 0, 1)


def skips_a_barrier(out):
    s, t = cuda.shared.array(64, np.int64), cuda.threadIdx.x
    s[t] = 100 + t
    cuda.syncthreads()
    if t < 40:
        cuda.syncthreads()
        s[t] = 0
        cuda.syncthreads()
    out[t] = s[63 - t]


def returns_at_two_places(out):
    s, t = cuda.shared.array(64, np.int64), cuda.threadIdx.x
    s[t] = t
    cuda.syncthreads()
    if t % 5 == 0:
        out[t] = s[63]
        return
    cuda.syncthreads()
    s[t] += 1
    cuda.syncthreads()
    if t % 5 == 1:
        out[t] = s[63]
        return
    cuda.syncthreads()
    s[t] += 1
    cuda.syncthreads()
    out[t] = s[63]


def breaks(out):
    s, t = cuda.shared.array(64, np.int64), cuda.threadIdx.x
    s[t] = 100
    cuda.syncthreads()
    for k in range(5):
        if t % 16 == k:
            break
        cuda.syncthreads()
        s[t] += 1
        cuda.syncthreads()
    out[t] = s[15]


def returns_from_an_inner_loop(out):
    s, t = cuda.shared.array(1, np.int64), cuda.threadIdx.x
    s[0] = 0
    cuda.syncthreads()
    for i in range(3):
        for j in range(3):
            if t == 7 and 3 * i + j == 5:
                out[t] = s[0]
                return
            if t == 9 and i == 2:
                cuda.atomic.add(out, t, s[0])
                return
            cuda.syncthreads()
            if t == 0:
                s[0] += 1
            cuda.syncthreads()
    out[t] = s[0]


def leaves_by_the_condition_and_by_break(out):
    s, t = cuda.shared.array(64, np.int64), cuda.threadIdx.x
    s[t] = 0
    cuda.syncthreads()
    i = 0
    while i < t:
        i += 8
        if t > 50:
            out[t] = 1000 + s[t - 51]
            break
        cuda.syncthreads()
        s[t] += 1
        cuda.syncthreads()
    else:
        out[t] = s[50]


def returns_before_a_barrier_of_the_warp(out):
    s, t = cuda.shared.array(64, np.int64), cuda.threadIdx.x
    s[t] = 100 + t
    cuda.syncwarp()
    if t % 32 == 4:
        out[t] = s[t + 1]
        return
    cuda.syncwarp()
    s[t] = 0


def breaks_before_a_barrier_of_the_warp(out):
    s, t = cuda.shared.array(64, np.int64), cuda.threadIdx.x
    s[t] = 100
    cuda.syncwarp()
    for k in range(5):
        if t % 32 == k:
            break
        cuda.syncwarp()
        s[t] += 1
        cuda.syncwarp()
    out[t] = s[t | 31]


rounds = (t + 7) // 8  # iterations of `while i < t`
kernels = [
    (stores_and_returns, np.where(t % 16 == 4, 101 + t, 0)),
    (stores_on_the_other_side, np.where(t % 16 == 4, 101 + t, 0)),
    (adds_and_returns, np.where(t % 16 == 4, 5, 0)),
    (skips_a_barrier, np.where((t < 40) & (63 - t < 40), 0, 163 - t)),
    (returns_at_two_places, np.where(t % 5 == 0, 63, np.where(t % 5 == 1, 64, 65))),
    (breaks, 100 + np.minimum(t % 16, 5)),
    (returns_from_an_inner_loop, np.where(t == 7, 5, np.where(t == 9, 6, 9))),
    (leaves_by_the_condition_and_by_break, np.where(t > 50, 1000, rounds)),
    (returns_before_a_barrier_of_the_warp, np.where(t % 32 == 4, 101 + t, 0)),
    (breaks_before_a_barrier_of_the_warp, 100 + np.minimum(t % 32, 5)),
]


@pytest.mark.parametrize("width", [1, 4, 8, 16, None])
@pytest.mark.parametrize("function, wanted", kernels, ids=[f.__name__ for f, _ in kernels])
def test_a_thread_that_leaves_early_reads_and_writes_before_the_next_barrier(
    device, function, wanted, width
):
    out = np.zeros(threads, np.int64)
    cuda.jit(function, **({} if width is None else {"width": width}))[1, threads](out)
    np.testing.assert_array_equal(out, wanted)


@pytest.mark.parametrize("function", [f for f, _ in kernels], ids=lambda f: f.__name__)
def test_early_exits_run_as_vectors(cpu, function):
    kernel = cuda.jit(function)
    kernel[1, threads](np.zeros(threads, np.int64))
    (remarks,) = kernel.inspect_remarks().values()
    assert any("as vectors" in line for line in remarks), remarks


def test_a_block_maximum_is_read_before_other_threads_overwrite_it(device):
    report = RawKernel(
        r"""
extern "C" __global__ void report(const int *x, int *maxima, int *y) {
  __shared__ int s[128];
  int t = threadIdx.x, i = blockIdx.x * 128 + t;
  s[t] = x[i];
  for (int d = 64; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) s[t] = max(s[t], s[t + d]);
  }
  __syncthreads();
  if (t == 0) { maxima[blockIdx.x] = s[0]; return; }
  int m = s[0];
  __syncthreads();
  s[t - 1] = x[i] + m;
  __syncthreads();
  y[i] = s[127 - t];
}""",
        "report",
    )
    x = np.random.default_rng(0).integers(0, 1000, 256).astype(np.int32)
    maxima, y = cuda.device_array(2, np.int32), cuda.device_array(256, np.int32)
    report((2,), (128,), (cuda.to_device(x), maxima, y))
    np.testing.assert_array_equal(maxima.copy_to_host(), x.reshape(2, 128).max(1))


@pytest.mark.parametrize("count", [33, 45, 50, 63, 64, 96])
@pytest.mark.parametrize("end", [0, 7])
def test_warps_that_leave_a_loop_apart_meet_after_it(device, count, end):
    @cuda.jit
    def kernel(out, sums):
        t = cuda.threadIdx.x
        k = t // 32
        while k > end - 7:
            out[t] += 1
            if k == 7:
                break
            cuda.syncwarp()
            k -= 1
        cuda.syncwarp()
        sums[t] = out[t] + cuda.all_sync(0xFFFFFFFF, True)

    out, sums = np.zeros((2, 96), np.int64)
    kernel[1, count](out, sums)
    t = np.arange(count)
    np.testing.assert_array_equal(out[:count], t // 32 + 7 - end)
    np.testing.assert_array_equal(sums[:count], out[:count] + 1)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int16])
@pytest.mark.parametrize(
    "length, first, last", [(6, 0, 5), (8, 1, 7), (7, 1, 6), (8, 0, 8), (9, 2, 8), (5, 0, 5)]
)
def test_rows_of_more_fields_than_lanes_are_stored(cpu, dtype, length, first, last):
    lines = "".join(f"    o[i * {length} + {k}] = i + {k}\n" for k in range(first, last))
    names = {"cuda": cuda}
    exec(f"def kernel(o):\n    i = cuda.grid(1)\n{lines}", names)
    o = np.full((64, length), 99, dtype)
    wanted = o.copy()
    wanted[:, first:last] = np.arange(64)[:, None] + np.arange(first, last)
    cuda.jit(names["kernel"], width=4)[2, 32](o.reshape(-1))
    np.testing.assert_array_equal(o, wanted)

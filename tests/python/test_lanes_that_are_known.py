"""Strided elements of shared memory, and conditions that depend only on a thread's number.

Their vectorized form has the same result as one thread at a time.
"""

import math

import numpy as np
import pytest

from heddle import cuda, float32, int32

BLOCKS = [32, 64, 128, 48, 20]


@pytest.fixture(autouse=True)
def on_the_cpu(device):
    if device.type != "cpu":
        pytest.skip("vectors are the CPU device's")


def results(kernel, block, *arguments, blocks=3):
    """The kernel's results at a width that runs one thread at a time, and at the default width."""
    left = []
    for options in ({"width": 1}, {}):
        out = np.full(blocks * block * 4, -1, np.float32)
        compiled = cuda.jit(**options)(kernel)
        for _ in range(2):
            compiled[blocks, block](out, *arguments)
        left.append(out)
    return left


def assert_same(kernel, block, *arguments):
    alone, together = results(kernel, block, *arguments)
    np.testing.assert_array_equal(together, alone)


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("offset", [0, 1, 2, 3])
@pytest.mark.parametrize("spacing", [1, 2, 3, 4, 5, 8])
def test_spaced_elements_leave_the_others(block, spacing, offset):
    size = spacing * 128 + offset

    @cuda.jit
    def kernel(out):
        cells = cuda.shared.array(size, float32)
        t = cuda.threadIdx.x
        for i in range(t, size, cuda.blockDim.x):
            cells[i] = 1000 + i
        cuda.syncthreads()
        cells[spacing * t + offset] = -t
        if spacing > 2 and offset > 0:  # else the first lane has none before its own
            cells[spacing * t + offset - 1] += 0.5
        cuda.syncthreads()
        for i in range(t, min(size, out.size // cuda.gridDim.x), cuda.blockDim.x):
            out[cuda.blockIdx.x * (out.size // cuda.gridDim.x) + i] = cells[i]

    assert_same(kernel.py_func, block)


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("spacing", [2, 3, 4])
def test_spaced_elements_counted_down(block, spacing):
    @cuda.jit
    def kernel(out):
        cells = cuda.shared.array(1024, float32)
        t, last = cuda.threadIdx.x, spacing * cuda.blockDim.x
        for i in range(t, 1024, cuda.blockDim.x):
            cells[i] = 1000 + i
        cuda.syncthreads()
        cells[last - spacing * t] = t
        cuda.syncthreads()
        for i in range(t, last, cuda.blockDim.x):
            if i < out.size // cuda.gridDim.x:
                out[cuda.blockIdx.x * (out.size // cuda.gridDim.x) + i] = cells[i]

    assert_same(kernel.py_func, block)


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5, 8, 15, 16, 17, 32])
def test_first_threads(block, limit):
    @cuda.jit
    def kernel(out):
        cells = cuda.shared.array(512, float32)
        t = cuda.threadIdx.x
        start = cuda.blockIdx.x * cuda.blockDim.x * 4
        cells[t] = t * 3 + cuda.blockIdx.x
        cuda.syncthreads()
        kept = float32(7)
        if t < limit:
            kept = cells[t] + cells[(t * 5 + 1) % cuda.blockDim.x]
            out[start + t] = kept
            if t <= limit // 2:
                out[start + cuda.blockDim.x + 2 * t + 1] = kept * 2
            if t == limit - 1:
                kept += 100
                cuda.atomic.add(out, start + cuda.blockDim.x, kept)
        cuda.syncthreads()
        out[start + cuda.blockDim.x * 3 + t] = kept

    assert_same(kernel.py_func, block)


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("group", [4, 8, 16, 32])
@pytest.mark.parametrize("limit", [1, 3, 4])
def test_some_threads_of_every_group(block, group, limit):
    @cuda.jit
    def kernel(out):
        t = cuda.threadIdx.x
        start = cuda.blockIdx.x * cuda.blockDim.x * 4
        v = float32(t)
        v += (
            cuda.shfl_xor_sync(0xFFFFFFFF, v, 1) if group == 32 and cuda.blockDim.x % 32 == 0 else 0
        )
        if t % group < limit:
            out[start + t] = v
        if t % group == limit:
            v *= 2
            out[start + cuda.blockDim.x + t // group] = v
        if t & (group - 1) <= limit:
            out[start + 2 * cuda.blockDim.x + t] = v

    assert_same(kernel.py_func, block)


@pytest.mark.parametrize("n", [16, 64, 256])
def test_scan_of_a_block(n):
    """Blelloch's scan, whose steps double the distance and halve the number of threads."""

    @cuda.jit
    def kernel(x, out):
        sums = cuda.shared.array(512, int32)
        t = cuda.threadIdx.x
        sums[2 * t], sums[2 * t + 1] = x[2 * t], x[2 * t + 1]
        offset, active = 1, n // 2
        while active > 0:
            cuda.syncthreads()
            if t < active:
                sums[offset * (2 * t + 2) - 1] += sums[offset * (2 * t + 1) - 1]
            offset *= 2
            active //= 2
        if t == 0:
            sums[n - 1] = 0
        active = 1
        while active < n:
            offset //= 2
            cuda.syncthreads()
            if t < active:
                low, high = offset * (2 * t + 1) - 1, offset * (2 * t + 2) - 1
                before = sums[low]
                sums[low] = sums[high]
                sums[high] += before
            active *= 2
        cuda.syncthreads()
        out[2 * t], out[2 * t + 1] = sums[2 * t], sums[2 * t + 1]

    x = np.random.default_rng(n).integers(-100, 100, n).astype(np.int32)
    out = np.zeros_like(x)
    for _ in range(2):
        kernel[1, n // 2](x, out)
    np.testing.assert_array_equal(out, np.cumsum(x) - x)


@pytest.mark.parametrize("block", [32, 64, 256])
def test_reduction_whose_steps_are_known(block):
    @cuda.jit
    def kernel(x, out):
        sums = cuda.shared.array(256, float32)
        t = cuda.threadIdx.x
        sums[t] = x[cuda.grid(1)]
        cuda.syncthreads()
        step = cuda.blockDim.x // 2
        while step > 0:
            if t < step:
                sums[t] += sums[t + step]
            cuda.syncthreads()
            step //= 2
        if t == 0:
            out[cuda.blockIdx.x] = sums[0]

    x = np.random.default_rng(block).integers(0, 100, 8 * block).astype(np.float32)
    out = np.zeros(8, np.float32)
    for _ in range(2):
        kernel[8, block](x, out)
    np.testing.assert_array_equal(out, x.reshape(8, block).sum(axis=1))
    assert not math.isnan(out[0])


@pytest.mark.parametrize("block", [32, 64, 256])
def test_reduction_by_interleaved_threads(block):
    """Harris's first reduction, in which a remainder that changes in each step selects the working threads."""

    @cuda.jit
    def kernel(x, out):
        sums = cuda.shared.array(256, float32)
        t = cuda.threadIdx.x
        sums[t] = x[cuda.grid(1)]
        cuda.syncthreads()
        step = 1
        while step < cuda.blockDim.x:
            if t % (2 * step) == 0:
                sums[t] += sums[t + step]
            step *= 2
            cuda.syncthreads()
        if t == 0:
            out[cuda.blockIdx.x] = sums[0]

    x = np.random.default_rng(block).integers(0, 100, 8 * block).astype(np.float32)
    out = np.zeros(8, np.float32)
    for _ in range(2):
        kernel[8, block](x, out)
    np.testing.assert_array_equal(out, x.reshape(8, block).sum(axis=1))

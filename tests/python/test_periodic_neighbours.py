"""Neighbours across the ends of a row, written in all common ways: the same results at every width."""

import numpy as np
import pytest

from heddle import cuda
from heddle.compat import cupy as cp

ROWS, COLUMNS = 13, 70


@pytest.fixture(autouse=True)
def on_the_cpu(device):
    if device.type != "cpu":
        pytest.skip("vectors are the CPU device's")


def by_remainder(a, out, d):
    i, j = cuda.grid(2)
    h, w = a.shape
    if i < h and j < w:
        out[i, j] = a[(i + d) % h, (j - d) % w] + 2 * a[i, (j + d) % w]


def by_remainder_of_c(a, out, d):
    i, j = cuda.grid(2)
    h, w = a.shape
    if i < h and j < w:
        out[i, j] = a[(i + h - d % h) % h, (j + w - d % w) % w] + a[i, (j + d + w) % w]


def by_length_and_remainder(a, out, d):
    i, j = cuda.grid(2)
    h, w = a.shape
    if i < h and j < w:
        out[i, j] = a[(i - 1 + h) % h, (j - d + 2 * w) % w] + 7 * a[(i + 1) % h, (w + j - 1) % w]


def by_choice(a, out, d):
    i, j = cuda.grid(2)
    h, w = a.shape
    if i < h and j < w:
        left = j - d if j >= d else j - d + w
        right = 0 if j == w - 1 else j + 1
        up = i - 1 if i > 0 else h - 1
        out[i, j] = a[i, left % w] + 3 * a[i, right] + 5 * a[up, j]


def by_bounds(a, out, d):
    i, j = cuda.grid(2)
    h, w = a.shape
    if i < h and j < w:
        out[i, j] = a[max(i - d, 0), min(j + d, w - 1)] + 2 * a[i, max(0, min(w - 1, j - d))]


def in_shared_memory(a, out, d):
    row = cuda.shared.array(128, np.int64)
    n = a.shape[1]
    t = cuda.threadIdx.x
    for i in range(a.shape[0]):
        if t < n:
            row[t] = a[i, t]
        cuda.syncthreads()
        if t < n:
            out[i, t] = row[(t + d) % n] - row[t - 1 if t > 0 else n - 1]
        cuda.syncthreads()


@pytest.mark.parametrize("columns", [COLUMNS, 64, 5, 1])
@pytest.mark.parametrize("d", [1, 2, 17, -1, -3])
@pytest.mark.parametrize(
    "function", [by_remainder, by_remainder_of_c, by_length_and_remainder, by_choice, by_bounds]
)
def test_neighbours_in_a_grid(function, d, columns):
    a = np.random.default_rng(d % 7).integers(0, 1000, (ROWS, columns))
    found = []
    for options in ({"width": 1}, {}, {"reorder": False}):
        out = np.zeros_like(a)
        kernel = cuda.jit(**options)(function)
        for block in ((16, 16), (32, 4), (4, 32)):
            grid = (-(-ROWS // block[0]), -(-columns // block[1]))
            kernel[grid, block](a, out, abs(d) if function in (by_choice, by_bounds) else d)
        found.append(out)
    np.testing.assert_array_equal(found[1], found[0])
    np.testing.assert_array_equal(found[2], found[0])
    if function is by_remainder:
        expected = np.roll(a, (-d, d), (0, 1)) + 2 * np.roll(a, -d, 1)
        np.testing.assert_array_equal(found[0], expected)


@pytest.mark.parametrize("columns", [100, 128, 16, 3])
@pytest.mark.parametrize("d", [1, 5, -1])
def test_neighbours_in_shared_memory(d, columns):
    a = np.random.default_rng(columns).integers(0, 1000, (ROWS, columns))
    out = np.zeros_like(a)
    kernel = cuda.jit(in_shared_memory)
    for _ in range(2):
        kernel[1, 128](a, out, d)
    np.testing.assert_array_equal(out, np.roll(a, -d, 1) - np.roll(a, 1, 1))


def test_places_that_depend_on_one_another():
    """The compiler cannot bound a block's positions; values loaded there give another block's positions."""

    def kernel(x, y, out):
        i = cuda.grid(1)
        t = cuda.threadIdx.x
        cells = cuda.shared.array(64, np.int64)
        v = x[y[t % y.size] % x.shape[0], t % x.shape[1]]
        cells[t] = y[i % y.size]
        cuda.syncthreads()
        if i < out.size:
            out[i] = v + cells[t] + (t if t % y.size // 3 else y[i % y.size]) + x[1, i % x.shape[1]]

    x, y = np.arange(45).reshape(5, 9), np.arange(11)
    found = []
    for options in ({"width": 1}, {}):
        out = np.zeros(100, np.int64)
        cuda.jit(**options)(kernel)[3, 40](x, y, out)
        found.append(out)
    np.testing.assert_array_equal(found[1], found[0])


@pytest.mark.parametrize("number", ["int", "unsigned", "long long", "unsigned long long"])
@pytest.mark.parametrize("w", [100, 64, 3])
def test_neighbours_in_cuda_cpp(number, w):
    source = """
    extern "C" __global__ void around(const int *a, int *out, NUMBER w, NUMBER h) {
      NUMBER x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
      if (x < w && y < h)
        out[y * w + x] = a[((y + h - 1) % h) * w + (x - 1 + w) % w] + 10 * a[((y + 1) % h) * w + (x + 1) % w];
    }"""
    kernel = cp.RawKernel(source.replace("NUMBER", number), "around")
    a = np.random.default_rng(w).integers(0, 1000, (ROWS, w)).astype(np.int32)
    out = cp.zeros((ROWS, w), np.int32)
    size = np.int32 if "long" not in number else np.int64
    for _ in range(12):  # of which the last ones are launches of code for this block alone
        kernel((-(-w // 32), 4), (32, 4), (cp.asarray(a), out, size(w), size(ROWS)))
    expected = np.roll(a, (1, 1), (0, 1)) + 10 * np.roll(a, (-1, -1), (0, 1))
    np.testing.assert_array_equal(cp.asnumpy(out), expected)

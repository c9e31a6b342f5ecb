"""Loops with a few rounds over a part of an array, as over a row of a sparse matrix: kernels and host functions behave
as plain Python for every number of rounds and for negative indices."""

import numpy as np
import pytest

from heddle import cuda, njit

LONGEST = 11


def rows(dtype=np.int32):
    """Rows of 0 to LONGEST elements, some with negative column numbers."""
    random = np.random.default_rng(1)
    sizes = np.concatenate([np.arange(LONGEST + 1), random.integers(0, LONGEST, 300)])
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(dtype)
    columns = random.integers(0, 64, starts[-1]).astype(dtype)
    columns[::7] -= 64
    # Whole numbers, whose sums are exact in any order.
    return starts, columns, random.integers(-50, 50, starts[-1]).astype(np.float32)


def product(row, starts, columns, values, x):
    total = np.float32(0)
    for k in range(starts[row], starts[row + 1]):
        total += values[k] * x[columns[k]]
    return total


def largest(row, starts, columns, values, x):
    most, at = np.float32(-1000), -1
    for k in range(starts[row], starts[row + 1]):
        if values[k] > most:
            most, at = values[k], k
    return np.float32(at)


def count(row, starts, columns, values, x):
    n = 0
    for k in range(starts[row + 1] - 1, starts[row] - 1, -1):
        n += x[columns[k]] > 0
        n += x[columns[k] // 2] > x[columns[k]]
    return np.float32(n)


def exchanged(row, starts, columns, values, x):
    before, now = np.float32(0), np.float32(1)
    for k in range(starts[row], starts[row + 1]):
        before, now = now, before + x[columns[k]]
    return before * np.float32(1000) + now


def smallest_neighbour(row, starts, columns, values, x):
    smallest = x[row % x.size]
    for k in range(starts[row], starts[row + 1]):
        smallest = min(smallest, x[columns[k]])
    return smallest


def last_of_every_third(row, starts, columns, values, x):
    last = np.float32(-1)
    for k in range(starts[row], starts[row + 1], 3):
        last = x[columns[k]]
    return last


ROWS = [product, largest, count, exchanged, smallest_neighbour, last_of_every_third]


@pytest.fixture(params=[np.int32, np.int64], ids=["int32", "int64"])
def arguments(request):
    return *rows(request.param), np.arange(-32, 32).astype(np.float32)[::-1].copy()


@pytest.mark.parametrize("f", ROWS)
@pytest.mark.parametrize("width", [None, 1])
def test_a_row_a_thread(f, width, arguments, device):
    on_device = cuda.jit(device=True)(f)

    @cuda.jit(width=width)
    def kernel(starts, columns, values, x, out):
        row = cuda.grid(1)
        if row < out.size:
            out[row] = on_device(row, starts, columns, values, x)

    n = arguments[0].size - 1
    out = np.zeros(n, np.float32)
    kernel[(n + 63) // 64, 64](*arguments, out)
    assert out.tolist() == [f(row, *arguments) for row in range(n)]


@pytest.mark.parametrize("f", ROWS)
def test_a_row_on_the_host(f, arguments):
    compiled = njit(f)
    n = arguments[0].size - 1
    assert [compiled(row, *arguments) for row in range(n)] == [
        f(row, *arguments) for row in range(n)
    ]

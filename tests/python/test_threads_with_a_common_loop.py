"""Kernels whose threads iterate over the same rows: the CPU device runs the loop for several threads together."""

import numpy as np
import pytest

from heddle import cuda


@cuda.jit
def product(a, b, c):
    x, y = cuda.grid(2)
    if y < c.shape[0] and x < c.shape[1]:
        total = 0.0
        for k in range(a.shape[1]):
            total += a[y, k] * b[k, x]
        c[y, x] += total


@cuda.jit
def product_by_rows(a, b, c):
    y, x = cuda.grid(2)
    if y >= c.shape[0] or x >= c.shape[1]:
        return
    total = c[y, x]
    for k in range(b.shape[0]):
        total += a[y, k] * b[k, x]
    c[y, x] = total


@cuda.jit
def two_products(a, b, c):
    x, y = cuda.grid(2)
    if y < c.shape[0] and x < c.shape[1]:
        first = c[y, x]
        for k in range(a.shape[1]):
            first += a[y, k] * b[k, x]
        c[y, x] = first
        second = a.dtype.type(0)
        for k in range(a.shape[1] - 1, -1, -1):
            second += a[y, k] * b[k, x]
        if second > first:
            c[y, x] = second


@cuda.jit
def lower_triangle(a, b, c):
    x, y = cuda.grid(2)
    if y < c.shape[0] and x < c.shape[1]:
        total = c[y, x]
        for k in range(min(y + 1, a.shape[1])):
            total += a[y, k] * b[k, x]
        c[y, x] = total


@cuda.jit
def every_second_row(a, b, c):
    x, y = cuda.grid(2)
    if y < c.shape[0] and x < c.shape[1] and y % 2 == 0:
        total = c[y, x]
        for k in range(a.shape[1]):
            total += max(a[y, k], b[k, x])
        c[y, x] = total


@cuda.jit
def smallest_distance(a, b, c):
    x, y = cuda.grid(2)
    if y < c.shape[0] and x < c.shape[1]:
        smallest = c[y, x]
        at = 0
        for k in range(a.shape[1]):
            distance = abs(a[y, k] - b[k, x])
            if distance < smallest:
                smallest = distance
                at = k
        c[y, x] = smallest + at


@cuda.jit
def product_over_z(a, b, c):
    x, y, z = cuda.grid(3)
    if z == 0 and y < c.shape[0] and x < c.shape[1]:
        total = c[y, x]
        for k in range(a.shape[1]):
            total += a[y, k] * b[k, x]
        c[y, x] = total


KERNELS = [
    product,
    product_by_rows,
    two_products,
    lower_triangle,
    every_second_row,
    smallest_distance,
    product_over_z,
]
BLOCKS = [(16, 16), (32, 8), (8, 32), (32, 32), (64, 3), (5, 7), (1, 64), (256, 1), (16, 5, 2)]
SIZES = [(1, 1, 1), (7, 0, 9), (33, 20, 50), (64, 64, 64), (100, 3, 17)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
@pytest.mark.parametrize("block", BLOCKS, ids=str)
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k.py_func.__name__)
def test_as_at_width_1(kernel, block, dtype):
    single = cuda.jit(width=1)(kernel.py_func)
    rng = np.random.default_rng(1)
    for rows, inner, columns in SIZES:
        a = rng.uniform(-9, 9, (rows, inner)).astype(dtype)
        b = rng.uniform(-9, 9, (inner, columns)).astype(dtype)
        c = rng.uniform(-9, 9, (rows, columns)).astype(dtype)
        along = (rows, columns) if kernel is product_by_rows else (columns, rows)
        grid = tuple(-(-n // t) for n, t in zip(along, block, strict=False))
        ours, theirs = c.copy(), c.copy()
        kernel[grid, block](a, b, ours)
        single[grid, block](a, b, theirs)
        np.testing.assert_array_equal(ours, theirs)


def test_every_thread_changes_its_own_element():
    @cuda.jit
    def in_place(a, b):
        x, y = cuda.grid(2)
        if y < a.shape[0] and x < a.shape[1]:
            total = a[y, x]
            for k in range(b.shape[0]):
                total += b[k, x] * b[k, x]
            a[y, x] = total

    b = np.arange(48.0).reshape(3, 16)
    a = np.arange(256.0).reshape(16, 16)
    expected = a + (b * b).sum(axis=0)
    in_place[1, (16, 16)](a, b)
    np.testing.assert_array_equal(a, expected)

"""Kernels in which one thread may do the work of several, at sizes, addresses and overlaps where that could go wrong.

This happens only for large grids, so these launches are large.
"""

import numpy as np
import pytest

from heddle import cuda

LARGE = 1 << 21
extras = [0, 1, 2, 3, 4, 5, 7, 15, 31, 255]


@cuda.jit
def add(a, b, c):
    i = cuda.grid(1)
    if i < c.size:
        c[i] = a[i] + b[i]


@cuda.jit
def triple(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = 3 * x[i]


@cuda.jit
def copy_without_a_guard(x, y):
    i = cuda.grid(1)
    y[i] = x[i]


def data(n, dtype=np.float32):
    return (np.arange(n) % 1000).astype(dtype)


@pytest.mark.parametrize("n", range(1, 10))
def test_few_elements(n):
    c = np.zeros(n, np.float32)
    add[1, 256](data(n), data(n), c)
    np.testing.assert_array_equal(c, 2 * data(n))


@pytest.mark.parametrize("extra", extras)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int8", "int16"])
def test_sizes_around_multiples(extra, dtype):
    n = LARGE + extra
    a = (np.arange(n) % 50).astype(dtype)
    d, c = cuda.to_device(a), cuda.device_array(n, dtype)
    add[-(-n // 256), 256](d, d, c)
    np.testing.assert_array_equal(c.copy_to_host(), 2 * a)


@pytest.mark.parametrize("threads", [32, 96, 100, 255, 256, 1000, 1024])
def test_every_size_of_block(threads):
    n = LARGE + 77
    d, c = cuda.to_device(data(n)), cuda.device_array(n, np.float32)
    add[-(-n // threads), threads](d, d, c)
    np.testing.assert_array_equal(c.copy_to_host(), 2 * data(n))


@pytest.mark.parametrize("offset", [1, 2, 3, 4, 5])
def test_addresses_that_are_not_aligned_to_wide_accesses(offset):
    n = LARGE
    d = cuda.to_device(data(n + 8))
    c = cuda.to_device(np.zeros(n + 8, np.float32))
    part = slice(offset, offset + n)
    add[n // 256, 256](d[part], d[part], c[part])
    expected = np.zeros(n + 8, np.float32)
    expected[part] = 2 * data(n + 8)[part]
    np.testing.assert_array_equal(c.copy_to_host(), expected)


def test_inputs_and_output_that_are_misaligned_differently():
    n = LARGE
    base = cuda.to_device(data(n + 8))
    c = cuda.to_device(np.zeros(n + 8, np.float32))
    add[n // 256, 256](base[1 : n + 1], base[2 : n + 2], c[3 : n + 3])
    whole = data(n + 8)
    np.testing.assert_array_equal(c.copy_to_host()[3 : n + 3], whole[1 : n + 1] + whole[2 : n + 2])


def test_the_output_may_be_an_input():
    n = LARGE + 3
    d = cuda.to_device(data(n))
    add[-(-n // 256), 256](d, d, d)
    np.testing.assert_array_equal(d.copy_to_host(), 2 * data(n))


def test_an_array_changed_in_place():
    n = LARGE + 1
    d = cuda.to_device(data(n))
    triple[-(-n // 256), 256](d)
    np.testing.assert_array_equal(d.copy_to_host(), 3 * data(n))


@pytest.mark.parametrize("shift", [-3, -1, 1, 2])
def test_threads_that_write_where_another_ones_input_is_see_one_or_the_other(shift):
    """A race between threads: each result is made of an old or a new value, never of anything else."""

    @cuda.jit
    def double_into(x, y):
        i = cuda.grid(1)
        if i < y.size:
            y[i] = 2 * x[i]

    n = LARGE
    d = cuda.to_device(np.full(n + 16, 3, np.float64))
    low = 8 + shift
    double_into[n // 256, 256](d[8 : n + 8], d[low : n + low])
    mantissas, _ = np.frexp(d.copy_to_host())
    assert np.isin(mantissas, [0.75, np.inf]).all()


@pytest.mark.parametrize("short", [1, 2, 3, 5, 100, 1000])
def test_a_grid_smaller_than_the_arrays_leaves_the_rest_alone(short):
    n = LARGE
    x, y = cuda.to_device(data(n)), cuda.to_device(np.full(n, -1, np.float32))
    blocks = n // 256 - short
    copy_without_a_guard[blocks, 256](x, y)
    found = y.copy_to_host()
    np.testing.assert_array_equal(found[: blocks * 256], data(n)[: blocks * 256])
    assert (found[blocks * 256 :] == -1).all()


def test_a_block_that_is_no_multiple_without_a_guard():
    n = 21001 * 101
    x, y = cuda.to_device(data(n)), cuda.to_device(np.full(n + 4, -1, np.float32))
    copy_without_a_guard[21001, 101](x, y)
    found = y.copy_to_host()
    np.testing.assert_array_equal(found[:n], data(n))
    assert (found[n:] == -1).all()


def test_a_guard_on_something_else_than_the_size():
    @cuda.jit
    def k(x, n):
        i = cuda.grid(1)
        if i < n:
            x[i] = i

    for n in LARGE - 1, LARGE - 2, LARGE // 3:
        x = cuda.to_device(np.full(LARGE, -1, np.float32))
        k[LARGE // 256, 256](x, n)
        found = x.copy_to_host()
        np.testing.assert_array_equal(found[:n], np.arange(n, dtype=np.float32))
        assert (found[n:] == -1).all()


def test_a_kernel_whose_neighbours_read_each_other_is_right():
    @cuda.jit
    def blur(x, y):
        i = cuda.grid(1)
        if 0 < i and i < x.size - 1:
            y[i] = x[i - 1] + x[i] + x[i + 1]

    n = LARGE + 5
    x, y = cuda.to_device(data(n)), cuda.to_device(np.zeros(n, np.float32))
    blur[-(-n // 256), 256](x, y)
    whole = data(n)
    expected = np.zeros(n, np.float32)
    expected[1:-1] = whole[:-2] + whole[1:-1] + whole[2:]
    np.testing.assert_array_equal(y.copy_to_host(), expected)


def test_atomics_are_not_lost():
    @cuda.jit
    def count(x, total):
        i = cuda.grid(1)
        if i < x.size:
            cuda.atomic.add(total, 0, x[i])

    n = LARGE + 3
    total = np.zeros(1, np.int64)
    count[-(-n // 256), 256](data(n, np.int64), total)
    assert total[0] == data(n, np.int64).sum()


def test_branches_and_loops_in_the_body():
    @cuda.jit
    def k(x, y):
        i = cuda.grid(1)
        if i < x.size:
            v = x[i]
            if v > 500:
                v = v - 500
            for j in range(int(v) % 4):
                v += j
            y[i] = v

    n = LARGE + 9
    x, y = cuda.to_device(data(n)), cuda.device_array(n, np.float32)
    k[-(-n // 256), 256](x, y)
    v = data(n)
    v[v > 500] -= 500
    rounds = v.astype(np.int64) % 4
    np.testing.assert_array_equal(y.copy_to_host(), v + rounds * (rounds - 1) // 2)

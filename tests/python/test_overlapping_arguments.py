"""Device arrays that share memory: a thread's own accesses keep their order.

(NumPy arrays are copied to the device one by one, so they never overlap there.)
"""

import numpy as np
import pytest

from heddle import cuda


@cuda.jit
def write_read_write(x, y):
    """Element pairs: if x and y are the same memory, the second value depends on the new first one."""
    i = cuda.grid(1)
    y[2 * i] = x[2 * i] + 1
    y[2 * i + 1] = x[2 * i] + 10


@cuda.jit
def swap_neighbours(x, y):
    i = cuda.grid(1)
    first = x[2 * i]
    second = x[2 * i + 1]
    y[2 * i] = second
    y[2 * i + 1] = first


@cuda.jit
def read_again(x, y, out):
    i = cuda.grid(1)
    before = x[3 * i]
    y[3 * i] = before + 5
    out[i] = x[3 * i]


each_dtype = pytest.mark.parametrize("dtype", ["int8", "int32", "float32", "float64"])


@each_dtype
def test_a_store_is_seen_by_the_load_that_follows_it(device, dtype):
    x = cuda.to_device(np.arange(64).astype(dtype))
    write_read_write[1, 32](x, x)
    even = np.arange(64)[::2] + 1
    found = x.copy_to_host()
    np.testing.assert_array_equal(found[::2], even)
    np.testing.assert_array_equal(found[1::2], even + 10)


@each_dtype
def test_arguments_apart_from_each_other_are_apart(device, dtype):
    x = cuda.to_device(np.arange(64).astype(dtype))
    y = cuda.to_device(np.zeros(64, dtype))
    write_read_write[1, 32](x, y)
    even = np.arange(64)[::2]
    np.testing.assert_array_equal(y.copy_to_host()[::2], even + 1)
    np.testing.assert_array_equal(y.copy_to_host()[1::2], even + 10)


@each_dtype
def test_neighbours_are_swapped_in_place(device, dtype):
    x = cuda.to_device(np.arange(64).astype(dtype))
    swap_neighbours[1, 32](x, x)
    np.testing.assert_array_equal(x.copy_to_host(), np.arange(64) ^ 1)


def test_a_value_is_read_again_when_another_name_may_have_changed_it(device):
    x = cuda.to_device(np.arange(96.0))
    out = cuda.to_device(np.zeros(32))
    read_again[1, 32](x, x, out)
    np.testing.assert_array_equal(out.copy_to_host(), 3 * np.arange(32) + 5)

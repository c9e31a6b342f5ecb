"""Launches that violate each property for which launches are specialized: results stay correct."""

import numpy as np
import pytest

from heddle import cuda


@cuda.jit
def scale_rows(x, y):
    row, column = cuda.grid(2)
    if row < x.shape[0] and column < x.shape[1]:
        y[row, column] = x[row, column] * (row + 1) + column


def scaled(x):
    return x * (np.arange(x.shape[0])[:, None] + 1) + np.arange(x.shape[1])


@pytest.mark.parametrize("x_layout", ["C", "F", "any", "reversed"])
@pytest.mark.parametrize("y_layout", ["C", "F", "any", "reversed"])
def test_every_layout_after_every_other(x_layout, y_layout):
    host = np.arange(30 * 20, dtype=np.float32).reshape(30, 20)

    def device(layout, values):
        big = cuda.to_device(np.zeros((100, 100), np.float32))
        made = {
            "C": lambda: cuda.to_device(np.ascontiguousarray(values)),
            "F": lambda: cuda.to_device(np.asfortranarray(values)),
            "any": lambda: big[1:90:3, 2:62:3],
            "reversed": lambda: big[29::-1, 19::-1],
        }[layout]()
        made[:] = values
        return made

    x, y = device(x_layout, host), device(y_layout, np.zeros_like(host))
    scale_rows[(2, 2), (16, 16)](x, y)
    np.testing.assert_array_equal(y.copy_to_host(), scaled(host))


def test_an_array_that_is_not_aligned_to_16_bytes():
    n = 100_000

    @cuda.jit
    def k(x, y):
        i = cuda.grid(1)
        if i < y.size:
            y[i] = x[i] + 1

    x, y = cuda.to_device(np.arange(n + 3.0)), cuda.to_device(np.zeros(n + 3))
    for offset in 0, 1, 2, 3:
        k[-(-n // 256), 256](x[offset : n + offset], y[offset : n + offset])
        expected = np.arange(n) + offset + 1
        np.testing.assert_array_equal(y.copy_to_host()[offset : n + offset], expected)


def test_bytes_at_odd_addresses_of_a_wider_type_are_refused_or_right():
    raw = cuda.to_device(np.zeros(4001, np.uint8))

    class Odd:
        __cuda_array_interface__ = {
            **raw.__cuda_array_interface__,
            "data": (raw.__cuda_array_interface__["data"][0] + 1, False),
            "typestr": "<f4",
            "shape": (1000,),
            "strides": None,
        }

    @cuda.jit
    def k(x):
        x[cuda.grid(1)] = 1

    with pytest.raises((TypeError, ValueError), match="align"):
        k[1, 32](Odd())


def test_an_output_that_overlaps_an_input_is_seen_after_a_launch_without_overlap():
    """The order of loads and stores within a thread counts when the arrays are the same."""

    @cuda.jit
    def k(x, y):
        i = cuda.grid(1)
        y[2 * i] = x[2 * i] + 1
        y[2 * i + 1] = x[2 * i] + 10

    apart = cuda.to_device(np.arange(64.0)), cuda.to_device(np.zeros(64))
    k[1, 32](*apart)
    wanted = np.arange(64.0)
    wanted[1::2] = wanted[::2] + 10
    wanted[::2] += 1
    np.testing.assert_array_equal(apart[1].copy_to_host(), wanted)

    same = cuda.to_device(np.arange(64.0))
    k[1, 32](same, same)
    wanted = np.arange(64.0)
    wanted[::2] += 1
    wanted[1::2] = wanted[::2] + 10
    np.testing.assert_array_equal(same.copy_to_host(), wanted)


def test_a_value_is_read_again_when_another_name_may_have_changed_it():
    @cuda.jit
    def k(x, y, out):
        i = cuda.grid(1)
        before = x[i]
        y[i] = before + 5
        out[i] = x[i]

    for shared in False, True, False:
        x = cuda.to_device(np.arange(32.0))
        y = x if shared else cuda.to_device(np.zeros(32))
        out = cuda.to_device(np.zeros(32))
        k[1, 32](x, y, out)
        np.testing.assert_array_equal(out.copy_to_host(), np.arange(32) + (5 if shared else 0))


def test_more_elements_than_an_int32_counts(gpu):
    n = 2**31 + 10
    free = cuda.current_context().get_memory_info()[0]
    if free < 3 * n:
        pytest.skip(f"needs {3 * n} bytes, {free} are free")

    @cuda.jit
    def mark(x, first):
        i = first + cuda.grid(1)
        if i < x.size:
            x[i] = 7

    @cuda.jit
    def mark_from_the_end(x):
        x[-1 - cuda.grid(1)] = 9

    small = cuda.to_device(np.zeros(100, np.int8))
    mark[1, 128](small, 0)
    assert (small.copy_to_host() == 7).all()
    x = cuda.device_array(n, np.int8)
    x[:] = 0
    mark[1, 64](x, n - 40)
    mark_from_the_end[1, 3](x)
    tail = x[n - 50 :].copy_to_host()
    assert list(tail) == [0] * 10 + [7] * 37 + [9] * 3
    head = x[:50].copy_to_host()
    assert (head == 0).all()


def test_a_grid_of_more_threads_than_an_int32_counts(gpu):
    n = 2**31 + 1000
    free = cuda.current_context().get_memory_info()[0]
    if free < 3 * n:
        pytest.skip(f"needs {3 * n} bytes, {free} are free")

    @cuda.jit
    def fill(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = i % 100

    x = cuda.device_array(n, np.int8)
    fill[-(-n // 1024), 1024](x)
    for start in 0, 2**31 - 500, n - 1000:
        expected = np.arange(start, start + 1000) % 100
        np.testing.assert_array_equal(x[start : start + 1000].copy_to_host(), expected)


def test_an_argument_with_no_elements():
    @cuda.jit
    def k(x, y):
        i = cuda.grid(1)
        y[i] = x.size + x.shape[0]

    y = cuda.to_device(np.zeros(4))
    k[1, 4](cuda.to_device(np.zeros((0, 5))), y)
    assert (y.copy_to_host() == 0).all()


def test_the_same_kernel_for_one_type_after_another():
    @cuda.jit
    def k(x, s):
        i = cuda.grid(1)
        x[i] = x[i] * s + 1

    for dtype in np.int8, np.float64, np.uint16, np.float32, np.int64, np.int8:
        for scalar in 2, np.float32(2), np.uint8(2):
            x = cuda.to_device(np.arange(20, dtype=dtype))
            k[1, 20](x, scalar)
            np.testing.assert_array_equal(x.copy_to_host(), 2 * np.arange(20) + 1)

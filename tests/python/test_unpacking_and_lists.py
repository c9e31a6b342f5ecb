"""Unpacking of iterables, and list literals after `in`."""

import numpy as np
import pytest
from in_kernels import run

from heddle import cuda, float32
from heddle.errors import TypingError, UnsupportedError


def test_the_row_of_an_array_is_unpacked(device):
    @cuda.jit
    def lengths(points, out):
        i = cuda.grid(1)
        x, y, z = points[i]
        out[i] = x + 10 * y + 100 * z

    points, out = np.arange(6.0).reshape(2, 3), np.zeros(2)
    lengths[1, 2](points, out)
    assert out.tolist() == [210, 543]


def test_local_arrays_slices_and_iterators_are_unpacked(device):
    def f(out):
        local = cuda.local.array(2, float32)
        local[0], local[1] = 1, 2
        a, b = local
        c, d = out[:2]
        e, g, h = range(3, 9, 2)
        (i, j), (k, m) = zip((1, 2), local)
        (n, o), (p, q) = enumerate(local)
        out[0] = a + b + c + d + e + g + h
        out[1] = i + j + k + m
        out[2] = n * 1000 + o * 100 + p * 10 + q

    assert run(f).tolist()[:3] == [18, 6, 112]


def test_a_loop_unpacks_the_rows_of_an_array(device):
    @cuda.jit
    def k(pairs, out):
        for a, b in pairs:
            out[0] += a * b

    out = np.zeros(1)
    k[1, 1](np.array([[1, 2], [3, 4]]), out)
    assert out[0] == 14


def test_another_length_is_an_error(device):
    @cuda.jit
    def k(x):
        a, b = x
        x[0] = a + b

    with pytest.raises(ValueError, match="unpacking needs 2 values"):
        k[1, 1](np.zeros(3))
        cuda.synchronize()


def test_another_length_that_is_known_is_refused():
    def f(out):
        a, b = zip((1, 2, 3), (4, 5, 6))
        out[0] = a[0] + b[0]

    with pytest.raises(TypingError, match="cannot unpack 3 values into 2 names"):
        run(f)


def test_a_loop_goes_over_a_list_that_is_written_there(device):
    @cuda.jit
    def k(n, out):
        for step in [16, 8, 4]:
            out[0] += step
        for dx, dy in [(0, 1), (1, 0), (n, n)]:
            out[1] += dx * 10 + dy
        for v in [n, 2.5]:
            out[2] += v
        for _ in []:
            out[3] = 1

    out = np.zeros(4)
    k[1, 1](3, out)
    assert out.tolist() == [28, 44, 5.5, 0]


def test_a_number_is_looked_for_in_a_list(device):
    @cuda.jit
    def k(n, out):
        out[0] = n in [1, 2, 3]
        out[1] = n not in [1, n + 1]
        out[2] = "a" in ["a", "b"]

    out = np.zeros(3)
    k[1, 1](3, out)
    assert out.tolist() == [1, 1, 1]


def test_other_lists_are_refused():
    def f(out):
        values = [1, 2]
        out[0] = values[0]

    with pytest.raises(UnsupportedError, match="lists are not supported"):
        run(f)


def test_a_tuple_takes_the_elements_of_others(device):
    @cuda.jit
    def k(t, out):
        a, b, c, d = (*t, 3, *(4.5,))
        out[0] = a + b + c + d

    out = np.zeros(1)
    k[1, 1]((1, 2), out)
    assert out[0] == 10.5


def test_a_tuple_is_repeated_reversed_and_searched(device):
    @cuda.jit
    def k(t, x, out):
        zeros = (0,) * 3
        out[0] = len(zeros) + len(2 * (1, 2)) + len(t * -1)
        out[1] = t[::-1][0] + t[-1:][0] + (1, 2, 3, 4)[::2][1]
        out[2] = t.index(x)
        out[3] = tuple(t)[1]
        out[4] = bool(t) + bool(()) + bool("text")

    out = np.zeros(5)
    k[1, 1]((5, 7.5), 7.5, out)
    assert out.tolist() == [7, 18, 1, 7.5, 2]


def test_a_tuple_without_the_number_is_an_error(device):
    @cuda.jit
    def k(x, out):
        out[0] = (1, 2, 3).index(x)

    with pytest.raises(ValueError, match="not in the tuple"):
        k[1, 1](4, np.zeros(1))
        cuda.synchronize()


@pytest.mark.parametrize("count", [1001, 2**62])
def test_a_tuple_is_not_repeated_beyond_reason(count):
    @cuda.jit
    def k(out):
        out[0] = ((0,) * count)[0]

    with pytest.raises(TypingError, match="more than 1000 elements"):
        k[1, 1](np.zeros(1))


def test_sum_min_and_max_go_over_arrays(device):
    @cuda.jit
    def k(x, n, flags, out):
        out[0] = sum(x)
        out[1] = min(x) + max(x)
        out[2] = sum(n, 0.5)
        out[3] = sum(flags) + max(flags)
        out[4] = sum(x[::2])

    out = np.zeros(5)
    k[1, 1](np.array([3.0, -1, 2]), np.array([1, 2], np.int32), np.array([True, True, False]), out)
    assert out.tolist() == [4, 2, 3.5, 3, 5]


def test_the_least_of_no_elements_is_an_error(device):
    @cuda.jit
    def k(x, out):
        out[0] = min(x)

    with pytest.raises(ValueError, match="without elements"):
        k[1, 1](np.zeros(0), np.zeros(1))
        cuda.synchronize()


def test_a_nan_stays_in_the_first_place_beside_an_integer(device):
    @cuda.jit
    def k(nan, out):
        out[0] = max(nan, 0)
        out[1] = max(0, nan)
        out[2] = min(nan, 1.0)
        out[3] = min(nan, 1)

    out = np.zeros(4)
    k[1, 1](np.nan, out)
    np.testing.assert_array_equal(out, [np.nan, 0, 1, np.nan])


def test_the_truth_of_an_array_is_that_of_its_only_element(device):
    @cuda.jit
    def k(x, out):
        out[0] = bool(x[:0])
        out[1] = bool(x[1:2])
        out[2] = 1 if x[:1] else 2

    out = np.zeros(3)
    k[1, 1](np.array([0.0, 5.0]), out)
    assert out.tolist() == [0, 1, 2]


def test_the_truth_of_several_elements_is_an_error(device):
    @cuda.jit
    def k(x):
        if x:
            x[0] = 1

    with pytest.raises(ValueError, match="more than one element"):
        k[1, 1](np.zeros(2))
        cuda.synchronize()

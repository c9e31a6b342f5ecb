"""Array indices that host functions get as arguments or as constants from enclosing functions."""

import numpy as np
import pytest

from heddle import njit

SHAPE = (2, 3, 4)

INDICES = [
    ...,
    (..., 1),
    (0, ...),
    (slice(0, 1), ..., 2),
    (0, ..., slice(None)),
    (slice(None), 1),
    (slice(1, None), slice(None, None, 2), 3),
    slice(None, None, -1),
    None,
    (None, 1, ...),
    (np.array([0, 1]), slice(None), 2),
    (..., np.array([1, 3])),
    (slice(None), np.array([0, 2])),
    (1, slice(0, 2), np.array([True, False, True, True])),
    (np.array([1, 0]),),
    (np.array([[True] * 3, [False] * 3]), ...),
    (0, 1, 2),
]


@njit
def read(a, index):
    return a[index]


@njit
def write(a, index):
    a[index] = 7
    return a


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_an_index_is_an_argument_or_a_constant(index):
    a = np.arange(24).reshape(SHAPE)
    written = a.copy()
    written[index] = 7
    for _ in range(2):
        np.testing.assert_array_equal(read(a, index), a[index])
        np.testing.assert_array_equal(njit(lambda a: a[index])(a), a[index])
        np.testing.assert_array_equal(write(a.copy(), index), written)


@pytest.mark.parametrize("index", [(..., 1), (None, ..., slice(0, 2))], ids=str)
def test_an_index_in_a_loop(index):
    @njit
    def total(a, index, n):
        s = 0
        for _ in range(n):
            s += a[index].sum()
        return s

    a = np.arange(24).reshape(SHAPE)
    assert total(a, index, 3) == total.py_func(a, index, 3)


def test_a_large_constant_index():
    a = np.arange(5 * 6 * 7 * 2).reshape(5, 6, 7, 2)
    index = (3, np.array([[0, 1, 3], [3, 1, 3]]), slice(None), slice(None, 1))
    np.testing.assert_array_equal(njit(lambda a: a[index])(a), a[index])

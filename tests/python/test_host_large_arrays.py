"""Arrays that reuse the memory of freed arrays."""

import numpy as np

from heddle import njit

NUMBERS = 50_000


@njit
def sevens(n):
    return np.full(n, 7.0)


@njit
def zeros(n):
    return np.zeros(n)


@njit
def roots_of_sums(a, b):
    return np.sqrt(np.abs(np.cumsum(a) + b))


def test_zeros_are_zeros_in_memory_that_held_others():
    for _ in range(5):
        sevens(NUMBERS)
    assert not zeros(NUMBERS).any()


def test_an_array_that_lives_is_not_given_away():
    kept = [sevens(NUMBERS + i) for i in range(8)]
    for _ in range(8):
        zeros(NUMBERS)
    assert all((array == 7).all() for array in kept)


def test_arrays_inside_of_a_function_do_not_share_memory():
    a, b = np.linspace(-1, 1, NUMBERS), np.linspace(2, 3, NUMBERS)
    for _ in range(3):
        np.testing.assert_allclose(roots_of_sums(a, b), np.sqrt(np.abs(np.cumsum(a) + b)))

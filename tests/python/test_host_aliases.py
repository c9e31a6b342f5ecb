"""Loops that read and write the same array run vectorized if the elements are far enough apart, with equal results."""

import re

import numpy as np
import pytest

from heddle import njit


def shortest_paths(d):
    for k in range(d.shape[0]):
        for i in range(d.shape[0]):
            for j in range(d.shape[0]):
                if d[i, k] + d[k, j] < d[i, j]:
                    d[i, j] = d[i, k] + d[k, j]


def eliminate(a):
    for k in range(a.shape[0]):
        for i in range(k + 1, a.shape[0]):
            a[i, k] = a[i, k] * 0.01
            for j in range(k + 1, a.shape[0]):
                a[i, j] -= a[i, k] * a[k, j]


def eliminate_all(a):
    for k in range(a.shape[0]):
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                a[i, j] = a[i, j] * a[k, k] - a[i, k] * a[k, j]


def take_away(a):
    for i in range(a.shape[0]):
        for j in range(2, a.shape[1] - 1):
            a[i, j] = a[i, j] - a[i, i]


def take_away_every_other(a):
    for i in range(a.shape[0]):
        for j in range(0, a.shape[1], 2):
            a[i, j] = a[i, j] - a[i, i]


def take_away_from_behind(a):
    for i in range(a.shape[0]):
        for j in range(a.shape[1] - 1, -1, -1):
            a[i, j] = a[i, j] - a[i, i]


def agrees(function, *arguments):
    """True if the compiled function changes the arrays as in Python."""
    ours, theirs = [a.copy() for a in arguments], [a.copy() for a in arguments]
    njit(function)(*ours)
    function(*theirs)
    return all(np.array_equal(a, b, equal_nan=True) for a, b in zip(ours, theirs, strict=True))


def numbers(n, dtype=np.float64):
    # Below 0, too: in a path's own round the place is changed that all rounds read.
    return (8 * np.random.default_rng(n).random((n, n)) - 2).astype(dtype)


@pytest.mark.parametrize(
    "function",
    [
        shortest_paths,
        eliminate,
        eliminate_all,
        take_away,
        take_away_every_other,
        take_away_from_behind,
    ],
)
@pytest.mark.parametrize("n", [0, 1, 2, 5, 31, 32, 33, 45])
def test_rounds_keep_their_order(function, n):
    with np.errstate(all="ignore"):
        assert agrees(function, numbers(n))


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.float32, np.complex64])
def test_numbers_of_every_width_are_right(dtype):
    def take_away_one(a, k):
        for j in range(a.size):
            a[j] = a[j] - a[k]

    for k in range(0, 70, 3):
        memory = numbers(9, dtype).ravel()[:70]
        ours, theirs = memory.copy(), memory.copy()
        njit(take_away_one)(ours, k)
        take_away_one(theirs, k)
        assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("shift", [-40, -9, -1, 0, 1, 8, 33, 40])
def test_arrays_that_overlap_keep_their_order(shift):
    def both(a, b, k):
        for _ in range(2):
            for j in range(a.size):
                a[j] = a[j] - 0.01 * a[k] * b[j]

    ours, theirs = numbers(20).ravel(), numbers(20).ravel()
    for compiled, memory in ((njit(both), ours), (both, theirs)):
        compiled(memory[100:180], memory[100 + shift : 180 + shift], 37)
    assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("function", [shortest_paths, eliminate])
def test_rows_are_lanes(function):
    compiled = njit(function)
    compiled(numbers(3))
    (code,) = compiled.inspect_llvm().values()
    assert re.search(r"fadd <\d+ x double>|fmul <\d+ x double>", code)
    for scope in ("alias.scope", "noalias"):
        assert scope in code

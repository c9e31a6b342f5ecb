"""Functions of NumPy, heapq and functools in host functions, compared with Python."""

import functools
import heapq
import math
import random

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view
from numpy.polynomial import polynomial

from heddle import njit, vectorize

CUBE = np.arange(24.0).reshape(2, 3, 4)
GRID = CUBE[0]
HOLES = np.array([3.0, np.nan, 1.0, 7.0])

EXPRESSIONS = {
    "sliding windows along an axis": lambda: sliding_window_view(CUBE, 2, 1),
    "sliding windows": lambda: sliding_window_view(GRID, (2, 2)),
    "broadcast_arrays": lambda: np.broadcast_arrays(GRID, np.ones(4)),
    "broadcast_shapes": lambda: np.broadcast_shapes((3, 1), (4,), 4),
    "moveaxis to the end": lambda: np.moveaxis(CUBE, 0, -1),
    "moveaxis to the front": lambda: np.moveaxis(CUBE, 2, 0),
    "resize": lambda: np.resize(GRID, (5, 3)),
    "take_along_axis": lambda: np.take_along_axis(GRID, np.array([[1, 0], [0, 3], [2, 2]]), 1),
    "unwrap": lambda: np.unwrap(np.array([0.0, 3.0, 6.3, 9.8, -3.0, 3.2])),
    "logspace": lambda: np.logspace(0, 3, 7),
    "geomspace": lambda: np.geomspace(1, 1000, 4),
    "indices": lambda: np.indices((2, 3)),
    "asarray_chkfinite": lambda: np.asarray_chkfinite(GRID),
    "hsplit": lambda: np.hsplit(GRID, 2),
    "hsplit at places": lambda: np.hsplit(GRID, (1, 3)),
    "dsplit": lambda: np.dsplit(CUBE, 2),
    "split along an axis": lambda: np.split(GRID, 2, axis=1),
    "array_split along an axis": lambda: np.array_split(GRID, 3, axis=1),
    "tril_indices_from": lambda: np.tril_indices_from(GRID),
    "triu_indices_from": lambda: np.triu_indices_from(GRID, 1),
    "nanargmax": lambda: np.nanargmax(HOLES),
    "nanargmin": lambda: np.nanargmin(HOLES),
    "roots": lambda: np.roots(np.array([1.0, -6.0, 11.0, -6.0, 0.0])),
    "polyadd": lambda: polynomial.polyadd(np.array([1.0, 2.0]), np.array([1.0, -2.0])),
    "polysub": lambda: polynomial.polysub(np.array([1, 2]), np.array([1, 2, 3])),
    "polymul": lambda: polynomial.polymul(np.array([1.0, 2.0]), np.array([3.0, 1.0, 2.0])),
    "polydiv": lambda: polynomial.polydiv(np.array([1.0, 2.0, 3.0]), np.array([3.0, 2.0])),
    "polyval": lambda: polynomial.polyval(np.array([1.0, 2.0]), np.array([1.0, 2.0, 3.0])),
    "polyint": lambda: polynomial.polyint(np.array([1.0, 2.0, 3.0])),
    "sum along an axis as another type": lambda: GRID.sum(axis=0, dtype=np.float32),
    "sum along several axes": lambda: CUBE.sum(axis=(0, 2)),
    "sum along all axes": lambda: CUBE.sum(axis=(2, 0, 1)),
    "cumsum as another type": lambda: CUBE.cumsum(axis=1, dtype=np.float32),
    "isin of lists": lambda: np.isin([1, 2, 3], [2]),
    "union of tuples": lambda: np.union1d((1, 2), (2, 5)),
    "median of a list": lambda: np.median([3.0, 1.0, 2.0]),
    "clip into an array": lambda: np.clip(GRID, 1.0, 5.0, np.zeros((3, 4))),
    "gcd of arrays": lambda: np.gcd(np.array([12, 18]), np.array([8, 27])),
    "lcm": lambda: np.lcm(np.array([12, 18]), 8),
    "logaddexp": lambda: np.logaddexp(np.array([1.0, -np.inf, np.inf]), 1.0),
    "logaddexp2": lambda: np.logaddexp2(GRID, 1.0),
    "float_power": lambda: np.float_power(np.array([2, 3]), 2),
    "isneginf": lambda: np.isneginf(np.array([1.0, -np.inf, np.inf])),
    "isposinf": lambda: np.isposinf(np.array([1.0, -np.inf, np.inf])),
    "isreal": lambda: np.isreal(np.array([1.0 + 0j, 2j])),
    "iscomplex": lambda: np.iscomplex(np.array([1.0 + 0j, 2j])),
    "divmod": lambda: np.divmod(np.array([7, -7]), 3),
    "hanning": lambda: np.hanning(11),
    "hamming": lambda: np.hamming(11),
    "blackman": lambda: np.blackman(11),
    "bartlett": lambda: np.bartlett(10),
    "kaiser": lambda: np.kaiser(11, 5.0),
    "math.gcd": lambda: math.gcd(12, 18),
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_functions_of_numpy(name):
    function = EXPRESSIONS[name]
    found, expected = njit(function)(), function()
    if not isinstance(expected, (tuple, list)):
        found, expected = [found], [expected]
    assert len(found) == len(expected)
    for a, b in zip(found, expected, strict=True):
        assert np.shape(a) == np.shape(b)
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-15)


def test_all_nan_has_no_greatest_element():
    @njit
    def greatest(x):
        return np.nanargmax(x)

    with pytest.raises(ValueError, match="All-NaN"):
        greatest(np.full(3, np.nan))


# heapq, map, filter, reduce


@njit
def heap_sorted(numbers):
    heap = [numbers[0]]
    for number in numbers[1:]:
        heapq.heappush(heap, number)
    return [heapq.heappop(heap) for _ in range(len(heap))]


def test_a_heap_sorts():
    numbers = np.random.default_rng(0).integers(0, 50, 200)
    assert heap_sorted(numbers) == sorted(numbers.tolist())


@njit
def shortest(starts, targets, lengths, source):
    distance = np.full(starts.size - 1, np.inf)
    distance[source] = 0.0
    heap = [(0.0, source)]
    while heap:
        here, node = heapq.heappop(heap)
        if here > distance[node]:
            continue
        for k in range(starts[node], starts[node + 1]):
            there = here + lengths[k]
            if there < distance[targets[k]]:
                distance[targets[k]] = there
                heapq.heappush(heap, (there, targets[k]))
    return distance


def test_shortest_paths_with_a_heap_of_tuples():
    starts, targets = np.array([0, 2, 3, 3]), np.array([1, 2, 2])
    found = shortest(starts, targets, np.array([1.0, 5.0, 2.0]), 0)
    assert found.tolist() == [0.0, 1.0, 3.0]


@njit
def with_heaps(x):
    heapq.heapify(x)
    replaced = heapq.heapreplace(x, 5)
    pushed = heapq.heappushpop(x, 1)
    return replaced, pushed, x[0], heapq.nlargest(2, x), heapq.nsmallest(2, x)


def test_other_functions_of_heaps():
    assert with_heaps([5, 4, 3, 9, 1, 2]) == with_heaps.py_func([5, 4, 3, 9, 1, 2])


@njit
def mapped(x):
    doubled = list(map(lambda v: v * 2, x))
    large = [v for v in filter(lambda v: v > 2, x)]
    pairs = list(map(lambda a, b: a + b, x, doubled))
    total = functools.reduce(lambda a, b: a + b, x)
    return doubled, large, pairs, total, functools.reduce(lambda a, b: a * b, x, 1.5)


def test_map_filter_and_reduce():
    assert mapped([1.0, 4.0, 9.0]) == mapped.py_func([1.0, 4.0, 9.0])


# Random numbers


@njit
def seed(number):
    np.random.seed(number)
    random.seed(number)


@njit
def drawn(k):
    r = np.random
    shares = np.array([0.2, 0.3, 0.5])
    return (
        r.binomial(10, 0.3, k),
        r.binomial(1000, 0.4, k),
        r.binomial(500, 0.9, k),
        r.standard_cauchy(k),
        r.wald(2.0, 3.0, k),
        r.noncentral_chisquare(3.0, 2.0, k),
        r.zipf(2.5, k),
        r.logseries(0.7, k),
        r.hypergeometric(20, 30, 8, k),
        r.multinomial(50, shares),
        r.multinomial(50, shares, 3),
    )


def test_distributions_give_numpys_numbers():
    seed(7)
    found = drawn(200)
    np.random.seed(7)
    for a, b in zip(found, drawn.py_func(200), strict=True):
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=1e-12)


@njit
def varied():
    return (
        random.betavariate(2.0, 3.0),
        random.gammavariate(0.5, 1.0),
        random.gammavariate(2.5, 1.0),
        random.gammavariate(1.0, 2.0),
        random.vonmisesvariate(1.0, 2.0),
    )


def test_variates_give_what_python_makes_of_the_same_state():
    seed(3)
    found = [varied() for _ in range(50)]
    _, words, position, *_ = np.random.RandomState(3).get_state()
    random.setstate(
        (3, (*words.tolist(), position), None)
    )  # numba seeds both generators as NumPy does
    np.testing.assert_allclose(found, [varied.py_func() for _ in range(50)], rtol=1e-12)


# Functions that vectorize has made


@vectorize
def larger(a, b):
    if b > a:
        return b
    return a


@vectorize(["float64(float64, float64)"])
def square_plus(a, b):
    return a * a + b


def test_a_ufunc_works_on_arrays_in_a_function_of_the_host():
    @njit
    def called(m, row, out):
        square_plus(m, 2, out)
        return larger(m, row), larger(3, 5), square_plus(m[:, ::2], 1.0), square_plus(m.T, row[0])

    out = np.zeros((3, 4))
    found = called(GRID.copy(), np.full(4, 5.0), out)
    assert found[1] == 5
    np.testing.assert_array_equal(found[0], np.maximum(GRID, 5.0))
    np.testing.assert_array_equal(found[2], GRID[:, ::2] ** 2 + 1)
    np.testing.assert_array_equal(found[3], GRID.T**2 + 5)
    np.testing.assert_array_equal(out, GRID**2 + 2)
    assert found[0].dtype == np.float64


def test_a_ufunc_refuses_shapes_that_do_not_fit():
    @njit
    def called(a, b):
        return larger(a, b)

    with pytest.raises(ValueError, match="shape mismatch"):
        called(np.ones(3), np.ones(4))

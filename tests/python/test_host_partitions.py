"""np.partition, np.argpartition, np.histogram and a[indices] in host functions, which take fewer steps than sorting or
checking each element."""

import numpy as np
import pytest

from heddle import njit

CHANCE = np.random.default_rng(7)
FLOATS = CHANCE.normal(size=301)
FLOATS[[5, 70]] = np.nan, np.inf


@njit
def partition(a, kth):
    return np.partition(a, kth)


@njit
def argpartition(a, kth):
    return np.argpartition(a, kth)


@njit
def histogram(a, bins):
    return np.histogram(a, bins)


@njit
def histogram_within(a, bins, low, high):
    return np.histogram(a, bins, (low, high))


def check_partition(a, got, places):
    ordered = np.sort(a)
    np.testing.assert_array_equal(np.sort(got), ordered)
    for place in places:
        np.testing.assert_array_equal(got[..., place], ordered[..., place])
        np.testing.assert_array_equal(np.sort(got[..., :place]), ordered[..., :place])


@pytest.mark.parametrize("places", [(0,), (17,), (-1,), (3, 200, 42), (299, 300)])
@pytest.mark.parametrize(
    "a",
    [
        FLOATS,
        CHANCE.integers(0, 9, 301),
        CHANCE.integers(0, 200, (4, 301)).astype(np.uint8)[:, ::-1],
        FLOATS.astype(np.float32),
        CHANCE.random(301) > 0.5,
    ],
    ids=["floats", "equal", "rows", "float32", "bools"],
)
def test_a_partition_has_its_places_as_if_sorted(a, places):
    kth = places[0] if len(places) == 1 else np.array(places)
    check_partition(a, partition(a, kth), places)
    order = argpartition(a, kth)
    check_partition(a, np.take_along_axis(a, order, -1), places)


def test_a_place_outside_is_refused():
    for function in (partition, argpartition):
        with pytest.raises(ValueError, match="kth out of bounds"):
            function(np.arange(3.0), 3)
    assert partition(np.empty(0), 0).size == 0


@pytest.mark.parametrize("size", [1, 2, 127, 128, 129, 1000])
@pytest.mark.parametrize("bins", [1, 3, 10, 257])
def test_a_histogram_counts_as_numpys_near_edges(size, bins):
    for a in (
        CHANCE.random(size),
        CHANCE.integers(0, 20, size),
        1e6 + CHANCE.integers(0, bins + 1, size) / bins,
        CHANCE.normal(size=(size, 2))[:, 0],
    ):
        for got, want in zip(histogram(a, bins), np.histogram(a, bins), strict=True):
            np.testing.assert_array_equal(got, want)


def test_a_histogram_leaves_out_what_is_outside_or_no_number():
    a = np.concatenate([FLOATS, [0.5, -0.5, 1e300, -1e300, -np.inf]])
    inside = a[(a >= -0.5) & (a <= 0.5)]
    got, edges = histogram_within(a, 8, -0.5, 0.5)
    np.testing.assert_array_equal(got, np.histogram(inside, 8, (-0.5, 0.5))[0])
    assert got.sum() == inside.size and edges[0] == -0.5


def test_indices_that_count_from_the_end_or_are_outside():
    taken = njit(lambda a, indices: a[indices])
    a = np.arange(5.0)
    for indices in ([-1, 0, -5, 4], [1, 2], []):
        np.testing.assert_array_equal(taken(a, np.array(indices, np.int64)), a[indices or slice(0)])
    np.testing.assert_array_equal(taken(a, np.array([4, 0], np.uint8)), [4, 0])
    for outside in (5, -6):
        with pytest.raises(IndexError, match="out of bounds"):
            taken(a, np.array([0, outside]))


@pytest.mark.parametrize(
    "values",
    [[3, 4], [1e200, 1e200], [1e-200, 3e-200], [0, 0], [np.inf, 1], [np.nan, 1], [5e-324], []],
)
def test_a_norm_neither_overflows_nor_vanishes(values):
    a = np.array(values, np.float64)
    norm = njit(lambda a: np.linalg.norm(a))
    expected = np.hypot.reduce(a) if a.size else 0.0
    np.testing.assert_allclose(norm(a), expected, rtol=1e-15)

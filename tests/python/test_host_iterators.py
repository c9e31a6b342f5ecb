"""Ranges, slices, enumerate, zip and np.nditer as values in host functions."""

import numpy as np
import pytest

from heddle import njit


def test_a_range_has_start_stop_and_step():
    @njit
    def f(n):
        r = range(2, n, 3)
        return r.start, r.stop, r.step, len(r), range(n).stop

    assert f(21) == (2, 21, 3, 7, 21)


def test_next_goes_on_with_an_enumerate():
    @njit
    def f(a):
        pairs = enumerate(a, 3)
        first, second = next(pairs), next(pairs)
        rest = 0.0
        for i, x in pairs:
            rest += i * x
        return first, second, rest

    assert f(np.array([1.0, 2.0, 4.0, 8.0])) == ((3, 1.0), (4, 2.0), 5 * 4.0 + 6 * 8.0)


def test_next_of_a_zip_in_a_loop():
    @njit
    def f(a):
        pairs = zip(a, range(10))  # noqa: B905
        total = 0
        for _ in range(3):
            x, y = next(pairs)
            total = total * 10 + x * y
        return total

    assert f(np.array([5, 6, 2, 1])) == 64


def test_next_of_an_exhausted_zip_raises_stopiteration():
    @njit
    def f(a):
        pairs = zip(a, a)  # noqa: B905
        next(pairs)
        return next(pairs)

    with pytest.raises(StopIteration):
        f(np.zeros(1))


@pytest.mark.parametrize(
    "s", [slice(1, None, 2), slice(None, 4), slice(-3, None, -1), slice(None, None, -2)], ids=str
)
@pytest.mark.parametrize("n", [0, 3, 10])
def test_slice_indices(s, n):
    assert njit(lambda s, n: s.indices(n))(s, n) == s.indices(n)


def test_a_slice_that_is_made_has_attributes_and_indices():
    @njit
    def f(a, n):
        s = slice(1, n, 2)
        return s.start, s.stop, s.step, s.indices(4), a[s].sum()

    assert f(np.arange(6), 5) == (1, 5, 2, (1, 4, 2), 4)


def test_slice_indices_of_a_negative_length():
    with pytest.raises(ValueError, match="length should not be negative"):
        njit(lambda s, n: s.indices(n))(slice(1, 2), -1)


def test_the_length_of_items_of_a_dict():
    @njit
    def f():
        d = {1: 2.5, 3: 4.0}
        return len(d.items()), len(d.keys()), len(d.values())

    assert f() == (2, 2, 2)


def test_nditer_of_a_number():
    assert njit(lambda x: [v.item() for v in np.nditer(x)])(3.5) == [3.5]


def test_nditer_of_arrays_of_different_ranks():
    @njit
    def f(a, b):
        return [x.item() * y.item() for x, y in np.nditer((a, b))]

    assert f(np.arange(3), np.arange(6.0).reshape(2, 3)) == [0.0, 1.0, 4.0, 0.0, 4.0, 10.0]


def test_flatnonzero_of_a_number_and_nanargmax_with_axis_none():
    @njit
    def f(a):
        return np.flatnonzero(3), np.nanargmax(a, None), np.nanargmin(a, axis=None)

    where, most, least = f(np.array([1.0, np.nan, 3.0]))
    assert (where.tolist(), most, least) == ([0], 2, 0)


def test_a_list_of_several_types_counts_and_is_copied():
    @njit
    def f():
        values = ["a", 1, "a", 2.5]
        return values.count("a"), values.count(1), values.copy()[3]

    assert f() == (2, 1, 2.5)


def test_str_without_an_argument_is_empty():
    assert njit(lambda: str())() == ""  # noqa: UP018


@njit
def numbers_and_strings(numbers, array):
    pairs = [(a, b) for a, b in zip(numbers, [str(n) for n in numbers])]
    more = [(a, b, i) for i, (a, b) in enumerate(zip(array, ["n" + str(n) for n in numbers]))]
    others = [str(n + 100) for n in numbers]  # takes memory that is free
    return pairs, more, others


def test_strings_that_were_zipped_with_numbers_are_kept():
    numbers, array = [7, 8, 9], np.array([0.5, 1.5, 2.5])
    pairs, more, others = numbers_and_strings(numbers, array)
    assert pairs == [(7, "7"), (8, "8"), (9, "9")]
    assert more == [(0.5, "n7", 0), (1.5, "n8", 1), (2.5, "n9", 2)]
    assert others == ["107", "108", "109"]

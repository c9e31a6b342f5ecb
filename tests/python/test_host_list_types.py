"""Item types of lists in host functions: unpacked tuples, joined lists, items that do not fit."""

import numpy as np
import pytest

from heddle import njit
from heddle.errors import TypingError

pytestmark = pytest.mark.usefixtures("everything_is_freed")


@pytest.mark.parametrize(
    "items", [(1, 2), (1.5,), (1, 2.5), (True, 300), ((1, 2), (3, 4.5)), (1, "a"), ("a", "b")]
)
def test_a_tuple_unpacks_into_a_list(items):
    assert njit(lambda x: [*x])(items) == list(items)
    assert njit(lambda x: [*x, *x])(items) == [*items, *items]
    assert njit(lambda x: [*x, items[0]])(items) == [*items, items[0]]


def test_a_list_of_an_unpacked_tuple_grows():
    @njit
    def grown(x):
        out = [*x]
        out.append(0.5)
        nothing = [*()]
        nothing.append(x[0])
        return out, nothing

    assert grown((1, 2)) == ([1.0, 2.0, 0.5], [1])


def test_a_list_holds_no_items_of_several_types_from_a_tuple():
    @njit
    def mixed(x):
        out = [*x]
        out.append(x[0])
        return out

    with pytest.raises(TypingError, match="this list cannot hold both int64 and unicode_type"):
        mixed((1, "a"))


def joined(a, b):
    return a + b


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([1, 2], [1.5]),
        ([1.5], [1, 2]),
        ([True], [5]),
        ([np.int8(1)], [300]),
        ([np.float32(1.5)], [0.1]),
        ([(1, 2)], [(3, 4.5)]),
        ([1], [1j]),
        (["a"], ["b"]),
    ],
)
def test_joined_lists_hold_the_items_of_both(a, b):
    before = list(a), list(b)
    result = njit(joined)(a, b)
    assert result == a + b
    assert len({type(item) for item in result}) == 1
    assert before == (a, b)


def test_joined_lists_of_signed_and_unsigned_numbers_hold_floats():
    assert njit(joined)([np.uint64(2**63)], [-1]) == [2.0**63, -1.0]


def test_lists_made_by_functions_join():
    @njit
    def made(n):
        return [0] * n + [1.5] * n, list(range(n)) + [0.5], sorted([n]) + [1.5][:] + [n]

    assert made(2) == ([0, 0, 1.5, 1.5], [0, 1, 0.5], [2, 1.5, 2])


def test_a_list_that_grows_by_joins_has_one_type():
    def grown(n):
        r = [0.5]
        for i in range(n):
            r = r + [i]
        return r

    def widened(n):
        r = [0]
        for i in range(n):
            r = r + [i * 0.5]
        return r

    assert njit(grown)(3) == grown(3)
    with pytest.raises(TypingError, match="'r'"):
        njit(widened)(3)


@pytest.mark.parametrize(("a", "b"), [([1], ["a"]), ([1], [(1, 2)])])
def test_lists_without_a_common_type_do_not_join(a, b):
    with pytest.raises(TypingError, match="no list holds both int64 and"):
        njit(joined)(a, b)

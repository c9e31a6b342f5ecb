"""Item types of lists in host functions: unpacked tuples, joined lists, items that do not fit."""

import heapq

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


def append(y, x):
    y.append(x)


def insert(y, x):
    y.insert(0, x)


def extend(y, x):
    y.extend([x])


def extend_by_tuple(y, x):
    y.extend((x,))


def assign_slice(y, x):
    y[0:1] = [x]


def assign_steps(y, x):
    y[::1] = [x]


def push(y, x):
    heapq.heappush(y, x)


def replace(y, x):
    heapq.heapreplace(y, x)


def push_and_pop(y, x):
    heapq.heappushpop(y, x)


ADDING = [append, insert, extend, extend_by_tuple, assign_slice, assign_steps]
ADDING += [push, replace, push_and_pop]
NARROW = [
    ([1], 2.7, r"write int\(x\), or make it a list of float64 from the start"),
    ([np.int8(1)], 300, r"write np.int8\(x\), or make it a list of int64"),
    ([np.uint8(1)], np.int8(-1), "or make it a list of int16"),
    ([np.float32(1)], 0.1, r"write np.float32\(x\), or make it a list of float64"),
    ([True], 5, r"write bool\(x\), or make it a list of int64"),
    ([(1, 2)], (3, 4.5), r"convert the item, or make it a list of Tuple\(int64, float64\)"),
]


@pytest.mark.parametrize(("y", "x", "hint"), NARROW)
@pytest.mark.parametrize("add", ADDING, ids=lambda f: f.__name__)
def test_an_item_that_a_list_cannot_hold_is_an_error(add, y, x, hint):
    before = list(y)
    call = njit(add)
    with pytest.raises(TypingError, match=f"(?s)cannot append .*hint: .*{hint}"):
        call(y, x)
    assert y == before


@pytest.mark.parametrize(
    ("y", "x"),
    [
        ([1.5], 2),
        ([1], True),
        ([1], np.uint32(7)),
        ([1j], 2.5),
        ([(1, 2.5)], (3, 4)),
        ([np.int16(1)], np.uint8(200)),
    ],
)
@pytest.mark.parametrize("add", ADDING[:-3], ids=lambda f: f.__name__)
def test_an_item_that_a_list_can_hold_is_converted(add, y, x):
    result, expected = list(y), list(y)
    add(expected, x)
    njit(add)(result, x)
    assert result == expected


def of_a_range(n):
    y = list(range(n))
    y.append(2.5)


def of_a_repetition(n):
    y = [0] * n
    y.append(2.5)


def of_a_copy(n):
    y = [n]
    z = y.copy()
    z.append(2.5)


def of_a_slice(n):
    y = [n]
    z = y[:]
    z.append(2.5)


append_compiled = njit(append)


def of_a_call(n):
    y = sorted([n])
    append_compiled(y, 2.5)


@pytest.mark.parametrize(
    "function",
    [of_a_range, of_a_repetition, of_a_copy, of_a_slice, of_a_call],
    ids=lambda f: f.__name__,
)
def test_a_list_of_known_type_does_not_widen(function):
    with pytest.raises(TypingError, match=r"cannot append float64 to list\(int64\)"):
        njit(function)(3)


def test_stores_and_augmented_assignments_convert_as_in_numba():
    @njit
    def converted(y, x):
        y[0] = x
        y += [x, -x]
        z = [1]
        z[0] = x
        z += [x]
        return z

    y = [1]
    assert converted(y, 2.7) == [2, 2]
    assert y == [2, 2, -2]
    assert converted(y, 2.7) == [2, 2]


def test_a_list_grows_by_itself():
    @njit
    def doubled(y):
        y += y
        y.extend(y)
        return len(y)

    assert doubled([1, 2]) == 8
    with pytest.raises(IndexError):
        njit(lambda y: heapq.heapreplace(y[:0], 1))([1])


@njit
def append_in_callee(y, x):
    y.append(x)


def open_to_callees(n):
    y = [n]
    append_in_callee(y, 2.5)
    heapq.heappush(y, 1.5)
    y[:1] = [0.5]
    y.append(y[-1] / 4)
    return y


def test_a_list_widens_before_its_calls_are_checked():
    assert njit(open_to_callees)(3) == [0.5, 2.5, 3.0, 0.75]

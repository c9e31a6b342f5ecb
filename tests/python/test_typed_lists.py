"""numba.typed.List: a list changed by Python and host functions; the owners of the objects in it."""

import copy
import gc
import pickle
from collections import namedtuple
from collections.abc import MutableSequence
from heapq import heappop, heappush

import numpy as np
import pytest

from heddle import cuda, from_dtype, njit, prange, typed, typeof, types
from heddle.errors import ArgumentError, TypingError
from heddle.experimental import jitclass
from heddle.typed import List

Point = namedtuple("Point", "x y")


pytestmark = pytest.mark.usefixtures("everything_is_freed")


def test_a_function_changes_the_programs_list():
    @njit
    def doubled(items):
        for i in range(len(items)):
            items[i] *= 2
        items.append(-1)

    items = List([1, 2])
    doubled(items)
    items.append(7)
    doubled(items)
    assert list(items) == [4, 8, -2, 14, -1]


def test_methods_do_what_those_of_lists_do():
    plain, items = [5, 3, 9, 3], List([5, 3, 9, 3])
    for values in (plain, items):
        values.append(1)
        values.extend((4, 4))
        values.insert(1, 8)
        values.remove(3)
        values.reverse()
        values[2] = 6
        values[1:3] = [7, 7, 7]
        del values[0], values[-2:]
        values += [2]
        values.sort()
    assert list(items) == plain
    assert (items.pop(), items.pop(0), items.count(7), items.index(7), len(items)) == (
        plain.pop(),
        plain.pop(0),
        plain.count(7),
        plain.index(7),
        len(plain),
    )
    assert (list(items[::-2]), list(items[1:]), items[-1]) == (plain[::-2], plain[1:], plain[-1])
    assert (7 in items, 70 in items, items == plain, items != plain) == (True, False, True, False)
    assert list(reversed(items)) == plain[::-1]
    assert (items.copy() == items, items.copy() is items) == (True, False)
    items.clear()
    assert not items


def test_it_shows_itself_as_numba_does():
    assert repr(List()) == "ListType[Undefined]([])"
    assert repr(List([1, 2])) == "ListType[int64]([1, 2])"
    assert str(List(["a", "b"])) == "[a, b]"
    assert repr(List([(1, 2.5)])) == "ListType[Tuple(int64, float64)]([(1, 2.5)])"
    assert isinstance(List(), MutableSequence)


@pytest.mark.parametrize(
    "wrong, error",
    [
        (lambda items: items[5], IndexError),
        (lambda items: items.pop(5), IndexError),
        (lambda items: items.index(9), ValueError),
        (lambda items: items.remove(9), ValueError),
        (lambda items: items["a"], TypeError),
        (lambda items: items.append("a"), TypingError),
        (lambda items: items.append(2.5), TypingError),
        (lambda items: items.__setitem__(0, 2.5), TypingError),
        (lambda items: List()[0], TypeError),
        (lambda items: List().pop(), TypeError),
        (lambda items: List(1), TypeError),
        (lambda items: List([None]), TypeError),
        (lambda items: hash(items), TypeError),
        (lambda items: pickle.dumps(items), TypeError),
    ],
    ids=range(14),
)
def test_mistakes_are_those_of_lists(wrong, error):
    items = List([1, 2])
    with pytest.raises(error):
        wrong(items)
    assert list(items) == [1, 2]


def test_functions_make_them_and_return_them():
    @njit
    def made(n):
        by_use = List()
        for i in range(n):
            by_use.append(i * 0.5)
        named = List.empty_list(types.int32)
        named.append(n)
        return by_use, named, List([n, 2]), typed.List((1.5,)), by_use[1:]

    lists = made(3)
    assert [repr(each) for each in lists] == [
        "ListType[float64]([0.0, 0.5, 1.0])",
        "ListType[int32]([3])",
        "ListType[int64]([3, 2])",
        "ListType[float64]([1.5])",
        "ListType[float64]([0.5, 1.0])",
    ]


def test_the_first_item_decides_the_type():
    @njit
    def made():
        items = List()
        items.append(1.5)
        items.append(2)
        return items

    assert repr(made()) == "ListType[float64]([1.5, 2.0])"


def test_a_list_keeps_the_arrays_that_it_was_given():
    @njit
    def kept(a):
        out = List()
        out.append(a)
        out.append(a[1:] * 2)
        out.append(a[::2].copy())
        return out

    given = np.arange(4.0)
    arrays = kept(given)
    assert np.shares_memory(arrays[0], given)
    del given
    gc.collect()
    np.zeros(1000)
    assert [a.tolist() for a in arrays] == [[0, 1, 2, 3], [2, 4, 6], [0, 2]]
    first = arrays[0]
    del arrays
    gc.collect()
    assert first.tolist() == [0, 1, 2, 3]


def test_a_list_keeps_the_arrays_that_python_puts_there():
    arrays = List()
    for n in range(1, 4):
        arrays.append(np.arange(float(n)))
    gc.collect()

    @njit
    def total(arrays):
        s = 0.0
        for a in arrays:
            a[0] = 1
            s += a.sum()
        return s

    assert (total(arrays), arrays[2].tolist()) == (7.0, [1, 1, 2])


constant_array = np.arange(3.0)


def test_an_array_that_is_a_constant_is_refused():
    @njit
    def kept(items):
        items.append(constant_array.copy())
        items.append(constant_array)

    items = List([np.zeros(1)])
    with pytest.raises((TypeError, TypingError)):
        kept(items)


def test_strings_outlive_their_function():
    def filled():
        @njit
        def fill(items, name):
            items.append("constant")
            items.append(name)
            items.append(name + "!")

        items = List.empty_list(types.unicode_type)
        fill(items, "".join(["né", "e"]))
        return items

    items = filled()
    gc.collect()
    assert list(items) == ["constant", "née", "née!"]


def test_lists_hold_lists():
    @njit
    def filled(rows):
        rows.append(List([7]))
        rows[0].append(8)
        return rows[0]

    rows = List()
    rows.append(List([1]))
    rows.append(List([2, 3]))
    first = filled(rows)
    rows[0].append(9)
    assert repr(rows) == "ListType[ListType[int64]]([[1, 8, 9], [2, 3], [7]])"
    del rows
    assert list(first) == [1, 8, 9]


def test_lists_hold_tuples_and_named_tuples():
    @njit
    def moved(points):
        for i in range(len(points)):
            points[i] = Point(points[i].y, points[i].x + 0.5)
        return points[0]

    points = List([Point(1.0, 2.0), Point(3.0, 4.0)])
    assert moved(points) == Point(2.0, 1.5)
    assert points[1] == Point(4.0, 3.5)


def test_what_a_function_did_before_it_raised_stays():
    @njit
    def inner(items, n):
        own = np.ones(n)
        items.append(own)
        if n > 2:
            raise ValueError(n)
        return own

    @njit
    def filled(items, n):
        first = items[0]
        for i in range(1, n):
            inner(items, i)
        return first

    items = List([np.zeros(1)])
    for _ in range(3):
        with pytest.raises(ValueError, match="3"):
            filled(items, 9)
    assert [len(a) for a in items] == [1, 1, 2, 3, 1, 2, 3, 1, 2, 3]


def test_a_loop_that_changes_the_length_of_its_list_is_an_error():
    @njit
    def grown(items):
        for item in items:
            items.append(item)

    with pytest.raises(RuntimeError, match="list was mutated during iteration"):
        grown(List([1.0, 2.0]))


def test_a_list_can_extend_itself():
    @njit
    def twice(items):
        items.extend(items)

    items = List([1, 2])
    twice(items)
    items.extend(items)
    assert list(items) == [1, 2] * 4


@pytest.mark.parametrize("text", ["int64(ListType(int64))", "int64(ListType[int64])", None])
def test_signatures_name_their_types(text):
    signature = text or types.int64(types.ListType(types.int64))
    first = njit(signature)(lambda items: items[0])
    assert first(List([4])) == 4
    with pytest.raises(TypeError):
        first(List([4.5]))


def test_types_are_those_of_numba():
    of_ints = types.ListType(types.int64)
    assert of_ints == types.typeof(List([1])) == List([2])._numba_type_
    assert (str(of_ints), of_ints.dtype, of_ints.item_type) == (
        "ListType[int64]",
        types.int64,
        types.int64,
    )
    assert isinstance(of_ints, types.ListType)


def test_threads_share_a_list_of_arrays():
    @njit(parallel=True)
    def sums(arrays, out):
        for i in prange(len(arrays)):
            out[i] = arrays[i].sum() + arrays[0][0]

    arrays = List([np.full(50, float(i)) for i in range(200)])
    out = np.zeros(200)
    for _ in range(5):
        sums(arrays, out)
    assert out.tolist() == [50.0 * i for i in range(200)]


def test_kernels_refuse_them(device):
    @cuda.jit
    def kernel(items):
        pass

    with pytest.raises(ArgumentError, match=r"np.array\(list\)"):
        kernel[1, 1](List([1]))


named_list = List([1])


def test_functions_do_not_take_them_from_globals():
    with pytest.raises(TypingError, match="List"):
        njit(lambda: len(named_list))()


def test_a_list_without_a_type_is_no_argument():
    with pytest.raises(ArgumentError, match="empty_list"):
        njit(lambda items: len(items))(List())


def test_slices_are_assigned_and_deleted():
    @njit
    def changed(a):
        a[1:3] = List([7, 8, 9])
        a[::2] = a[3:]
        a[-1:] = a
        del a[2:4], a[::-3]
        return a

    expected = [1, 2, 3, 4, 5]
    items = List(expected)
    assert list(changed(items)) == list(changed.py_func(expected)) == list(items)


def test_an_extended_slice_takes_as_many_items_as_it_has():
    @njit
    def wrong(a):
        a[::2] = List([1])

    with pytest.raises(ValueError, match="cannot resize extended list slice"):
        wrong(List([1, 2, 3]))


def test_tuples_of_strings_are_items_and_keys():
    Pair = namedtuple("Pair", "name weight")
    rows = List([(1, "a"), (2, "bc")])
    rows.append((3, "é"))
    pairs = List([Pair("x", 1.5)])
    pairs.append(Pair("yy", 2))
    table = typed.Dict()
    table[("a", 1)] = ("b", 2.0)
    table[("cc", 2)] = ("", 0.5)

    @njit
    def joined(rows, pairs, table):
        return "".join([text * n for n, text in rows]), [p.name for p in pairs], table[("cc", 2)]

    assert joined(rows, pairs, table) == ("abcbcééé", ["x", "yy"], ("", 0.5))
    assert pairs[1] == Pair("yy", 2.0)


def test_an_item_of_a_wrong_type_is_an_error_of_the_program_s_line():
    items, table = List([1]), typed.Dict()
    table[1] = 2
    for put in (
        lambda: items.append("a"),
        lambda: items.insert(0, "a"),
        lambda: List([1, "a"]),
        lambda: table["a"],
        lambda: table.update({1: "a"}),
    ):
        with pytest.raises(TypingError) as error:
            put()
        line = put.__code__.co_firstlineno
        assert str(error.value).startswith(f"test_typed_lists.py:{line}: ")


def test_a_typed_list_is_no_list_of_python():
    @njit
    def classes(items, table):
        return (
            isinstance(items, list),
            isinstance(items, List),
            isinstance(table, dict),
            isinstance(table, typed.Dict),
            isinstance([1], List),
        )

    assert classes(List([1]), typed.Dict({1: 2})) == (False, True, True, True, False)


def test_copy_makes_another_container():
    items, table = List([1]), typed.Dict({1: 2})
    copies = copy.copy(items), copy.copy(table)
    items.append(2)
    table[3] = 4
    assert list(copies[0]) == [1]
    assert copies[1] == {1: 2}


def test_a_function_names_types_of_arrays():
    @njit
    def made(n):
        rows = List.empty_list(types.int32[::1])
        tables = List.empty_list(types.float64[:, ::1])
        columns = List.empty_list(types.float64[::1, :])
        strided = List.empty_list(types.float64[:])
        rows.append(np.arange(n).astype(np.int32))
        tables.append(np.ones((n, 2)))
        columns.append(np.ones((n, 2)).T)
        strided.append(np.arange(6.0)[::2])
        return rows, tables, columns, strided

    rows, tables, columns, strided = made(3)
    assert rows[0].dtype == np.int32 and rows[0].tolist() == [0, 1, 2]
    assert tables[0].shape == (3, 2) and columns[0].shape == (2, 3)
    assert strided[0].tolist() == [0, 2, 4]


def test_lists_in_typed_containers():
    @njit
    def rows(n):
        made = List()
        for i in range(n):
            made.append([i] * i)
        return made

    @njit
    def change(lists):
        lists[1].append(7)
        row = lists[2]
        row[0] = 100
        return len(lists[1])

    @njit
    def table():
        made = typed.Dict()
        made["a"] = [1.0, 2.0]
        made["b"] = [3.0]
        made["a"].append(4.0)
        return made

    made = rows(4)
    assert list(made) == [[], [1], [2, 2], [3, 3, 3]]
    assert change(made) == 2
    assert made[1] == [1, 7]
    assert made[2] == [100, 2]
    assert dict(table()) == {"a": [1.0, 2.0, 4.0], "b": [3.0]}
    floats = List.empty_list(types.List(types.float64))
    given = [1.0, 2.0]
    floats.append(given)
    given.append(3.0)
    floats.append([3.5])
    floats[0] = [9.0]
    assert floats.pop() == [3.5]
    assert list(floats) == [[9.0]]
    arrays = List()
    arrays.append([np.arange(3), np.arange(2)])
    assert arrays[0][1].tolist() == [0, 1]


def test_an_eager_signature_names_a_typed_list_of_lists():
    of_lists = types.ListType(types.List(types.int64))

    @njit([types.Tuple((of_lists, types.int64))(types.int64)])
    def made(n):
        rows = List()
        rows.append([n, n])
        return rows, n

    rows, n = made(2)
    assert list(rows) == [[2, 2]]
    assert n == 2


def test_typed_lists_hold_lists_of_tuples():
    @njit
    def smallest(heaps):
        out = []
        for heap in heaps:
            heappush(heap, (0.5, 7))
            while len(heap) > 1:
                out.append(heappop(heap)[1])
        return out

    heaps = List()
    for k in range(3):
        heaps.append([(float(i), k + i) for i in range(3)])
    assert smallest(heaps) == [0, 7, 1, 1, 7, 2, 2, 7, 3]
    assert list(heaps) == [[(2.0, 2)], [(2.0, 3)], [(2.0, 4)]]


def test_tuples_in_lists_in_a_typed_list_hold_arrays():
    @njit
    def grow(rows):
        rows[0].append((9, np.ones(2, np.int64)))
        rows.append([(1, rows[0][0][1][1:])])

    rows = List()
    rows.append([(i, np.arange(i + 2)) for i in range(3)])
    grow(rows)
    assert [len(row) for row in rows] == [4, 1]
    assert [(n, a.tolist()) for n, a in rows[0]][2:] == [(2, [0, 1, 2, 3]), (9, [1, 1])]
    assert rows[1][0][1].tolist() == [1]


@pytest.mark.parametrize(
    "element",
    [
        "List.empty_list(types.int64)",
        "Dict.empty(types.unicode_type, types.float64)",
        "np.zeros((2, 2))",
        "1.5",
        "'text'",
        "(1, 'x')",
    ],
)
def test_the_type_of_items_may_be_given_by_a_value(element):
    names = {"List": List, "Dict": typed.Dict, "types": types, "np": np}

    @njit
    def list_of(element):
        items = List.empty_list(element)
        items.append(element)
        return items

    element = eval(element, names)
    items = list_of(element)
    assert typeof(items) == types.ListType(typeof(element))
    assert len(items) == 1


def test_dicts_take_the_types_of_values():
    @njit
    def table():
        made = typed.Dict.empty(key_type="unicode_type", value_type=types.float64[:])
        made["a"] = np.ones(2)
        nested = typed.Dict.empty(types.int64, made)
        nested[3] = made
        return nested

    assert table()[3]["a"].tolist() == [1.0, 1.0]


def test_typed_lists_do_not_hold_lists_of_strings():
    with pytest.raises(TypeError, match=r"does not hold list\(unicode_type\)"):
        List.empty_list(types.List(types.unicode_type))


def test_a_typed_container_is_equal_to_nothing_else():
    @njit
    def compared(a, b):
        return a == b, a != b

    items = List([1])
    assert compared(items, 1) == (items == 1, items != 1) == (False, True)
    assert compared("a", items) == (False, True)
    assert compared(typed.Dict.empty(types.int64, types.int64), (1, 2)) == (False, True)


PRICE = np.dtype([("id", "i8"), ("price", "f8")])
price_type = from_dtype(PRICE)


def prices(*rows):
    return np.array(list(rows), PRICE)


def test_a_typed_list_copies_records_and_gives_their_places():
    @njit
    def append_all(items, rows):
        for row in rows:
            items.append(row)
        rows[0].id = 100
        items[1].price = 0.5

    items, rows = List.empty_list(price_type), prices((1, 2.0), (3, 4.0))
    append_all(items, rows)
    assert rows["id"].tolist() == [100, 3]
    assert np.array(items, PRICE).tolist() == [(1, 2.0), (3, 0.5)]
    assert items[0].id == 1 and items[0].dtype.names == PRICE.names


def test_the_program_puts_records_into_a_typed_list():
    items = List(prices((3, 1.0), (1, 2.0)))
    items.insert(0, items[1])
    items[2] = prices((9, 9.0))[0]
    assert [item.id for item in items] == [1, 3, 9]
    items.sort(key=njit(lambda item: -item.id))
    assert [items.pop().id, items.pop(0).id, len(items)] == [1, 9, 1]


def test_tuples_in_typed_lists_hold_records():
    item_type = types.Tuple((types.int64, price_type))

    @njit
    def sums(rows):
        items = List.empty_list(item_type)
        for i in range(1000):
            items.append((i, rows[i % 2]))
            if len(items) > 10:
                items.pop(0)
        total = 0.0
        for i, row in items:
            total += i * row.price
        return total

    assert sums(prices((0, 1.0), (0, 2.0))) == sum(i * (1 + i % 2) for i in range(990, 1000))


def test_an_attribute_of_a_jitclass_is_a_copy_of_a_record():
    @jitclass([("last", price_type)])
    class Book:
        def __init__(self):
            pass

        def put(self, row):
            self.last = row
            self.last.price += 1

    book, rows = Book(), prices((1, 2.0))
    with pytest.raises(AttributeError, match="'last' is not assigned yet"):
        book.last  # noqa: B018
    book.put(rows[0])
    assert book.last.price == 3 and rows[0]["price"] == 2

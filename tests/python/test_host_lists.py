"""Lists in host functions: created, changed, iterated, returned; the owner of their memory."""

import sys

import numpy as np
import pytest

import heddle
from heddle import cuda, njit, prange, types
from heddle.cuda import literal_unroll
from heddle.errors import ArgumentError, TypingError
from heddle.extending import overload, register_jitable
from heddle.typed import List

pytestmark = pytest.mark.usefixtures("everything_is_freed")


# Each is what Python makes of it, too.


def appended(n):
    out = []
    for i in range(n):
        out.append(i * i)
    return out


def literal(n):
    out = [n, 2, 3]
    out[0] += 10
    out[-1] = n * 2
    return out, out[1], out[-2], len(out)


def widened(n):
    out = []
    for i in range(n):
        out.append(i)
        out.append(i / 2)
    return [out[1]], len(out)


def two_names(n):
    a = [n]
    b = a
    b.append(2)
    b = [7]
    return a, b


def tuples(n):
    pairs = [(0, 0.5)]
    for i in range(n):
        pairs.append((i, i / 4))
    total = 0.0
    for i, x in pairs:
        total += i * x
    return pairs, total


def repeated(n):
    zeros = [0] * n
    for i in range(n):
        zeros[i] = i
    return zeros, [1.5, 2] * 2


def methods(n):
    a = [3, 1, 2]
    a.extend([5, 4])
    a.insert(1, 9)
    a.insert(-1, 8)
    a.remove(1)
    last = a.pop()
    first = a.pop(0)
    a.reverse()
    b = a.copy()
    b.sort()
    c = a + b
    c += [n]
    a.clear()
    return a, b, c, first, last, c.count(9), c.index(9)


def slices(n):
    a = [i for i in range(n)]
    return a[1:], a[:-1], a[::2], a[::-1], a[5:1:-2], a[-3:], a[10:], a[2:2]


def comparisons(n):
    a, b = [1, n], [1, 5]
    return a == b, a != b, n in b, 7 not in b, bool(a), not a[2:]


def comprehensions(n):
    i = 7
    squares = [i * i for i in range(n) if i % 2]
    table = [(r, c) for r in range(3) for c in range(r)]
    return squares, table, i, [x + i for x in squares]


def totals(n):
    a = [1.5, 2.5] + [float(i) for i in range(n)]
    return sum(a), min(a), max(a), sum(x * 2 for x in a), sum(a[:0])


def loops(n):
    a, b = [10, 20, 30], [1.0, 2.0, 3.0]
    out = []
    for i, x in enumerate(a):
        out.append(i + x)
    for x, y in zip(a, b):  # noqa: B905 - compiled code has no strict=
        out.append(x * int(y))
    for x in reversed(a):
        out.append(x)
    while a:
        out.append(a.pop())
    return out


def primes(n):
    found = []
    for candidate in range(2, n):
        is_prime = True
        for p in found:
            if p * p > candidate:
                break
            if candidate % p == 0:
                is_prime = False
                break
        if is_prime:
            found.append(candidate)
    return found


def bools_and_complex(n):
    return [n > 3, n > 9], [1j, n + 0j]


def nested(n):
    rows = [[i * k for k in range(i)] for i in range(1, n)]
    rows.append([7])
    rows[0] = rows[2]
    rows[0].append(-1)
    first = rows[1]
    last = rows.pop()
    rows.insert(1, last)
    rows.reverse()
    total = 0
    for i, row in enumerate(rows):
        for x in row:
            total += x * i
    swapped = rows[:2] + rows[1:]
    swapped[0], swapped[1] = swapped[1], swapped[0]
    return rows, total, swapped, first, rows[0] == rows[1], [1] in rows, [[1]] * 2


def lists_of_tuples_of_lists(n):
    groups = [([i], i / 2) for i in range(n)]
    for members, weight in groups:
        members.append(int(weight))
    for members, x in zip([a for a, w in groups], range(n)):
        members.append(x)
    return groups, [len(a) for a, w in reversed(groups)]


def an_item_outlives_its_list(n):
    kept = [0]
    for i in range(n):
        rows = [[i, k] for k in range(3)]
        kept = rows[i % 3]
        rows[i % 3] = [9]
        rows.pop()
    return kept


def deep(n):
    cube = [[[i + j + k for k in range(2)] for j in range(2)] for i in range(n)]
    cube[0][1][0] = 50
    plane = cube[n - 1]
    cube.clear()
    return plane, len(cube)


PROGRAMS = [
    *(appended, literal, widened, two_names, tuples, repeated, methods, slices, comparisons),
    *(comprehensions, totals, loops, primes, bools_and_complex),
    *(nested, lists_of_tuples_of_lists, an_item_outlives_its_list, deep),
]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_lists_are_python_s(function):
    assert njit(function)(6) == function(6)


def widened_by_append(n):
    out = [n]
    for _ in range(3):
        out.append(out[-1] / 4)
    return out


def widened_by_insert(n):
    out = [n, 1]
    out.insert(0, n / 4)
    return out


def widened_by_extend(n):
    out = [n]
    out.extend([0.5, n / 4])
    return out


def widened_by_another_name(n):
    out = [n]
    same = out
    same.append(n / 4)
    return out


@pytest.mark.parametrize(
    "function",
    [widened_by_append, widened_by_insert, widened_by_extend, widened_by_another_name],
    ids=lambda f: f.__name__,
)
def test_a_list_of_integers_becomes_one_of_the_floats_that_it_gets(function):
    assert njit(function)(6) == function(6)


def test_a_list_of_floats_becomes_one_of_the_complex_numbers_that_it_gets():
    @njit
    def f(x):
        out = [1.5]
        out.append(x)
        return out

    assert f(5j) == [1.5, 5j]


def test_a_list_becomes_an_array():
    @njit
    def arrays(a):
        squares = np.array([x * x for x in a])
        single = np.array([i for i in range(3)], dtype=np.float32)
        return squares, single

    squares, single = arrays(np.arange(4.0))
    np.testing.assert_array_equal(squares, [0, 1, 4, 9])
    np.testing.assert_array_equal(single, np.arange(3, dtype=np.float32))
    assert single.dtype == np.float32


def test_a_list_of_lists_becomes_an_array():
    @njit
    def table(n, columns):
        return np.array([[i * k for k in range(columns)] for i in range(n)])

    assert table(3, 2).tolist() == [[0, 0], [0, 1], [0, 2]]
    assert table(0, 2).shape == (0, 0)


def test_lists_and_arrays_become_the_rows_of_an_array():
    @njit
    def tables(n):
        a, b = [1], [2.5]
        for i in range(n):
            a.append(i)
            b.append(i / 2)
        rows = np.arange(n + 1)
        return np.array([a, b]), np.array((b, rows), np.float32), np.array([a, [7, 8, n]])

    mixed, converted, literal = tables(2)
    np.testing.assert_array_equal(mixed, [[1, 0, 1], [2.5, 0, 0.5]])
    np.testing.assert_array_equal(converted, np.array([[2.5, 0, 0.5], [0, 1, 2]], np.float32))
    assert converted.dtype == np.float32 and literal.tolist() == [[1, 0, 1], [7, 8, 2]]


def test_rows_of_an_array_have_one_length():
    with pytest.raises(ValueError, match="different shapes"):
        njit(lambda a, b: np.array([a, b]))([1], [1, 2])


def test_a_function_takes_and_changes_a_list():
    @njit
    def add_to(out, n):
        out.append(n)
        return out

    @njit
    def caller(n):
        out = [n]
        add_to(out, 2)
        more = add_to(add_to(out, 3), 4)
        return more, len(out)

    assert caller(1) == ([1, 2, 3, 4], 4)


def test_narrow_numbers_keep_their_values():
    @njit
    def narrow(a):
        out = [a[0]]
        for x in a[1:]:
            out.append(x)
        return out

    assert narrow(np.array([-1, 127, -128], np.int8)) == [-1, 127, -128]
    assert narrow(np.array([255, 1], np.uint8)) == [255, 1]
    assert narrow(np.array([0.1], np.float32)) == [np.float32(0.1)]


def test_a_list_of_each_round_of_a_parallel_loop():
    @njit(parallel=True)
    def divisors(out):
        for i in prange(out.size):
            found = []
            for d in range(1, i + 1):
                if i % d == 0:
                    found.append(d)
            out[i] = len(found)

    out = np.zeros(50, np.int64)
    divisors(out)
    assert list(out[:13]) == [0, 1, 2, 2, 3, 2, 4, 2, 4, 3, 4, 2, 6]


@pytest.mark.parametrize("index", [3, -4])
def test_an_index_outside_of_a_list_raises(index):
    @njit
    def item(i):
        return [1, 2, 3][:][i]

    @njit
    def store(i):
        a = [1, 2, 3]
        a[i] = 1

    for function in (item, store):
        with pytest.raises(IndexError, match="list index out of range"):
            function(index)


def test_exceptions_of_methods():
    @njit
    def wrong(which):
        a = [1]
        if which == 0:
            a.remove(2)
        elif which == 1:
            a.pop()
            a.pop()
        elif which == 2:
            a.pop(5)
        return max(a[1:])

    for which, kind in enumerate([ValueError, IndexError, IndexError, ValueError]):
        with pytest.raises(kind):
            wrong(which)


def test_a_list_holds_arrays():
    @njit
    def arrays(a, n):
        out = [a]
        for i in range(n):
            out.append(np.full(i + 1, i))
        out[1] = out[2] + 1
        a[0] = -1
        total = 0
        for x in out:
            total += x.sum()
        return out, total, out.pop(), out[1]

    a = np.arange(3)
    out, total, last, second = arrays(a, 3)
    assert [x.tolist() for x in out] == [[-1, 1, 2], [2, 2], [1, 1]]
    assert (total, last.tolist(), second.tolist()) == (2 + 4 + 2 + 6, [2, 2, 2], [2, 2])
    assert out[0] is a


def test_arrays_in_lists_are_freed_where_an_exception_passes():
    @njit
    def wrong(n):
        rows = [[np.zeros(n)] for _ in range(3)]
        rows[1].append(np.ones(2))
        if n > 2:
            raise ValueError(len(rows))
        return rows

    @njit
    def caught(n):
        try:
            return len(wrong(n))
        except Exception:
            return -1

    with pytest.raises(ValueError, match="3"):
        wrong(3)
    assert (caught(3), caught(1)) == (-1, 3)


# As arguments


def changed(values, n):
    values.append(n)
    values[0] += n
    return values


def test_a_list_of_the_program_is_read_and_changed():
    compiled = njit(changed)
    for values in ([1, 2], [0.5], [1j, 2]):
        expected = [type(values[0])(x) for x in values]
        values = list(expected)
        result = compiled(values, 3)
        assert result is values
        assert values == changed(expected, 3)


def test_a_list_that_is_not_changed_stays_as_it_was():
    @njit
    def total(pairs):
        out = 0.0
        for n, x in pairs:
            out += n * x
        return out, pairs[1:], (pairs, 1)

    pairs = [(1, 0.5), (2, 0.25)]
    first = pairs[0]
    out, rest, (same, _) = total(pairs)
    assert (out, rest) == (1.0, [(2, 0.25)])
    assert same is pairs and pairs[0] is first


def test_items_that_stay_in_a_list_keep_their_objects():
    @njit
    def changed(arrays, texts, pairs):
        arrays.append(np.zeros(1))
        arrays.reverse()
        texts[0] = texts[1] + "!"
        pairs.insert(0, (0, arrays[0]))

    first, second, text = np.ones(2), np.ones(3), "".join(["a", "text"])
    arrays, texts, pairs = [first, second], ["gone", text], [(1, first)]
    pair = pairs[0]
    changed(arrays, texts, pairs)
    assert arrays[1] is second
    assert arrays[2] is first
    assert texts[0] == "atext!"
    assert texts[1] is text
    assert pairs[1] is pair


def test_one_list_may_be_two_arguments():
    @njit
    def both(a, b):
        a.append(1.0)
        return len(b)

    values = [0.0]
    assert both(values, values) == 2
    assert values == [0.0, 1.0]


def test_a_list_keeps_what_was_done_before_an_exception():
    @njit
    def f(values):
        values.append(1)
        raise ValueError

    values = [0]
    with pytest.raises(ValueError):
        f(values)
    assert values == [0, 1]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([], "an empty list does not tell the type"),
        ([1, 2.5], "elements are int64 and float64"),
        ([[1]], "it holds lists"),
        ([{1: 2}], "dict"),
    ],
    ids=repr,
)
def test_other_lists_are_refused_as_arguments(values, message):
    with pytest.raises(ArgumentError, match=message):
        njit(len_of)(values)


def len_of(values):
    return len(values)


def test_an_error_about_an_item_names_the_argument_that_holds_it():
    @njit
    def f(factor, values):
        return factor

    message = r"argument 2 \(values\) of f\(\) holds a value of type object; jitted functions take"
    with pytest.raises(ArgumentError, match=message):
        f(2, [object()])


def test_a_list_of_empty_tuples_is_an_argument():
    assert njit(len_of)([(), (), ()]) == 3


def test_device_arrays_in_a_list_are_read_after_the_kernels_that_write_them(cpu):
    @cuda.jit
    def fill(x):
        cuda.nanosleep(100_000_000)
        x[cuda.grid(1)] = 7

    total = njit(lambda arrays: arrays[0].sum())
    stream = cuda.stream()
    x = cuda.to_device(np.zeros(4, np.int32))
    assert total([x]) == 0
    fill[1, 4, stream](x)
    assert total([x]) == 28


# Rejected code


def sorted_ways(values):
    a = sorted(values)
    a.sort(reverse=True)
    b = sorted(values, key=lambda v: v % 3)
    b.sort(key=lambda v: v % 5, reverse=True)
    return a, b, sorted(values, reverse=True), sorted(values, key=None), sorted((3, 1, 2))


def test_lists_are_sorted_by_keys_and_in_reverse():
    for values in ([5, 3, 9, 3, 7, 12, 6, 1], [4], [2, 2]):
        assert njit(sorted_ways)(values) == sorted_ways(values)
    array = np.array([5, 3, 9, 3, 7])
    assert njit(sorted_ways)(array) == sorted_ways(array.tolist())
    words = ["pear", "fig", "apple", "éclair", "kiwi"]
    by_length = njit(lambda words: sorted(words, key=lambda word: -len(word)))
    assert by_length(words) == sorted(words, key=lambda word: -len(word))


def sorted_without_a_key(values):
    values.sort(key=None)
    return values, sorted(values, key=None, reverse=True)


def test_lists_are_sorted_without_a_key():
    assert njit(sorted_without_a_key)([3, 1, 2]) == ([1, 2, 3], [3, 2, 1])


def test_the_extremes_of_a_text_and_the_sum_of_complex_numbers():
    found = njit(lambda text, numbers: (min(text), max(text), sum(numbers)))
    assert found("hello", (1, 2, 3j)) == ("e", "o", 3 + 3j)


def splits(a, n):
    return np.array_split(a, n), np.array_split(a, (1, 3)), np.split(a, 2), np.split(a, [2, 20])


@pytest.mark.parametrize("shape", [(6,), (10,), (0,), (4, 3)], ids=str)
def test_arrays_are_split(shape):
    a = np.arange(np.prod(shape)).reshape(shape)
    for n in (1, 3, 20):
        for found, expected in zip(njit(splits)(a, n), splits(a, n), strict=True):
            assert [part.tolist() for part in found] == [part.tolist() for part in expected]
    with pytest.raises(ValueError, match="equal division"):
        njit(splits)(np.zeros(5), 1)


def message_of(function):
    with pytest.raises(heddle.CompileError) as caught:
        njit(function)()
    return str(caught.value)


def test_a_list_of_nothing_known():
    def empty():
        a = []
        return len(a)

    message = message_of(empty)
    assert "the type of the items of this list is not known" in message and "a = []" in message


def test_a_list_has_one_type():
    def mixed():
        a = [1]
        a.append((1, 2))

    assert "cannot append" in message_of(mixed)

    def appended():
        a = [1, (2, 3)]
        a.append(1)

    assert "cannot hold both" in message_of(appended)


def test_a_list_of_modules():
    def modules():
        a = [np, np]
        return len(a)

    message = "lists hold numbers, strings, arrays, lists and tuples of these, not object"
    assert message in message_of(modules)


def test_kernels_have_no_lists():
    @heddle.cuda.jit
    def kernel(a):
        b = [i for i in range(3)]
        a[0] = b[0]

    with pytest.raises(heddle.UnsupportedError, match="list comprehensions are not supported"):
        kernel[1, 1](np.zeros(1))


def shortened(n):
    rows = [[float(i)] for i in range(n)]
    total = 0.0
    for row in rows:
        total += row[0]
        rows.pop()
    return total, len(rows)


def lengthened(n):
    values = [n]
    for value in values:
        if value > 0:
            values.append(value - 1)
    return values


def shortened_pairs(n):
    values, total = list(range(n)), 0
    for i, value in enumerate(values):
        total += i * value
        values.pop()
    return total, values


@pytest.mark.parametrize("function", [shortened, lengthened, shortened_pairs])
def test_a_loop_sees_what_its_rounds_do_to_the_list(function):
    assert njit(function)(10) == function(10)


def test_what_is_put_into_a_slice_of_lists_is_no_item_of_theirs():
    @njit
    def rows(n, row):
        made = [[b for b in range(a)] for a in range(n)][:2]
        made.append(row[:])
        return made

    assert rows(4, [7, 8]) == [[], [0], [7, 8]]


@njit
def without_slices(n):
    x = list(range(n))
    del x[2:5]
    y = x[:]
    del y[::3]
    z = x[:]
    del z[-1:0:-2]
    return x, y, z


@pytest.mark.parametrize("n", [0, 1, 4, 12])
def test_slices_are_deleted(n):
    assert without_slices(n) == without_slices.py_func(n)


@njit
def with_slices(x):
    x[1:3] = [7, 8, 9]
    x[::2] = [0] * len(x[::2])
    x[2:2] = x
    return x


def test_slices_are_assigned():
    assert with_slices([1, 2, 3, 4, 5]) == with_slices.py_func([1, 2, 3, 4, 5])

    @njit
    def wrong(x):
        x[::2] = [1]

    with pytest.raises(ValueError, match="cannot resize extended list slice"):
        wrong([1, 2, 3])


@njit
def ordered(a, b):
    return a < b, a <= b, a > b, a >= b


@pytest.mark.parametrize("b", [[1, 2], [1, 3], [1], [1, 2, 0], [0, 9]])
def test_lists_are_ordered_by_their_first_difference(b):
    assert ordered([1, 2], b) == ordered.py_func([1, 2], b)


@njit
def identities():
    a = [1, 2]
    b, c = a, a[:]
    return a is b, a is not b, a is c, 3 * c


def test_lists_are_the_same_or_equal():
    assert identities() == (True, False, False, [1, 2, 1, 2, 1, 2])


@njit
def places(x, v):
    return x.index(v, 1), x.index(v, -3), x.index(v, 1, 4)


def test_an_item_is_found_from_a_place_on():
    assert places([5, 3, 5, 5, 1], 5) == (2, 2, 2)
    with pytest.raises(ValueError, match="not in list"):
        places([5, 3, 4], 5)


# Lists of arrays


@njit
def scaled(arrays, by):
    for i in range(len(arrays)):
        arrays[i][:] *= by
    return arrays[0]


def test_a_list_of_arrays_is_passed():
    arrays = [np.arange(3.0), np.ones(5)]
    first = scaled(arrays, 3.0)
    assert arrays[1].tolist() == [3.0] * 5
    first[0] = 9  # the same memory
    assert arrays[0].tolist() == [9.0, 3.0, 6.0]


def test_a_list_of_arrays_gets_what_a_function_puts_there():
    @njit
    def changed(arrays):
        arrays.append(np.ones(2))
        arrays[0] = arrays[1]

    arrays = [np.zeros(1), np.full(3, 2.0)]
    changed(arrays)
    assert [a.tolist() for a in arrays] == [[2.0] * 3, [2.0] * 3, [1.0] * 2]


def test_lists_let_their_arrays_go():
    @njit
    def failing(arrays):
        kept = arrays[0]
        if len(arrays) > 1:
            raise ValueError("two")
        return kept

    array = np.ones(4)
    before = sys.getrefcount(array)
    for _ in range(10):
        scaled([array], 1.0)
        with pytest.raises(ValueError, match="two"):
            failing([array, array])
        failing([array])
    assert sys.getrefcount(array) == before


def test_a_list_of_values_of_several_types():
    """numba's literal lists: each item has its own type."""

    @njit
    def values(k):
        mixed = [1, "ab", np.ones(3), 2.5]
        total = mixed[0] + len(mixed[1]) + mixed[2].sum() + mixed[-1] + len(mixed)
        for item in [np.ones(2), np.ones((2, 2))]:
            total += item.sum()
        return total, isinstance(mixed, list), mixed[1:2], [k, "c"]

    assert values(4) == values.py_func(4)
    assert type(values(4)[3]) is list
    assert njit(lambda k: ["b", (1, 2)] if k else ["a", (3, 4)])(0) == ["a", (3, 4)]


def test_methods_that_literal_lists_have_not_are_refused():
    @njit
    def index():
        return ["a", 1, "b"].index("a")

    with pytest.raises(TypingError, match="no attribute 'index'") as error:
        index()
    assert "hint: a list with items of several types is read-only" in str(error.value)

    @njit
    def wrong():
        return [1, "a"].nothing

    with pytest.raises(TypingError, match="no attribute 'nothing'"):
        wrong()


def test_a_list_is_extended_by_the_characters_of_a_string():
    @njit
    def f(text):
        typed, own = List(), ["x"]
        typed.extend(text)
        own.extend(text)
        return typed, own

    typed, own = f("abé")
    assert list(typed) == ["a", "b", "é"] and own == ["x", "a", "b", "é"]


def test_literal_unroll_of_a_list():
    @njit
    def total():
        result = 0.0
        for item in literal_unroll([1, 2.5, 3j]):
            result += abs(item)
        names = ["ab", 7]
        for item in literal_unroll(names):
            result += item if isinstance(item, int) else len(item)
        return result

    @njit
    def appended(n):
        items = [1, 2]
        items.append(n)
        for item in literal_unroll(items):
            n += item
        return n

    assert total() == 15.5
    with pytest.raises(TypingError, match="takes a tuple"):
        appended(1)


def looked_up(n):
    known = {1: 2.0}
    return [known.get(i) for i in range(n)]


def put_none(n):
    out = []
    for i in range(n):
        out.append("odd" if i % 2 else None)
    out[0] = "first"
    out[1] = None
    return out, [x is None for x in out], [x for x in out if x is not None]


@pytest.mark.parametrize("function", [looked_up, put_none])
def test_items_may_be_none(function):
    assert njit(function)(5) == function(5)


def test_arrays_in_a_list_may_be_none():
    @njit
    def f(n):
        out = []
        for i in range(n):
            out.append(np.full(i, i) if i % 2 else None)
        out[0] = out[n - 1]
        return out, out[1]

    items, one = f(4)
    assert [None if x is None else x.tolist() for x in items] == [[3, 3, 3], [1], None, [3, 3, 3]]
    assert one.tolist() == [1]


def test_a_list_of_numbers_takes_a_value_that_may_be_none():
    @njit
    def f(key):
        out = [1.5]
        out.append({1: 2.0}.get(key))
        return out

    assert f(1) == [1.5, 2.0]
    with pytest.raises(TypeError, match="expected float64, got None"):
        f(2)


def test_a_tuple_with_what_may_be_none_is_appended_to_tuples_of_values():
    @njit
    def f(n):
        known = {0: 1.5, 2: 2.5}
        out = [(-1, 0.0)]
        for k in range(n):
            item = (k, known.get(k))
            if item[1] is not None:
                out.append(item)
        out.append((n, known.get(n)))
        return out

    assert f(2) == [(-1, 0.0), (0, 1.5), (2, 2.5)]
    with pytest.raises(TypeError, match="expected float64, got None"):
        f(3)


def bytes_in_a_list(a):
    found = [x for x in a]
    found.append(a[1])
    return found, len(found), found[0] == a[2], found.count(a[0]), found.index(a[1])


def test_bytes_of_arrays_are_items():
    a = np.array([b"ab", b"c", b"ab", b"of eleven ch"])
    assert njit(bytes_in_a_list)(a) == bytes_in_a_list(a)


@register_jitable
def extended(items):
    items.append(5)
    return items


def length(items):
    raise NotImplementedError


@overload(length)
def length_of_list(items):
    return (lambda items: len(items)) if isinstance(items, types.List) else None


def test_functions_of_the_program_get_lists_where_lists_are_written():
    @njit
    def f():
        return extended([1, 2]), length([1, 2]), isinstance([1, 2], list)

    assert f() == ([1, 2, 5], 2, True)


def test_functions_of_a_module_get_lists_where_lists_are_written(tmp_path, monkeypatch):
    text = "from heddle import njit\n\n@njit\ndef extended(x):\n    x.append(5)\n    return x\n"
    (tmp_path / "functions_of_lists.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    import functions_of_lists

    @njit
    def f():
        return functions_of_lists.extended([1, 2])

    assert f() == [1, 2, 5]

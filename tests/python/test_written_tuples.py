"""Assignments of tuple literals: each target gets its value as in a separate statement."""

import pytest

from heddle import njit, types
from heddle.typed import Dict, List


def one_statement():
    out, i = [], 0
    while i < 3:
        out.append(i)
        i += 1
    return out, i


def nested():
    (out, seen), (i, total) = ([], set()), (0, 0.5)
    for k in range(3):
        out.append(i + k)
        seen.add(k * 1.5)
    return out, seen, i, total


def chained():
    pair = out, n = [], 2
    out.append(n)
    return pair, out


def three_containers():
    a, b, c, n = [], {}, set(), 1
    a.append(n)
    b[n] = 2.5
    c.add("x")
    return a, b, c


def swapped():
    a, b = [], {}
    a, b = b, a
    a[1] = 2
    b.append(1.5)
    return a, b


def rotated():
    a, b, c = 1, 2.5, []
    for _ in range(3):
        a, b = b, a
        c.append(a)
    return a, b, c


def assigned_in_an_expression():
    out, n = (pair := ([], 3))
    out.append(n)
    return pair


def in_a_loop():
    all_of_them = []
    for i in range(3):
        row, n = [], i
        while n:
            row.append(n)
            n -= 1
        row.append(0)
        all_of_them.append(row)
    return all_of_them


def in_a_list_of_targets():
    [out, n] = [], 1
    out.append(n)
    return out


@pytest.mark.parametrize(
    "function",
    [
        *(one_statement, nested, chained, three_containers, swapped, rotated),
        *(assigned_in_an_expression, in_a_loop, in_a_list_of_targets),
    ],
    ids=lambda function: function.__name__,
)
def test_a_written_tuple_is_assigned_element_by_element(function):
    assert njit(function)() == function()


def test_typed_containers_take_their_types_from_later_statements():
    @njit
    def f(n):
        out, table, i = List(), Dict.empty(types.int64, types.float64), 0
        while i < n:
            out.append(i)
            table[i] = i / 2
            i += 1
        return out, table

    out, table = f(3)
    assert list(out) == [0, 1, 2] and dict(table) == {0: 0.0, 1: 0.5, 2: 1.0}


def test_a_tuple_of_another_length_is_still_refused():
    def f():
        a, b = 2, 0, 1
        return a, b

    with pytest.raises(Exception, match="too many values|unpack|3"):
        njit(f)()

"""Sets in host functions."""

import numpy as np
import pytest

from heddle import njit
from heddle.errors import ArgumentError, TypingError

pytestmark = pytest.mark.usefixtures("everything_is_freed")


# Each is what Python makes of it, too.


def literals(n):
    s = {1, 2, n}
    t = set()
    for i in range(n):
        t.add(i % 3)
    return s, t, len(s), 2 in s, 9 not in s, bool(s), not set(t)


def changed(n):
    s = {i * 5 for i in range(n)}
    s.add(3)
    s.add(3)
    s.discard(0)
    s.discard(99)
    s.remove(5)
    one = s.copy()
    while len(s) > 2:
        item = s.pop()
        one.discard(item)
    return s == one, len(one)


def many(n):
    s = set()
    for i in range(100 * n):
        s.add((i * 7919) % 1009)
        if i % 3 == 0:
            s.discard((i * 7) % 1009)
    return s, sum(s), min(s), max(s), sorted(s)


def operators(n):
    a, b = {i for i in range(n)}, {i for i in range(0, 2 * n, 2)}
    return a | b, a & b, a - b, a ^ b, a <= b, a < b, a >= (a & b), a > (a & b), a == b, a != b


def methods(n):
    a, b = {i for i in range(n)}, {2, 3, 50}
    found = (a.union(b), a.intersection(b), a.difference(b), a.symmetric_difference(b))
    more = (a.union([7, 8]), a.intersection(range(3)), a.difference((1, 2)))
    asked = (a.issubset(b), a.issuperset({1, 2}), a.isdisjoint(b), a.isdisjoint([99]))
    return found, more, asked


def in_place(n):
    a, b = {i for i in range(n)}, {2, 3, 50}
    c, d, e, f = a.copy(), a.copy(), a.copy(), a.copy()
    same = c
    c |= b
    d &= b
    e -= b
    f ^= b
    a.update(b)
    g, h, i = a.copy(), a.copy(), a.copy()
    g.intersection_update(b)
    h.difference_update([2])
    i.symmetric_difference_update({1})
    return a, c, d, e, f, g, h, i, same


def of_iterables(n):
    a = [1, 2, 2, n]
    return set(a), set(range(n)), set((1.5, 2.5)), {(i, i / 2) for i in a}, set({1: 2})


def loops(n):
    total = 0
    for x in {i * i for i in range(n)}:
        total += x
    s = {1, 2, 3, n}
    for x in sorted(s):
        s.discard(x)
    counts = {0}
    for i, _ in enumerate({i for i in range(n)}):
        counts.add(i)
    return total, s, counts, sorted([x for x in {n, 1}])


def held(n):
    neighbours = [{(i + 1) % n} for i in range(n)]
    for i in range(n):
        neighbours[(i * 2) % n].add(i)
    by_size = {}
    for s in neighbours:
        if len(s) not in by_size:
            by_size[len(s)] = set()
        by_size[len(s)].add(min(s))
    return neighbours, by_size


PROGRAMS = [literals, changed, many, operators, methods, in_place, of_iterables, loops, held]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_sets_are_python_s(function):
    assert njit(function)(7) == function(7)


def test_breadth_first_search():
    @njit
    def reached(edges, start):
        seen, frontier = {start}, {start}
        while frontier:
            after = set()
            for a, b in edges:
                if a in frontier and b not in seen:
                    after.add(b)
            seen |= after
            frontier = after
        return seen

    edges = np.array([[0, 1], [1, 2], [3, 4], [2, 0]])
    assert reached([(0, 1), (1, 2), (3, 4), (2, 0)], 0) == {0, 1, 2}
    assert reached(edges, 3) == {3, 4}


def test_a_missing_item_raises():
    @njit
    def remove(n):
        {1, 2}.remove(n)

    @njit
    def pop(n):
        s = {n}
        s.pop()
        s.pop()

    with pytest.raises(KeyError) as error:
        remove(5)
    assert error.value.args == (5,)
    with pytest.raises(KeyError, match="pop from an empty set"):
        pop(5)


def test_a_set_is_an_argument_and_changed_in_place():
    @njit
    def change(s, words):
        s.add(99)
        s.discard(1)
        return s, len(words), "b" in words

    numbers = {1, 2}
    same, count, known = change(numbers, {"a", "b"})
    assert same is numbers
    assert (numbers, count, known) == ({2, 99}, 2, True)


def test_a_set_is_changed_also_by_a_function_that_raises():
    @njit
    def fail(s):
        s.add((7, 2.5))
        raise ValueError("no")

    pairs = {(1, 1.5)}
    with pytest.raises(ValueError, match="no"):
        fail(pairs)
    assert pairs == {(1, 1.5), (7, 2.5)}


def test_one_set_may_be_two_arguments():
    @njit
    def grow(a, b):
        for n in range(1000):
            a.add(n)
        return len(b), a | b, a & {3}

    s = {1}
    assert grow(s, s) == (1000, set(range(1000)), {3})
    assert s == set(range(1000))


def test_sets_of_which_the_type_is_not_known_are_refused():
    @njit
    def count(s):
        return len(s)

    with pytest.raises(
        ArgumentError, match=r"argument 1 \(s\) of count\(\) holds a value .* object;"
    ):
        count({object()})
    with pytest.raises(ArgumentError, match="an empty set does not tell the type"):
        count(set())
    with pytest.raises(ArgumentError, match="its elements are"):
        count({1, "a"})


def test_what_a_set_cannot_hold_is_an_error():
    def lists(n):
        return {[n]}

    def untyped(n):
        return set()

    def indexed(n):
        s = {n}
        return s[0]

    for function, message in [
        (lists, "the items of a set are numbers"),
        (untyped, "the type of what this set will hold is not known"),
        (indexed, "a set has no items by index"),
    ]:
        with pytest.raises(TypingError, match=message):
            njit(function)(1)

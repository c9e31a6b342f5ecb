"""Host functions that choose one of several functions at run time."""

import math
from collections import namedtuple

import numpy as np
import pytest

from heddle import cfunc, njit, types
from heddle.errors import TypingError


@njit
def increased(x):
    return x + 1


@njit
def scaled(x):
    return x * 2.5


@njit
def checked(x):
    if x > 2:
        raise ValueError("too large")
    return x


@cfunc("int64(int64)")
def from_c(x):
    return x - 7


class Wrapper(types.WrapperAddressProtocol):
    def __wrapper_address__(self):
        return from_c._wrapper_address

    def signature(self):
        return types.int64(types.int64)


def agrees(function, *arguments):
    """Compare the compiled function with Python."""
    expected, got = function.py_func(*arguments), function(*arguments)
    assert got == expected and type(got) is type(expected)


@pytest.mark.parametrize("left", [True, False])
def test_a_variable_is_one_of_two_functions(left):
    @njit
    def call(f, g, left):
        h = f if left else g
        return h(3) + h(1.5)

    agrees(call, increased, scaled, left)


@pytest.mark.parametrize("rounds", range(5))
def test_a_loop_changes_which_function_it_calls(rounds):
    @njit
    def call(rounds):
        f, x = increased, 1.0
        for _ in range(rounds):
            x = f(x)
            f = scaled if f is increased else increased
        return x, f == scaled, f is not scaled

    agrees(call, rounds)


def test_an_index_chooses_among_a_tuple_of_functions():
    @njit
    def call(functions, n):
        total = 0.0
        for i in range(n):
            total += functions[i % len(functions)](total) + functions[-1](i)
        return total

    agrees(call, (increased, scaled, increased), 7)
    with pytest.raises(IndexError):
        njit(lambda functions, i: functions[i](1))((increased, scaled), 2)


def test_a_function_is_returned():
    @njit
    def chosen(left):
        if left:
            return increased
        return scaled

    @njit
    def call(left, x):
        return chosen(left)(x)

    assert chosen(True) is increased and chosen(False) is scaled
    assert call(True, 2.0) == 3.0 and call(False, 2.0) == 5.0
    assert njit(lambda f: f)(increased) is increased
    assert njit(lambda: (from_c, types.float32, 1))() == (from_c, np.float32, 1)


@pytest.mark.parametrize("k", range(2))
def test_functions_of_c_and_of_the_library(k):
    wrapper = Wrapper()

    @njit
    def call(k, x):
        f = math.sin if k else math.cos
        g = from_c if k else increased
        h = np.sum if k else np.max
        return f(x), g(3), h(np.array([1.0, 2.0])), (float if k else int)(x)

    agrees(call, k, 0.5)
    assert njit(lambda f, g, k: (f if k else g)(1))(wrapper, increased, k) == (-6 if k else 2)


@pytest.mark.parametrize("k", range(2))
def test_none_or_a_function(k):
    @njit
    def call(k, x):
        f = None
        if k:
            f = increased
        return f(x) if f is not None else -x

    agrees(call, k, 4)

    @njit
    def without_a_test(k):
        f = increased if k else None
        return f(1)

    if k:
        assert without_a_test(k) == 2
    else:
        with pytest.raises(TypeError):
            without_a_test(k)


@pytest.mark.parametrize("k", range(3))
def test_lists_and_dicts_hold_functions(k):
    @njit
    def call(k):
        functions = [increased]
        functions.append(scaled)
        functions.append(checked)
        by_name = {"a": increased, "b": scaled}
        by_name["c"] = checked
        made = []
        for i in range(3):
            made.append(scaled if i % 2 else increased)
        total = 0.0
        for f in made:
            total += f(total)
        functions[0] = by_name["b"]
        return functions[k](1.5), by_name["abc"[k]](2.0), total, len(functions)

    agrees(call, k)
    assert njit(lambda: [increased, scaled])() == [increased, scaled]


@pytest.mark.parametrize("x", [1, 5])
def test_exceptions_of_a_chosen_function(x):
    @njit
    def call(f, x, k):
        g = f if k else increased
        try:
            return g(x)
        except ValueError:
            return -1

    assert call(checked, x, 1) == (1 if x == 1 else -1)
    assert call(checked, x, 0) == x + 1
    njit(lambda k, x: (checked if k else increased)(x))(0, x)
    if x == 5:
        with pytest.raises(ValueError, match="too large"):
            njit(lambda k, x: (checked if k else increased)(x))(1, x)


def test_functions_with_arrays_and_optional_arguments():
    @njit
    def shifted(a, by=10):
        return a + by

    @njit
    def reversed_one(a, by):
        return a[::-1] * by

    @njit
    def call(k, a):
        f = shifted
        for _ in range(k):
            a = f(a, 2)
            f = reversed_one
        return a

    np.testing.assert_array_equal(call(3, np.arange(4)), call.py_func(3, np.arange(4)))


def test_keywords_are_refused():
    with pytest.raises(TypingError, match="takes only positional arguments"):
        njit(lambda k: (increased if k else scaled)(x=1))(1)


def test_other_objects_stay_refused():
    with pytest.raises(TypingError, match="different object on each path"):
        njit(lambda k: (np if k else math).sin(1.0))(1)


Field = namedtuple("Field", "values edges")


def test_functions_are_known_in_tuples_of_a_named_tuple():
    @njit
    def plus(x):
        return x + 1

    @njit
    def minus(x):
        return x - 1

    @njit
    def of_all(edges, values, x):
        return edges[0](x) + edges[1](values[0])

    @njit
    def walk(field, inner):
        numbers, functions = inner.values
        return of_all(field.edges, field.values, 10.0) + of_all(functions, numbers, inner.edges)

    field = Field((1.0,), (plus, minus))
    inner = Field(((5.0, 6.0), (minus, plus)), 100.0)
    assert walk(field, inner) == 11.0 + 0.0 + 99.0 + 6.0

"""numba.literally: functions compiled for the values of their arguments."""

import numpy as np
import pytest

from heddle import njit, prange, types
from heddle.cuda import literally
from heddle.errors import TypingError
from heddle.extending import overload


@njit
def with_literal(x, y):
    return x + literally(y)


@pytest.mark.parametrize("values", [(123, 321, -(1 << 40)), ("abc", "cb123", "ä∂"), (True, False)])
def test_an_argument_is_compiled_for_each_of_its_values(values):
    @njit
    def same(x):
        return literally(x)

    for value in (*values, *values):
        assert same(value) == value
        assert same(x=value) == value
    assert same.signatures == [(types.literal(value),) for value in values]


def test_callers_pass_literals_on():
    @njit
    def call(a, b, c):
        return with_literal(a, b) + with_literal(b, c)

    assert call(a=1, b=2, c=3) == call(1, 2, 3) == 8
    assert call.signatures == [(types.int64, types.literal(2), types.literal(3))]
    assert njit(lambda: with_literal(y=7, x=1))() == 8


def test_literals_in_closures_recursions_and_rounds():
    @njit
    def call(x, k):
        def scaled(y):
            return y * literally(k)

        return scaled(x)

    @njit
    def factorial(n, value):
        if n < 1:
            return literally(value)
        return n * factorial(n - 1, value)

    @njit(parallel=True)
    def fill(a, k):
        for i in prange(len(a)):
            a[i] = literally(k) + i

    assert call(2, 5) == 10 and call(3, 4) == 12
    assert factorial(5, 12) == 1440
    a = np.zeros(4)
    fill(a, 3)
    assert a.tolist() == [3, 4, 5, 6]


def power(x, n):
    raise NotImplementedError


asked = []


@overload(power)
def overload_power(x, n):
    if isinstance(n, types.Literal):
        asked.append(n.literal_value)
        return (lambda x, n: x * x) if n.literal_value == 2 else (lambda x, n: x**n)
    return lambda x, n: literally(n)


def test_an_overload_asks_for_a_literal():
    @njit
    def call(x, n):
        return power(x, n)

    asked.clear()
    assert [call(3, n) for n in (2, 3, 2)] == [9, 27, 9]
    assert set(asked) == {2, 3}
    assert njit(lambda x: power(x, n=2))(5) == 25


def add(x, y):
    raise NotImplementedError


@overload(add)
def overload_add(x, y):
    if isinstance(y, types.Integer):
        return lambda x, y: with_literal(x, y)


def test_an_implementation_passes_the_literal_on():
    @njit
    def call(x, y):
        return add(x, y)

    assert call(1, 2) == 3
    assert call.signatures == [(types.int64, types.literal(2))]


@pytest.mark.parametrize("value", [np.arange(3), 1.5, (1, 2)], ids=str)
def test_other_values_have_no_literals(value):
    with pytest.raises(TypingError, match="literally"):
        with_literal(1, value)


def test_what_is_computed_is_no_literal():
    with pytest.raises(TypingError, match="compile-time constant"):
        njit(lambda a: literally(1 + a))(1)

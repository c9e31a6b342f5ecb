"""isinstance(x, C) and type(x) is C, decided during compilation with the same answers as in Python and numba."""

import collections
import collections.abc
import enum
import numbers

import numpy as np
import pytest

from heddle import TypingError, cuda, njit, types
from heddle.typed import Dict, List

Point = collections.namedtuple("Point", "x y")


class Color(enum.IntEnum):
    RED = 1


class Unrelated:
    pass


values = {
    "int": 1,
    "float": 1.5,
    "complex": 1j,
    "str": "a",
    "bytes": b"abc",
    "tuple": (1, 2),
    "named tuple": Point(1, 2),
    "list": [1],
    "set": {1},
    "None": None,
    "array": np.ones(3),
    "read-only array": np.frombuffer(b"abc", np.uint8),
    "float32": np.float32(1),
    "date": np.datetime64("2020-01-01"),
    "member": Color.RED,
}
classes = [
    *(int, float, complex, str, bytes, tuple, list, dict, set, frozenset, range, slice, object),
    *(enumerate, zip, type(None), np.ndarray, np.float32, np.datetime64, np.str_, np.void),
    *(Point, Color, enum.Enum, Unrelated, collections.OrderedDict, collections.deque),
    *(collections.abc.Sequence, collections.abc.Mapping, collections.abc.Iterable),
    *(numbers.Number, numbers.Integral, numbers.Real, Exception, ValueError),
    *((int, dict), (bytes, str), (int, (float, range)), int | float, list | None),
]


@pytest.mark.parametrize("value", values.values(), ids=values)
def test_isinstance_answers_as_python_does(value):
    def ask(c):
        return njit(lambda x: isinstance(x, c))(value)

    assert [c for c in classes if ask(c)] == [c for c in classes if isinstance(value, c)]


@pytest.mark.parametrize("value", values.values(), ids=values)
def test_the_type_of_a_value_is_its_class(value):
    single = [c for c in classes if isinstance(c, type)]

    def ask(c):
        return njit(lambda x: type(x) is c)(value)

    assert [c for c in single if ask(c)] == [c for c in single if type(value) is c]


def test_isinstance_knows_what_only_functions_make():
    @njit
    def f():
        table, counted = {1: 2}, range(3)
        mixed = {"a": 1, "b": 2.5}
        return (
            (isinstance(table, dict), isinstance(table, (list, dict)), isinstance(table, list)),
            (isinstance(mixed, dict), isinstance(mixed, tuple)),
            (isinstance(counted, range), isinstance(counted, (tuple, range))),
            (isinstance(b"ab", bytes), isinstance(b"ab", np.ndarray)),
            (isinstance(slice(1, 2), slice), isinstance(slice(1, 2), tuple)),
        )

    assert f() == ((True, True, False), (True, False), (True, True), (True, False), (True, False))


@pytest.mark.parametrize(
    ("value", "answer"), [(List([1]), False), (Dict.empty(types.int64, types.int64), True)]
)
def test_a_typed_dict_is_a_dict_as_in_numba(value, answer):
    assert njit(lambda x: isinstance(x, (list, dict)))(value) == answer
    assert njit(lambda x: isinstance(x, (List, Dict)))(value)


def test_types_compare_with_classes_and_with_each_other():
    @njit
    def f(x, y):
        return (
            type(x) == float,
            type(x) != int,
            type(x) in (int, float),
            type(x) not in (str, list),
        ), (
            type(x) is type(y),
            type(y) is int,
            isinstance(y, type(x)),
        )

    assert f(1.5, 2) == ((True, True, True, True), (False, True, False))
    assert f(1, 2) == ((False, False, True, True), (True, True, True))
    assert f("a", 2) == ((False, True, False, False), (False, True, False))


def test_kernels_ask_for_classes_too(device):
    @cuda.jit
    def k(out, pair):
        out[0] = isinstance(out, np.ndarray)
        out[1] = isinstance(pair, (dict, tuple))
        out[2] = type(pair) is tuple
        out[3] = isinstance(pair, (list, range))

    out = np.zeros(4, np.int32)
    k[1, 1](out, (1, 2.5))
    assert out.tolist() == [1, 1, 1, 0]


@pytest.mark.parametrize(
    "what",
    [5, "int", list[int], [int], Unrelated()],
    ids=["number", "string", "generic", "list", "object"],
)
def test_isinstance_refuses_what_is_no_class(what):
    with pytest.raises(TypingError, match="isinstance.. takes a class or a tuple of classes"):
        njit(lambda x: isinstance(x, what))(1)


def test_isinstance_refuses_a_class_that_the_type_does_not_tell():
    with pytest.raises(TypingError, match="isinstance.. takes a class"):
        njit(lambda x: isinstance(x, bytearray))(np.zeros(3, np.uint8))

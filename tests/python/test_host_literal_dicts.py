"""Dicts with values of several types in host functions, read with constant keys."""

import numpy as np
import pytest

from heddle import cuda, njit
from heddle.errors import TypingError


def test_values_of_several_types_are_read_by_known_keys():
    @njit
    def f(n):
        p = {"count": n, "name": "x", "step": 0.5, "values": np.ones(3), "list": [1, 2]}
        return p["count"], p["name"], p["step"], p["values"].sum(), p["list"][1]

    assert f(3) == (3, "x", 0.5, 3.0, 2)


def test_an_integer_beside_a_float_stays_one_and_indexes():
    @njit
    def f(a):
        p = {"at": 2, "scale": 0.5}
        return a[p["at"]] * p["scale"]

    assert f(np.arange(4)) == 1.0


def test_keys_values_and_items_of_a_dict_of_several_types():
    @njit
    def f():
        d = {"a": 1, "b": "xyz"}
        keys = ""
        for key in d:
            keys += key
        for key in d.keys():
            keys += key
        text = ""
        for value in cuda.literal_unroll(d.values()):
            text += str(value)
        for key, value in cuda.literal_unroll(d.items()):
            text += key + str(value)
        return keys, text, len(d), "a" in d, "z" in d, "z" not in d

    assert f() == ("abab", "1xyza1bxyz", 2, True, False, True)


def test_a_function_takes_a_dict_of_several_types():
    @njit
    def area(shape):
        return shape["width"] * shape["height"] if shape["kind"] == "box" else 0.0

    @njit
    def f(w):
        return area({"width": w, "height": 2.5, "kind": "box"})

    assert f(4) == 10.0


def test_the_last_of_equal_keys_counts():
    assert njit(lambda: {"a": 1, "b": 2, "a": "x"}["a"])() == "x"  # noqa: F601


def test_a_dict_of_several_types_is_returned_as_a_dict():
    assert njit(lambda: {"a": 1, "b": "x"})() == {"a": 1, "b": "x"}


def test_numbers_that_are_put_into_a_dict_later_are_of_one_type():
    @njit
    def f(key):
        d = {"a": 1, "b": 2.5}
        d["c"] = 3
        return d[key]

    assert f("a") == 1.0


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda: {"a": 1, "b": "x"}["c"], "Key 'c' is not in dict."),
        (lambda key: {"a": 1, "b": "x"}[key], "must be a constant string"),
    ],
    ids=["missing", "unknown"],
)
def test_a_key_that_is_not_known_is_refused(function, message):
    with pytest.raises(TypingError, match=message):
        njit(function)(*["a"] * function.__code__.co_argcount)


def test_a_dict_of_several_types_is_not_unpacked():
    @njit
    def f():
        a, b = {"a": 1, "b": "x"}
        return a, b

    with pytest.raises(TypingError, match="cannot unpack"):
        f()

"""``hash`` in host functions, and hash tables with colliding keys."""

import enum
import math

import numpy as np
import pytest

from heddle import njit, types
from heddle.typed import Dict

VALUES = [
    *(0, 1, -1, -2, 7, 2**61 - 1, -(2**61 - 1), 2**61, 2**63 - 1, -(2**63)),
    *(0.0, -0.0, 0.5, -1.0, 1e300, -3.25e-300, 5e-324, math.inf, -math.inf, math.pi),
    *(True, 1 + 2j, -1j, 0.5 - 0.25j),
    *((), (1,), (1, 2.5, "ab"), ((1, 2), (3, (4, "é")))),
    *("", "a", "abcdefg", "abcdefgh", "abcdefghi" * 9, "é" * 9, "日本語" * 5, "a😀b" * 3),
]


@njit
def hashed(x):
    return hash(x)


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_hash_gives_pythons_number(value):
    assert hashed(value) == hash(value)


@pytest.mark.parametrize("value", [np.uint64(2**64 - 1), np.int8(-1), np.float32(0.1)], ids=repr)
def test_hash_of_a_scalar_of_numpys_is_pythons(value):
    assert hashed(value) == hash(value)


def test_keys_that_begin_at_one_place_are_told_apart():
    @njit
    def counted(step, n):
        table = {}
        for i in range(n):
            table[i * step] = i
        found = 0
        for i in range(2 * n):
            if i * step in table and table[i * step] == i:
                found += 1
        return found, len(table)

    for step in (1, 8, 1 << 10, 1 << 20, 1 << 40, -(1 << 33)):
        assert counted(step, 5000) == (5000, 5000)


def test_a_table_that_gains_and_loses_keys_keeps_the_others():
    @njit
    def turned_over(n):
        d, s = {-1: 0}, {-1}
        for i in range(n):
            d[i] = i
            s.add(i)
            if i >= 5:
                del d[i - 5]
                s.remove(i - 5)
            if i % 3 == 0:
                d.popitem()
                d[i] = i
        return sorted(d.keys()), sorted(s)

    left = [-1, *range(9995, 10000)]
    assert turned_over(10000) == (left, left)


def test_a_typed_dict_is_iterated_over_as_it_was_at_the_start():
    table = Dict.empty(types.int64, types.float64)
    for i in range(5):
        table[i * 7] = i / 2
    for key in table:
        table[key + 1] = 0.0
    assert list(table)[:5] == [0, 7, 14, 21, 28]
    assert len(table) == 10
    assert list(table.items())[1] == (7, 0.5)


def test_a_member_of_an_integer_enumeration_hashes_as_its_number():
    class Code(enum.IntEnum):
        LOST = -1
        FOUND = 302

    assert hashed(Code.FOUND) == hash(Code.FOUND)
    assert hashed(Code.LOST) == hash(Code.LOST)


@pytest.mark.parametrize("value", [[1], {1}, np.zeros(2)], ids=lambda value: type(value).__name__)
def test_the_hash_of_a_mutable_object_raises_as_in_python(value):
    with pytest.raises(TypeError) as expected:
        hash(value)
    with pytest.raises(TypeError) as error:
        hashed(value)
    assert str(error.value) == str(expected.value)

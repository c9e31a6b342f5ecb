"""Named tuples and enumeration members in kernels and as arguments."""

import enum
from typing import NamedTuple

import numpy as np
import pytest
from in_kernels import check, run

from heddle import cuda, njit
from heddle.errors import TypingError


class Pair(NamedTuple):
    first: float
    second: float = 7


class Data(NamedTuple):
    size: int
    values: np.ndarray
    place: Pair


class Color(enum.Enum):
    RED = 1
    GREEN = 2
    BLUE = 3


class Shape(enum.IntEnum):
    ROUND = 3
    SQUARE = 5


class Weight(enum.Enum):
    HALF = 0.5
    TWICE = 2.0


def test_a_named_tuple_is_made_and_its_fields_read(device):
    def f(out, n):
        p = Pair(n, second=n * 2)
        out[0], out[1], out[2] = p.first, p.second, p[1]
        a, b = p
        out[3], out[4], out[5] = a, b, len(p)

    check(f, 4)


def test_the_type_of_a_named_tuple_makes_others(device):
    @cuda.jit
    def k(out, pair):
        other = type(pair)(pair.second, 5)
        out[0], out[1] = other.first, type(other)(first=3, second=other.second).second

    np.testing.assert_array_equal(run(k, Pair(1.5, 2.5))[:2], [2.5, 5])
    assert njit(lambda p: type(p)(p.second, 4))(Pair(1.0, 2.0)) == Pair(2.0, 4)


def test_a_field_that_is_left_out_has_its_default(device):
    def f(out, n):
        out[0] = Pair(n).second

    check(f, 4)


def test_a_named_tuple_as_an_argument(device):
    def f(out, p):
        out[0], out[1] = p.second, p.first

    check(f, Pair(1, 2.5))


def test_a_named_tuple_that_holds_an_array_and_a_tuple(device):
    def f(out, d):
        for i in range(d.size):
            out[i] = d.values[i] * d.place.first
        d.values[0] = d.place.second

    values = np.arange(4.0)
    out = run(f, Data(4, values, Pair(2, 11)))
    np.testing.assert_array_equal(out[:4], [0, 2, 4, 6])
    assert values[0] == 11


def test_a_global_named_tuple_is_a_constant(device):
    size = Pair(3, 4)

    def f(out):
        a = cuda.local.array((size.first, size.second), np.float32)
        out[0], out[1] = a.shape

    np.testing.assert_array_equal(run(f)[:2], [3, 4])


class Step(NamedTuple):
    function: object
    size: int


@cuda.jit(device=True)
def doubled(x):
    return 2 * x


@cuda.jit(device=True)
def stepped(step, x):
    return step.function(step.size) + x


step = Step(doubled, 3)


def test_a_device_function_takes_a_named_tuple_with_a_function(device):
    @cuda.jit
    def k(out):
        out[0] = stepped(step, 1)

    out = np.zeros(1)
    k[1, 1](out)
    assert out[0] == 7


def test_a_device_function_takes_and_returns_a_named_tuple(device):
    @cuda.jit(device=True)
    def swapped(p):
        return Pair(p.second, p.first)

    def f(out, p):
        q = swapped(p)
        out[0], out[1] = q.first, q.second

    np.testing.assert_array_equal(run(f, Pair(1, 2))[:2], [2, 1])


def test_a_named_tuple_is_chosen_on_two_paths(device):
    def f(out, n):
        if n > 2:
            p = Pair(1, 2)
        else:
            p = Pair(n, 2.5)
        out[0], out[1] = p.first, p.second

    check(f, 2)
    check(f, 3)


def test_named_tuples_compare_as_tuples(device):
    def f(out, p):
        out[0], out[1], out[2] = p == Pair(1, 2), p < Pair(1, 3), p == (1, 2)

    check(f, Pair(1, 2))


def test_a_list_of_arrays_of_several_types_as_one_argument(device):
    def f(out, t):
        (a, b), (n, (c,)) = t
        out[0], out[1], out[2] = a[1], b[0, 1], c[n]

    check(f, ((np.arange(3), np.ones((2, 2), np.float32)), (2, (np.arange(5) * 2.5,))))


def test_a_field_that_a_named_tuple_lacks_is_named():
    def f(out):
        out[0] = Pair(1, 2).secnd

    with pytest.raises(TypingError, match="has no attribute 'secnd'.*") as caught:
        run(f)
    assert "did you mean 'second'?" in str(caught.value)


def test_a_named_tuple_without_a_value_for_a_field_is_refused():
    def f(out):
        out[0] = Pair(second=2).first

    with pytest.raises(TypingError, match=r"Pair\(\) needs a value for 'first'"):
        run(f)


def test_members_of_an_enumeration_compare_by_identity_and_equality(device):
    def f(out, c):
        out[0], out[1] = c == Color.RED, c != Color.RED
        out[2], out[3] = c is Color.GREEN, c is not Color.GREEN

    for member in Color:
        check(f, member)


def test_the_value_of_a_member(device):
    def f(out, c, w):
        out[0], out[1], out[2] = c.value, Color.BLUE.value, w.value * Weight.HALF.value

    check(f, Color.GREEN, Weight.TWICE)


def test_the_name_of_a_constant_member(device):
    def f(out):
        if Color.RED.name == "RED":
            out[0] = 1

    check(f)


def test_a_branch_on_a_constant_member_is_not_compiled_when_dead(device):
    mode = Color.RED

    def f(out):
        if mode is Color.RED:
            out[0] = 1
        else:
            out[0] = "never typed"

    assert run(f)[0] == 1


def test_a_member_of_an_integer_enumeration_is_an_integer(device):
    def f(out, s):
        out[0], out[1], out[2] = s + 1, s < Shape.SQUARE, s * Shape.SQUARE
        out[3], out[4], out[5] = s == 3, s == Shape.ROUND, out[Shape.ROUND - 3]

    check(f, Shape.ROUND)
    check(f, Shape.SQUARE)


def test_a_member_passes_through_device_functions_and_branches(device):
    @cuda.jit(device=True)
    def next_color(c):
        if c == Color.RED:
            return Color.GREEN
        return Color.BLUE

    def f(out, c):
        out[0], out[1] = next_color(c).value, next_color(next_color(c)) is Color.BLUE

    np.testing.assert_array_equal(run(f, Color.RED)[:2], [2, 1])


def test_members_of_different_enumerations_are_not_equal(device):
    def f(out, c, w):
        out[0], out[1] = c == w, c != w

    check(f, Color.RED, Weight.HALF)


def test_equal_members_of_different_integer_enumerations_are_not_the_same(device):
    def f(out, c, w):
        out[0], out[1], out[2], out[3] = c == w, c != w, c is w, c is not w

    check(f, enum.IntEnum("Left", {"TWO": 2}).TWO, enum.IntEnum("Right", {"TWO": 2}).TWO)


def test_members_of_an_enumeration_have_no_order():
    def f(out, c):
        out[0] = c < Color.BLUE

    with pytest.raises(TypingError, match="enum members cannot be compared with <"):
        run(f, Color.RED)


def test_a_member_that_the_enumeration_lacks_is_named():
    def f(out):
        out[0] = Color.GREN.value

    with pytest.raises(TypingError, match="has no attribute 'GREN'") as caught:
        run(f)
    assert "did you mean 'GREEN'?" in str(caught.value)


def test_a_field_named_as_a_method_of_tuples_is_the_field(device):
    class Hit(NamedTuple):
        index: int
        distance: float

    @cuda.jit
    def k(h, out):
        made = Hit(h.index + 1, h.distance)
        out[0] = made.index

    out = cuda.to_device(np.zeros(1, np.int64))
    k[1, 1](Hit(4, 0.5), out)
    assert out.copy_to_host()[0] == 5


class Planet(enum.Enum):
    EARTH = (1.0, 9.8)
    MARS = (0.1, 3.7)


class Unit(enum.Enum):
    METRE = "m"
    FOOT = "ft"


def test_a_member_whose_value_is_a_tuple_is_an_argument(device):
    @cuda.jit
    def k(out, planet):
        mass, gravity = planet.value
        out[0], out[1] = mass, gravity
        out[2] = planet is Planet.MARS

    for planet, last in ((Planet.EARTH, 0), (Planet.MARS, 1)):
        out = cuda.to_device(np.zeros(3))
        k[1, 1](out, planet)
        assert out.copy_to_host().tolist() == [*planet.value, last]


def test_a_member_whose_value_is_a_string_is_an_argument(device):
    @cuda.jit
    def k(out, unit):
        out[0] = 0.3048 if unit == Unit.FOOT else 1.0

    out = cuda.to_device(np.zeros(1))
    k[1, 1](out, Unit.FOOT)
    assert out.copy_to_host()[0] == 0.3048 and njit(lambda u: u.value)(Unit.METRE) == "m"


def among(color):
    return color in (Color.RED, Color.BLUE), color not in (Color.RED, Color.BLUE)


@pytest.mark.parametrize("color", list(Color))
def test_a_member_is_looked_for_in_a_tuple(color):
    assert njit(among)(color) == among(color)


def test_a_member_whose_value_is_a_string_is_a_result():
    assert njit(lambda unit: (unit, 1))(Unit.FOOT) == (Unit.FOOT, 1)
    assert njit(lambda: Unit.METRE)() is Unit.METRE

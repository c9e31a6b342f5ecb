"""match in kernels: literals, alternatives, guards, captures and enumeration members."""

from enum import Enum, IntEnum

import numpy as np
import pytest
from in_kernels import check

from heddle import cuda
from heddle.errors import TypingError, UnsupportedError


class Colour(IntEnum):
    RED = 1
    BLUE = 4


class Shape(Enum):
    ROUND = 1
    SQUARE = 2


def literals(out, x):
    match x:
        case 1:
            out[0] = 10
        case -2 | 3 | 2.5:
            out[0] = 20
        case True:
            out[0] = 30
        case _:
            out[0] = 40


@pytest.mark.parametrize("x", [1, -2, 3, 2, 2.5])
def test_literals_and_alternatives(device, x):
    check(literals, x)


def guards(out, x):
    match x:
        case n if n > 3:
            out[0] = n
        case n if n < -3:
            out[0] = -n
        case 0 as n:
            out[1] = n + 7
    out[2] = 1


@pytest.mark.parametrize("x", [5, -5, 0, 2])
def test_guards_captures_and_no_match(device, x):
    check(guards, x)


def members(out, x):
    match x:
        case Colour.RED:
            out[0] = 1
        case Colour.BLUE as c:
            out[0] = c + 1


@pytest.mark.parametrize("x", [1, 4, 2])
def test_members_of_enumerations(device, x):
    check(members, x)


def test_a_match_of_a_constant_compiles_only_what_fits(device):
    @cuda.jit
    def k(shape, out):
        match shape:
            case None:
                out[0] = 1
            case Shape.SQUARE:
                out[0] = 2
            case "text":
                out[0] = "text"

    out = np.zeros(1)
    k[1, 1](None, out)
    assert out[0] == 1
    k[1, 1](Shape.SQUARE, out)
    assert out[0] == 2


def nested(out, x):
    for i in range(4):
        match i:
            case 0:
                continue
            case 3:
                break
        match x:
            case 1 | 2 as low:
                out[i] = low
            case other:
                out[i] = other * 10


@pytest.mark.parametrize("x", [1, 5])
def test_matches_in_loops(device, x):
    check(nested, x)


def returned(x):
    match x:
        case 0:
            return 5
    return 1


def test_a_match_returns(device):
    f = cuda.jit(device=True)(returned)

    @cuda.jit
    def k(out):
        out[0] = f(0)
        out[1] = f(1)

    out = np.zeros(2)
    k[1, 1](out)
    assert out.tolist() == [5, 1]


def sequence(out, x):
    match (x, x):
        case (0, 1):
            out[0] = 1


def mapping(out, x):
    match x:
        case {"a": 1}:
            out[0] = 1


def class_pattern(out, x):
    match x:
        case int():
            out[0] = 1


@pytest.mark.parametrize(
    "function, what",
    [(sequence, "sequences"), (mapping, "mappings"), (class_pattern, "classes")],
    ids=["sequence", "mapping", "class"],
)
def test_other_patterns_are_refused(function, what):
    with pytest.raises(UnsupportedError, match=f"patterns of {what} are not supported"):
        cuda.jit(function)[1, 1](np.zeros(1), 1)


def test_a_capture_that_fits_nothing_has_no_value(device):
    def f(out):
        match out.size:
            case 1 if False:
                n = 1
        out[0] = n  # noqa: F821

    with pytest.raises(TypingError, match="'n' is used before it is assigned"):
        cuda.jit(f)[1, 1](np.zeros(1))

"""Floats where integers are needed, accepted as in numba.cuda, and the warnings about them."""

import math
import warnings

import numpy as np
import pytest
from in_kernels import run

from heddle import config, cuda, int32
from heddle.errors import NumbaTypeSafetyWarning, TypingError


@pytest.mark.parametrize("count, rounds", [(3.9, 3), (-2.5, 0), (True, 1), (np.float32(4), 4)])
def test_a_range_takes_the_whole_part_of_a_number(device, count, rounds):
    @cuda.jit
    def k(n, out):
        for i in range(n):
            out[i] = i + 1

    out = np.zeros(5)
    k[1, 1](count, out)
    assert out.tolist() == [i + 1 if i < rounds else 0 for i in range(5)]


def test_a_range_takes_the_ceiling_of_a_quotient(device):
    def f(out):
        for tile in range(math.ceil(7 / out.size)):
            out[tile] += 1

    assert run(f).tolist()[:2] == [math.ceil(7 / len(run(f))), 0]


def test_a_range_counts_down_by_floats(device):
    def f(out):
        n = 0
        for i in range(6.5, 0.0, -2.0):
            out[n] = i
            n += 1

    assert run(f).tolist()[:4] == [6, 4, 2, 0]


@pytest.mark.parametrize(
    "bounds, kind",
    [
        ((np.uint8(3),), "range(uint64)"),
        ((np.uint32(3),), "range(uint64)"),
        ((np.float32(3),), "range(int32)"),
        ((np.float64(3), 1), "range(int64)"),
        ((np.int32(1), np.uint64(3), np.int32(1)), "range(int32)"),
    ],
)
def test_a_range_counts_in_numbas_type(bounds, kind):
    @cuda.jit
    def k(bounds):
        range(*bounds).no_such_name

    with pytest.raises(TypingError) as error:
        k[1, 1](bounds)
    assert f"{kind} has no attribute" in str(error.value)


def test_the_index_of_an_atomic_may_be_a_float(device):
    @cuda.jit
    def histogram(x, counts):
        i = cuda.grid(1)
        if i < x.size:
            cuda.atomic.add(counts, math.floor(x[i]), 1)

    x, counts = np.array([0.5, 1.2, 1.9, -0.5]), np.zeros(3, np.int32)
    histogram[1, 4](x, counts)
    assert counts.tolist() == [1, 2, 1]  # -1 is the last one


def test_the_indices_of_an_atomic_may_be_a_tuple_with_floats(device):
    @cuda.jit
    def k(out):
        cuda.atomic.max(out, (1.9, 2), 5)
        place = (0.5, 1.5)
        cuda.atomic.add(out, place, 3)

    out = np.zeros((2, 3), np.int64)
    k[1, 1](out)
    assert out.tolist() == [[0, 3, 0], [0, 0, 5]]


def test_the_index_of_an_element_may_be_no_float(device):
    def f(out):
        out[1.5] = 1

    with pytest.raises(TypingError, match="an array index must be an integer"):
        run(f)


def test_bounds_and_steps_of_slices_may_be_floats(device):
    @cuda.jit
    def k(x, half, out):
        out[0] = x[half / 2 :].size
        out[1] = x[:-1.9].size
        out[2] = x[::2.5].size

    out = np.zeros(3)
    k[1, 1](np.zeros(10), 7, out)
    assert out.tolist() == [7, 9, 5]


def test_a_slice_may_be_made_and_named(device):
    last = slice(-2, None)

    @cuda.jit
    def k(x, n, out):
        out[0] = x[slice(n)].size
        out[1] = x[slice(1, n)][0]
        out[2] = x[last][0]
        every_other = slice(None, None, 2)
        out[3] = x[every_other][1]

    out = np.zeros(4)
    k[1, 1](np.arange(6.0), 3, out)
    assert out.tolist() == [3, 1, 4, 2]


def test_the_number_in_a_constant_text_is_a_float(device):
    def f(out):
        out[0] = float("inf")
        out[1] = float(" -1_0.5e-1 ")
        out[2] = float("NaN")
        out[3] = float("-Infinity")

    np.testing.assert_array_equal(run(f)[:4], [np.inf, -1.05, np.nan, -np.inf])


@pytest.mark.parametrize("text", ["", "abc", "0x10", "1__0", "_1", "1_", "+-1", "nan(1)"])
def test_a_text_without_a_number_is_no_float(text):
    @cuda.jit
    def k(out):
        out[0] = float(text)

    with pytest.raises(TypingError, match="cannot read a number"):
        k[1, 1](np.zeros(1))


def test_round_with_digits_takes_integers_and_float_digits(device):
    def f(out):
        out[0] = round(1234, -2)
        out[1] = round(2.25, 1.9)
        out[2] = round(True, 1)

    assert run(f).tolist()[:3] == [1200, 2.2, 1]


def test_is_compares_numbers_of_one_type(device):
    one, half = 1, 2.5

    @cuda.jit
    def k(i, x, out):
        out[0] = i is one
        out[1] = x is half
        out[2] = (i, x) is (i, x)  # noqa: F632
        out[3] = int32(i) is one
        out[4] = i is not out.size

    out = np.zeros(5)
    k[1, 1](1, 2.5, out)
    assert out.tolist() == [1, 1, 1, 0, 1]


@pytest.fixture
def telling(monkeypatch):
    monkeypatch.setattr(config, "WARNINGS", 1)


def test_a_conversion_that_loses_something_is_told_at_its_line(cpu, telling):
    @cuda.jit
    def k(x):
        for i in range(x.size / 2):
            cuda.atomic.add(x, i * 0.5, 1)

    with pytest.warns(NumbaTypeSafetyWarning) as told:
        k[1, 1](np.zeros(4))
    lines = [(w.lineno - k.py_func.__code__.co_firstlineno, str(w.message)) for w in told]
    assert lines == [
        (2, "a bound of range() is float64: it loses its fraction"),
        (3, "the index is float64: it loses its fraction"),
    ]


def test_a_place_is_told_of_once(cpu, telling):
    @cuda.jit(device=True)
    def count(n):
        total = 0
        for i in range(n):
            total += i
        return total

    @cuda.jit
    def k(x):
        x[0] = count(x[0]) + count(np.float32(x[1]))

    with pytest.warns(NumbaTypeSafetyWarning) as told:
        k[1, 1](np.ones(4))
    assert len(told) == 1


def test_a_whole_constant_loses_nothing(cpu, telling):
    @cuda.jit
    def k(x):
        for i in range(4.0):
            x[i] = i

    x = np.zeros(4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        k[1, 1](x)
    np.testing.assert_array_equal(x, np.arange(4))


def test_nothing_is_told_unless_it_is_asked_for(cpu):
    @cuda.jit
    def k(x):
        for i in range(x[0]):
            x[i] = i + 5

    x = np.ones(4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        k[1, 1](x)
    np.testing.assert_array_equal(x, [5, 1, 1, 1])


def test_the_environment_asks_for_warnings(run_script):
    result = run_script(
        """
import numpy as np
from heddle import cuda

@cuda.jit
def k(x):
    for i in range(x.size / 2):
        x[i] = i

k[1, 1](np.zeros(4))
""",
        env={"HEDDLE_WARNINGS": "1", "HEDDLE_DEVICE": "cpu"},
    )
    assert "script.py:7: NumbaTypeSafetyWarning: a bound of range() is float64" in result.stderr

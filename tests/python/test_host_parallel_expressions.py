"""Expressions of whole arrays with parallel=True, and what parallel_diagnostics() tells of a function."""

import numpy as np
import pytest

from heddle import njit, prange
from heddle._heddle import live_arrays

LARGE = 40003

expressions = {
    "one": lambda a, b, k: a + b,
    "fused": lambda a, b, k: np.sqrt(np.abs(a)) * b - k / (1 + a * a),
    "scalar first": lambda a, b, k: k - a,
    "where": lambda a, b, k: np.where(a > b, a, k),
    "bools": lambda a, b, k: (a > 0) & (b < k),
    "integers": lambda a, b, k: np.floor(a * 9).astype(np.int64) % 7,
    "complex": lambda a, b, k: a * 1j + b,
}

rng = np.random.default_rng(3)
shapes = {
    "vectors": (rng.normal(size=LARGE), rng.normal(size=LARGE)),
    "float32": (rng.normal(size=LARGE).astype(np.float32), rng.normal(size=LARGE)),
    "few": (rng.normal(size=5), rng.normal(size=5)),
    "none": (np.zeros(0), np.zeros(0)),
    "rows": (rng.normal(size=(201, 200)), rng.normal(size=200)),
    "columns": (rng.normal(size=(201, 1)), rng.normal(size=(201, 200))),
    "row and column": (rng.normal(size=(1, 200)), rng.normal(size=(201, 1))),
    "column alone": (rng.normal(size=(1, 1)), rng.normal(size=(3, 20000))),
    "one row": (rng.normal(size=(1, LARGE)), rng.normal(size=(1, LARGE))),
    "fortran": (np.asfortranarray(rng.normal(size=(150, 151))),) * 2,
    "mixed orders": (rng.normal(size=(150, 151)), np.asfortranarray(rng.normal(size=(150, 151)))),
    "steps": (rng.normal(size=2 * LARGE)[::2], rng.normal(size=LARGE)[::-1]),
    "three axes": (rng.normal(size=(40, 30, 21)), rng.normal(size=(30, 1))),
}


@pytest.mark.parametrize("shape", shapes)
@pytest.mark.parametrize("expression", expressions)
def test_the_result_is_that_of_one_thread(expression, shape):
    function = expressions[expression]
    ours = njit(parallel=True)(function)(*shapes[shape], 1.5)
    expected = njit(function)(*shapes[shape], 1.5)
    np.testing.assert_array_equal(ours, expected)
    assert ours.dtype == expected.dtype and ours.strides == expected.strides


def test_shapes_that_do_not_match_raise():
    @njit(parallel=True)
    def both(a, b):
        return a + b

    @njit(parallel=True)
    def caught(a, b):
        try:
            return a + b
        except ValueError:
            return a

    a = np.ones((300, 200))
    for b in (np.ones((299, 200)), np.ones((300, 199)), np.ones(300)):
        with pytest.raises(ValueError, match="could not be broadcast"):
            both(a, b)
        assert caught(a, b).sum() == 60000


def test_nothing_is_left_behind():
    @njit(parallel=True)
    def steps(a, n):
        for _ in range(n):
            a = np.sin(a) + a * 0.5
        return a.sum()

    before = live_arrays()
    steps(np.ones(LARGE), 5)
    assert live_arrays() == before


def test_expressions_in_rounds_of_a_shared_loop():
    @njit(parallel=True)
    def sums(a):
        out = np.zeros(len(a))
        scaled = a * 2.0
        for i in prange(len(a)):
            out[i] = (scaled[i] + a[i]).sum()
        return out

    np.testing.assert_allclose(sums(np.ones((20, 3000))), np.full(20, 9000))


def test_diagnostics_tell_what_the_threads_share(capsys):
    @njit(parallel=True)
    def f(a, n):
        total = 0.0
        b = np.sqrt(a * a + 1)
        for i in prange(n):
            row = a + i
            for j in prange(3):
                total += row[j] + b[j]
        for i in prange(n):
            if i > 3:
                break
        return total

    f(np.ones(4), 5)
    first = f.py_func.__code__.co_firstlineno
    f.parallel_diagnostics()
    heading, *notes = capsys.readouterr().out.splitlines()
    assert heading.startswith("f (array(float64, 1d, C), int64), ") and __file__ in heading
    assert notes == [
        f"  line {first + 3}: np.sqrt(a * a + 1): one loop, which the threads share where it is long; "
        "2 expressions are part of it",
        f"  line {first + 4}: prange(n): the threads share its rounds; reduced: total (+)",
        f"  line {first + 5}: a + i: one loop of one thread: the threads share the rounds of the loop around it, "
        f"of line {first + 4}",
        f"  line {first + 6}: prange(3): one thread runs its rounds: the threads share the rounds of the loop "
        f"around it, of line {first + 4}",
        f"  line {first + 8}: prange(n): one thread runs its rounds: a break, a return or an else belongs to it, "
        "or it fills an empty list, dict or set",
    ]
    f.parallel_diagnostics(level=4)
    details = [line for line in capsys.readouterr().out.splitlines() if "part of the loop" in line]
    assert details == [
        f"  line {first + 3}: {part}: part of the loop of line {first + 3}"
        for part in ("a * a + 1", "a * a")
    ]


def test_diagnostics_of_a_function_for_one_thread(capsys):
    @njit
    def f(a):
        return a + 1

    f(np.ones(3))
    f(np.ones(3, np.float32))
    f.parallel_diagnostics(signature="(float32[::1],)")
    (heading, note) = capsys.readouterr().out.splitlines()
    assert "float32" in heading
    assert "a + 1: one loop of one thread: the function is not compiled with parallel=True" in note


def add_in_place(a, b):
    a += b
    a *= 2


def into_output(a, b):
    np.multiply(a, b, a)
    np.sqrt(np.abs(b), out=a)


def to_views(a, b):
    a[1:] = b[1:]
    a[::2] = 3
    a[3:-3] -= b[3:-3] * 2


def to_itself_shifted(a, b):
    a[1:] = a[:-1]
    a[:-2] += a[2:]


def in_turned_order(a, b):
    a[:] = a[::-1]
    b += a[::-1]


def filled(a, b):
    a.fill(2)
    b[...] = a.T.reshape(b.shape)


ASSIGNMENTS = [add_in_place, into_output, to_views, to_itself_shifted, in_turned_order, filled]


@pytest.mark.parametrize("shape", [(LARGE,), (7,), (0,), (300, 200), (5, 4)], ids=str)
@pytest.mark.parametrize("assign", ASSIGNMENTS)
def test_assignments_are_those_of_one_thread(assign, shape):
    numbers = np.random.default_rng(4)
    a, b = numbers.normal(size=shape), numbers.normal(size=shape)
    expected = a.copy(), b.copy()
    njit(parallel=True)(assign)(a, b)
    assign(*expected)
    np.testing.assert_array_equal((a, b), expected)


def test_an_assignment_of_another_shape_raises():
    @njit(parallel=True)
    def assign(a, b):
        a[:] = b

    with pytest.raises(ValueError, match="do not match"):
        assign(np.ones((300, 200)), np.ones((300, 199)))


def test_diagnostics_name_assignments(capsys):
    @njit(parallel=True)
    def change(a, b):
        a += b
        np.add(a, b, a)
        a[1:] = b[1:]
        a[0] = 1

    change(np.ones(3), np.ones(3))
    change.parallel_diagnostics()
    printed = capsys.readouterr().out
    assert printed.count("one loop, which the threads share where it is long") == 3

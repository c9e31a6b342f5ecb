"""Array expressions with parallel=True, and the output of parallel_diagnostics()."""

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
        f"  line {first + 3}: np.sqrt(a * a + 1): one loop, shared by several threads if it is long; "
        "2 expressions are part of it",
        f"  line {first + 4}: prange(n): several threads share its iterations; reduced: total (+)",
        f"  line {first + 5}: a + i: one loop in one thread: the threads share the iterations of the outer loop, "
        f"of line {first + 4}",
        f"  line {first + 6}: prange(3): one thread runs its iterations: the threads share the iterations of the outer "
        f"loop, of line {first + 4}",
        f"  line {first + 8}: prange(n): one thread runs its iterations: it has a break, a return or an else, "
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
    assert "a + 1: one loop in one thread: the function is not compiled with parallel=True" in note


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
    assert printed.count("one loop, shared by several threads if it is long") == 3


reductions = {
    "sum": lambda a, b: np.sum(a),
    "sum of products": lambda a, b: np.sum(a * b + 1),
    "sum of a mask": lambda a, b: (a > b).sum(),
    "prod": lambda a, b: np.prod(1 + a / 1e5),
    "mean": lambda a, b: (a - b).mean(),
    "var": lambda a, b: np.var(a * b),
    "std": lambda a, b: a.std(),
    "complex sum": lambda a, b: np.sum(a + b * 1j),
    "min": lambda a, b: np.min(a * b),
    "max": lambda a, b: a.max(),
    "argmin": lambda a, b: np.argmin(a * b),
    "argmax": lambda a, b: b.argmax(),
    "integers": lambda a, b: ((a * 100).astype(np.int32)).min(),
    "first of equals": lambda a, b: np.argmax((a * 3).astype(np.int64)),
    "any": lambda a, b: np.any(a > 3.9),
    "all": lambda a, b: np.all(a * b < 9),
    "count": lambda a, b: np.count_nonzero(a > b),
    "nansum": lambda a, b: np.nansum(np.where(a > b, a, np.nan)),
    "nanmean": lambda a, b: np.nanmean(np.where(a > b, np.nan, b)),
    "nanmax": lambda a, b: np.nanmax(np.where(a > b, np.nan, a)),
    "nan": lambda a, b: np.max(np.where(a > 2, np.nan, b)),
    "first nan": lambda a, b: np.argmin(np.where(a > 2, np.nan, b)),
}


def outcome(function, *arguments):
    with np.errstate(all="ignore"):
        try:
            return function(*arguments)
        except ValueError as error:
            return str(error).split(" operation")[0]


@pytest.mark.filterwarnings("ignore:.*(empty slice|All-NaN|Degrees of freedom).*")
@pytest.mark.parametrize("shape", shapes)
@pytest.mark.parametrize("reduction", reductions)
def test_a_reduction_is_that_of_numpy(reduction, shape):
    function, (a, b) = reductions[reduction], shapes[shape]
    held = live_arrays()
    ours, alone = (outcome(njit(function, parallel=p), a, b) for p in (True, False))
    expected = outcome(function, a, b)
    if isinstance(expected, str):
        assert ours == alone == expected
    else:
        precision = 1e-4 if a.dtype == np.float32 else 1e-12
        for result in (ours, alone):
            np.testing.assert_allclose(result, expected, rtol=precision, atol=precision)
    assert live_arrays() == held


def test_what_a_reduction_takes_in_may_raise():
    @njit(parallel=True)
    def total(a, b):
        try:
            return np.sum(a * b)
        except ValueError:
            return -1.0

    held = live_arrays()
    assert total(np.ones((200, 300)), np.ones(299)) == -1
    assert total(np.ones((200, 300)), np.full(300, 2.0)) == 120000
    assert live_arrays() == held
    with pytest.raises(ValueError, match="broadcast"):
        njit(lambda a, b: np.max(a - b), parallel=True)(np.ones((200, 300)), np.ones(299))


def test_new_arrays_are_those_of_numpy():
    @njit(parallel=True)
    def made(n):
        return (
            np.zeros(n),
            np.ones((n, 2), np.float32),
            np.full(n, 7),
            np.arange(n),
            np.arange(n, 0, -1, np.int32),
            np.arange(0.0, 1.0, 1.0 / (n + 1)),
            np.linspace(-1, 2, n),
            np.arange(n) * 2.0 + np.ones_like(np.arange(n)),
        )

    for n in (0, 1, 7, 1 << 14, LARGE):
        for ours, expected in zip(made(n), made.py_func(n), strict=True):
            np.testing.assert_allclose(ours, expected, rtol=1e-12, atol=1e-15)
            assert ours.dtype == expected.dtype
        for ours, alone in zip(made(n), njit(made.py_func)(n), strict=True):
            np.testing.assert_array_equal(ours, alone)


def test_diagnostics_name_reductions(capsys):
    @njit(parallel=True)
    def norm(a, b):
        return np.sqrt(np.sum((a - b) ** 2))

    norm(np.ones(3), np.ones(3))
    norm.parallel_diagnostics()
    text = capsys.readouterr().out
    assert "np.sum((a - b) ** 2): one loop, shared by several threads if it is long" in text
    assert "2 expressions are part of it" in text


@njit(parallel=True)
def changed_by_a_shared_loop(a, b):
    t = a * b
    u = a + b
    for i in prange(a.size):
        a[i] = 0
    return t.sum(), u + 1


@njit
def first_is_large(a):
    a[0] = 1000
    yield 1.0


@njit
def changed_by_a_generator(a, b):
    changes = first_is_large(a)
    t = a * b
    one = next(changes)
    return one, t.sum()


@njit
def changed_by_a_function(a, b, change):
    t = a * b
    change(a)
    return np.max(t), t.sum()


@njit
def forget(a):
    a[:] = 0


def test_an_expression_is_computed_before_what_it_reads_changes():
    a, b = np.arange(1.0, 41), np.full(40, 2.0)
    total, more = changed_by_a_shared_loop(a.copy(), b)
    assert total == 1640
    np.testing.assert_array_equal(more, a + 3)
    assert changed_by_a_generator(a.copy(), b) == (1, 1640)
    assert changed_by_a_function(a.copy(), b, forget) == (80, 1640)

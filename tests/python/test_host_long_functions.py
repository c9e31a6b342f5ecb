"""Functions with many statements: the values they keep, and the size of their code."""

import numpy as np
import pytest

from heddle import _heddle, njit, objmode, types
from heddle.typed import Dict

pytestmark = pytest.mark.usefixtures("everything_is_freed")


def function_of(statement, count):
    """njit of a function ``f(a, d)`` that runs the statement for k in 0, 1, ... and returns ``s``."""
    lines = [f"    {statement.format(k=k)}" for k in range(count)]
    names = {"np": np}
    exec("\n".join(["def f(a, d):", "    s = 0.0", *lines, "    return s"]), names)
    return njit(names["f"])


def lines_of_code(statement, count):
    f = function_of(statement, count)
    f.compile((types.float64[::1], types.DictType(types.int64, types.float64)))
    (code,) = f.inspect_asm().values()
    return code.count("\n")


@pytest.mark.parametrize(
    "statement", ["s += np.sort(a)[{k}]", "s += len(str(s) + 'x{k}')", "s += (a * {k} + s).sum()"]
)
def test_code_grows_as_statements_do(statement):
    assert lines_of_code(statement, 80) < 5 * lines_of_code(statement, 20)


def test_what_is_called_at_hundreds_of_places_is_no_copy_at_each():
    assert lines_of_code("d[{k}] = {k} + s", 400) < lines_of_code("d[{k}] = {k} + s", 90)


def test_values_are_right_where_memory_serves_several():
    f = function_of("s += np.sort(a)[{k}] + (a[::-1] * {k})[1:][0] + len(str({k}) + 'xy')", 40)
    a = np.arange(50.0)[::-1].copy()
    d = Dict.empty(types.int64, types.float64)
    assert f(a, d) == f.py_func(a, d)


@njit
def live():
    with objmode(count="int64"):
        count = _heddle.live_arrays()
    return count


def test_a_temporary_array_is_let_go_after_its_last_use():
    @njit
    def grown(n):
        before = live()
        s = np.full(n, 1.0).sum() + np.full(n, 2.0)[1:].max()
        return live() - before, s

    assert grown(5) == (0, 7.0)


def test_an_array_is_let_go_behind_the_loop_that_uses_it():
    @njit
    def grown(n):
        before = live()
        s, x = 0.0, np.full(n, 1.0)
        for i in range(n):
            s += x[i]
        return live() - before, s

    assert grown(5) == (0, 5.0)


def test_an_array_is_let_go_on_the_path_that_does_not_use_it():
    @njit
    def grown(n, more):
        before = live()
        x = np.full(n, 1.0)
        if more:
            return x.sum(), live() - before
        return 0.0, live() - before

    assert (grown(5, True), grown(5, False)) == ((5.0, 0), (0.0, 0))


def test_an_array_lives_as_long_as_a_view_of_it():
    @njit
    def grown(n):
        before = live()
        v = np.full(n, 3.0)[1:]
        for _ in range(n):
            np.full(n, 8.0)
        return live() - before, v.sum()

    assert grown(5) == (1, 12.0)


def test_an_array_that_a_handler_reads_lives_where_something_is_raised():
    @njit
    def caught(n, fails):
        x, s = np.full(n, 1.0), 0.0
        try:
            for i in range(n):
                y = np.full(n, i * 1.0)
                s += y.sum()
                if i == fails:
                    raise ValueError
        except Exception:
            s -= x.sum()
        return s

    assert [caught(4, fails) for fails in (0, 2, 9)] == [-4.0, 8.0, 24.0]

"""Operations that change memory: array expressions are not delayed past them, nor are borrowed arrays kept."""

import cmath
import contextlib
import io
import math

import numpy as np
import pytest

import heddle
from heddle import njit, prange
from heddle.experimental import jitclass
from heddle.typed import List

SIZE = 1000  # large enough for memory that is freed and then allocated again


def defined(source, **names):
    """The function `f` that the source defines, compiled."""
    scope = {"np": np, "heddle": heddle, "prange": prange, **names}
    exec(source, scope)
    return njit(parallel=True)(scope["f"])


@njit
def zero(a):
    a[:] = 0


@njit
def zero_then_yield(a):
    yield 1
    a[:] = 0
    yield 2


@jitclass([("array", heddle.float64[::1]), ("items", heddle.types.ListType(heddle.float64[::1]))])
class Holder:
    def __init__(self, array, items):
        self.array = array
        self.items = items

    def clear(self):
        self.array[:] = 0

    def __getitem__(self, i):
        self.items.pop()
        return i


WRITES = {
    "element": "a[0] = 7",
    "slice": "a[:] = 0",
    "in place": "a += 1",
    "output": "np.add(a, 1, a)",
    "output by name": "np.add(a, 1, out=a)",
    "method": "a.fill(0)",
    "view": "v = a[1:]; v[0] = 8",
    "function": "zero(a)",
    "generator": "next(steps); next(steps)",
    "method of an instance": "holder.clear()",
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_an_expression_is_computed_before_its_operand_is_written(write):
    f = defined(
        f"""
def f(a, n):
    holder, steps, i = Holder(a, List([a])), zero_then_yield(a), 0
    t = a * 2
    {write}
    return np.sum(t) + i
""",
        zero=zero,
        zero_then_yield=zero_then_yield,
        Holder=Holder,
        List=List,
    )
    a = np.arange(1.0, SIZE)
    before = a.copy()
    assert f(a, SIZE) == 2 * np.sum(before)
    assert not np.array_equal(a, before)


READS = {
    "nothing": "pass",
    "number in place": "i += 1",
    "math": "i = math.floor(a[0])",
    "complex math": "i = cmath.phase(a[0])",
    "conversion": "i = np.float32(a[0])",
    "reduction": "i = a.max()",
    "length": "i = len(a) + len(items)",
    "new list": "new = [1, 2]; i = len(new)",
    "search": "i = np.searchsorted(a, 3)",
}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_an_expression_is_part_of_its_reduction_past_statements_that_only_read(read, capsys):
    f = defined(
        f"""
def f(a, items):
    i = 0
    t = a * 2
    {read}
    return np.sum(t) + i
""",
        math=math,
        cmath=cmath,
    )
    f(np.arange(1.0, SIZE), List([1]))
    f.parallel_diagnostics()
    assert "np.sum(t): one loop" in (text := capsys.readouterr().out)
    assert "1 expression is part of it" in text


class Output(io.StringIO):
    """A stream whose write() calls a function."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def write(self, text):
        self.function()
        return len(text)


def test_an_expression_is_computed_before_print_runs_a_program_s_stream():
    @njit
    def f(a):
        t = a * 2
        print("now")
        return t.sum()

    a = np.ones(SIZE)
    with contextlib.redirect_stdout(Output(lambda: a.fill(0))):
        assert f(a) == 2 * SIZE
    assert not a.any()


@njit
def one_array(n):
    return List([np.full(n, 3.0)])


@njit
def pop(items):
    items.pop()


@njit
def yield_then_pop(items):
    yield 1
    items.pop()
    yield 2


LOSSES = {
    "pop": "items.pop()",
    "pop first": "items.pop(0)",
    "assignment": "items[0] = np.zeros(n)",
    "del": "del items[0]",
    "clear": "items.clear()",
    "remaining": "items[:] = [np.zeros(n)]",
    "function": "pop(items)",
    "generator": "next(steps); next(steps)",
    "operator": "holder[3]",
    "operator in an expression": "m = 1 + holder[3]",
}


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_an_array_survives_the_container_that_drops_it(loss):
    f = defined(
        f"""
def f(n):
    items = one_array(n)
    holder = Holder(np.zeros(n), items)
    steps = yield_then_pop(items)
    x = items[0]
    {loss}
    y = np.full(n, 7.0)
    return x[0] + x[n - 1], y[0]
""",
        one_array=one_array,
        pop=pop,
        yield_then_pop=yield_then_pop,
        Holder=Holder,
        List=List,
    )
    assert f(SIZE) == (6, 7)


def test_an_array_survives_the_instance_that_drops_it():
    @njit
    def f(n):
        holder = Holder(np.full(n, 3.0), one_array(n))
        x = holder.array
        holder.array = np.zeros(n)
        y = np.full(n, 7.0)
        return x[0] + x[n - 1], y[0]

    assert f(SIZE) == (6, 7)


def test_an_array_survives_the_dict_that_drops_it():
    @njit
    def f(n):
        items = {1: np.full(n, 3.0)}
        x = items[1]
        items[1] = np.zeros(n)
        y = np.full(n, 7.0)
        return x[0] + x[n - 1], y[0]

    assert f(SIZE) == (6, 7)


def test_an_array_survives_as_long_as_its_address():
    @njit
    def f(n):
        items = one_array(n)
        p = items[0].ctypes
        items.pop()
        y = np.full(n, 7.0)
        return heddle.carray(p, n)[0], y[0]

    assert f(SIZE) == (3, 7)


def test_an_array_survives_a_list_that_print_changes():
    @njit
    def f(items):
        x = items[0]
        print("now")
        y = np.full(x.size, 7.0)
        return x[0] + x[-1], y[0]

    items = one_array(SIZE)
    with contextlib.redirect_stdout(Output(lambda: items.clear())):
        assert f(items) == (6, 7)


KEEPS = {
    "nothing": "pass",
    "store": "x[0] = 1",
    "math": "k = math.sqrt(2.0 * n)",
    "length": "k = len(items)",
    "other list": "k = len([n])",
}


@pytest.mark.parametrize("keep", KEEPS.values(), ids=KEEPS)
def test_an_array_for_immediate_use_is_not_counted(keep):
    f = defined(
        f"""
def f(items, n):
    x = items[0]
    {keep}
    return x[n]
""",
        math=math,
    )
    f(List([np.ones(3)]), 2)
    (code,) = f.inspect_llvm().values()
    assert "retain" not in code

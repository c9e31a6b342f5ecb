"""A function is what its name is bound to: library functions under other names, and programs' own functions under the
names of library functions."""

import numpy as np
import pytest

from heddle import cuda, njit, types
from heddle import prange as shared_range
from heddle.typed import Dict, List

numbered, paired, made_iterator, length = enumerate, zip, iter, len


@njit
def prange(n):
    return range(n, 0, -1)


@njit
def enumerate(items, step):  # noqa: A001 - the subject of the test
    return items[::step]


@njit
def zip(a, b):  # noqa: A001
    return (a[0], b[-1])


@njit
def _places(x):
    return x


@njit
def append(items, item):
    return item - 1


@cuda.jit
def count(out, x, y):
    for i, (a, b) in numbered(paired(x, y)):
        out[i] = a * b + length(x)
    for a in made_iterator(x):
        out[0] += a


def test_library_functions_under_other_names_in_a_kernel(device):
    out, x, y = np.zeros(3), np.arange(3.0), np.arange(3.0) + 1
    count[1, 1](out, x, y)
    assert out.tolist() == [6, 5, 9]


def test_library_functions_under_other_names_in_a_host_function():
    @njit
    def f(items):
        total, table = 0, {7: 1, 8: 2}
        for i, (a, b) in numbered(paired(items, table)):
            items.append(i) if length(items) < 5 else None
            total += i * a + b
        return total + length(table.values())

    assert f([3, 4, 5]) == 4 + 15 + 2


def test_functions_of_the_program_have_the_names_of_library_functions():
    @njit(parallel=True)
    def f(x):
        total = 0
        for i in prange(3):
            total = 10 * total + i
        for item in enumerate(x, 2):
            total = 10 * total + item
        first, last = zip(x, x)
        return 10 * total + last - first + append(x, 1)

    assert f(np.arange(1, 4)) == 321132


def typed_dict(values):
    made = Dict.empty(types.int64, types.int64)
    made.update(values)
    return made


def shares_iterations(capsys, function):
    function.parallel_diagnostics()
    return "several threads share its iterations" in capsys.readouterr().out


def test_prange_under_another_name_shares_its_iterations(capsys):
    @njit(parallel=True)
    def f(n):
        total = 0
        for i in shared_range(n):
            for j in shared_range(2):
                total += j
        return total

    assert f(10) == 10
    assert shares_iterations(capsys, f)


@pytest.mark.parametrize("kind", ["array", "dict", "list"])
def test_only_changes_of_containers_keep_one_thread(capsys, kind):
    @njit(parallel=True)
    def f(x):
        for i in shared_range(4):
            _places(x)[i] = 7
        return x

    x = {
        "array": np.zeros(4, np.int64),
        "dict": typed_dict({i: 0 for i in range(4)}),
        "list": List([0] * 4),
    }[kind]
    f(x)
    assert shares_iterations(capsys, f) == (kind == "array")


@pytest.mark.parametrize("width", ["1", "8"])
def test_a_set_changed_through_its_parts_keeps_one_thread(capsys, monkeypatch, width):
    monkeypatch.setenv("HEDDLE_WIDTH", width)

    @njit(parallel=True)
    def f(seen):
        for i in shared_range(1000):
            seen.add(i)
        return length(seen)

    assert f({0, 1}) == 1000
    assert not shares_iterations(capsys, f)

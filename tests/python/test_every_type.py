"""Every type with every operation for every target ends with a result or an exception, and never with a crash."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from heddle import cuda, float64, int64, njit, types
from heddle.errors import TypingError
from heddle.experimental import jitclass
from heddle.typed import Dict

PROGRAM = Path(__file__).parents[1] / "fuzz" / "types_and_operations.py"
MOST_CRASHES = 10


def problems_of(batch, first, step, folder):
    """(the failures of every `step`-th case of a batch from case `first` on, the number of cases)"""
    environment = {**os.environ, "HEDDLE_DEVICE": "cpu", "HEDDLE_CACHE_DIR": str(folder)}
    found, count = [], 0
    for _ in range(MOST_CRASHES):
        done = subprocess.run(
            [sys.executable, PROGRAM, batch, str(first), str(step)],
            env=environment,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=600,
            check=False,
        )
        lines = done.stdout.splitlines()
        found += [line for line in lines if line.startswith("FAIL ")]
        cases = [line for line in lines if line[:1].isdigit()]
        count += len(cases)
        if lines and lines[-1] == "END":
            break
        assert cases, done.stderr
        found.append(f"CRASH {done.returncode} {cases[-1]}: {done.stderr[-300:]}")
        first = int(cases[-1].split()[0]) + step
    return found, count


# By batch: how many processes share it, and one of how many cases is run here. Calls run the back end, which does not
# look at types: a sample of them is enough. `types_and_operations.py BATCH` runs all.
BATCHES = {
    "device": (2, 1),
    "kernel": (2, 1),
    "host": (2, 11),
    "declarations": (2, 1),
    "calls of kernels": (2, 9),
    "calls of host functions": (2, 13),
}


@pytest.mark.parametrize(
    "batch, share",
    [(batch, share) for batch, (count, _) in BATCHES.items() for share in range(count)],
)
def test_each_operation_on_each_type_ends_with_a_result_or_an_error(tmp_path, batch, share):
    processes, sampled = BATCHES[batch]
    found, count = problems_of(batch, share, processes * sampled, tmp_path)
    assert not found, "\n".join(found)
    assert count > 500


def index(d):
    return d[1]


def assign(d):
    d[1] = 2


def look_up(d):
    return 1 in d


def loop(d):
    for key in d:
        return key
    return 0


INTS = types.DictType(int64, int64)
Node = types.deferred_type()


@pytest.mark.parametrize("function", [index, assign, look_up, loop])
@pytest.mark.parametrize(
    "type",
    [
        INTS,
        types.ListType(int64),
        types.Set(int64),
        types.Optional(INTS),
        types.Tuple((INTS, int64)),
        types.CPointer(INTS),
    ],
)
def test_a_device_function_has_no_parameter_that_holds_a_container(function, type):
    with pytest.raises(TypingError, match="kernels have no values of"):
        cuda.compile(function, (type,), device=True)


def test_a_device_function_declares_no_container_as_its_result():
    def nothing(x):
        return None

    with pytest.raises(TypingError, match="the declared result is .*DictType"):
        cuda.compile(nothing, types.Optional(INTS)(int64), device=True)


def test_a_deferred_type_is_defined_before_a_signature_names_it():
    @njit
    def first(node):
        return node[0]

    with pytest.raises(TypingError, match="define the deferred type before"):
        first.compile((Node,))


def test_a_signature_names_a_deferred_type_that_is_defined():
    @jitclass([("value", int64)])
    class Item:
        def __init__(self, value):
            self.value = value

    later = types.deferred_type()
    later.define(Item.class_type.instance_type)

    @njit(int64(later))
    def value_of(item):
        return item.value

    assert value_of(Item(7)) == 7


def test_a_loop_goes_over_a_dict_that_may_be_none():
    @njit(int64(types.Optional(INTS)))
    def total(d):
        result = 0
        for key in d:
            result += key
        return result

    d = Dict.empty(int64, int64)
    d[3], d[4] = 5, 6
    assert total(d) == 7


def test_an_instance_without_a_length_is_refused():
    @jitclass([("value", int64)])
    class Item:
        def __init__(self):
            self.value = 1

    with pytest.raises(TypingError, match="len"):
        njit(lambda x: len(x))(Item())


@pytest.mark.parametrize(
    "texts, others, expected",
    [
        (("a", "b"), ("a", "b"), [1, 0, 0, 1]),
        (("a", "b"), ("a", "c"), [0, 1, 1, 1]),
        (("b", "b"), ("a", "c"), [0, 1, 0, 0]),
        ((1, ("a", 2.0)), (1, ("b", 1.0)), [0, 1, 1, 1]),
    ],
)
def test_tuples_with_strings_compare_in_kernels(device, texts, others, expected):
    @cuda.jit
    def compare(x, y, out):
        out[0], out[1], out[2], out[3] = x == y, x != y, x < y, x <= y

    out = np.zeros(4, np.int32)
    compare[1, 1](texts, others, out)
    np.testing.assert_array_equal(out, expected)


def test_a_type_without_slices_in_brackets_is_refused():
    @njit
    def index_type():
        return float64[()]

    with pytest.raises(TypingError, match="cannot index"):
        index_type()


def test_a_set_type_has_items_that_have_hashes():
    with pytest.raises(TypeError, match="a set cannot hold"):
        types.Set(INTS)

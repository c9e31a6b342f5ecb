"""The memory that the checker counts as written, in and outside of checks."""

import numpy as np
import pytest

import heddle
from heddle import cuda
from heddle.compat import cupy as cp

pytestmark = pytest.mark.usefixtures("cpu")


@cuda.jit
def add_one(x):
    x[cuda.grid(1)] += 1


@cuda.jit
def store_one(x):
    x[cuda.grid(1)] = 1


@cuda.jit
def copy(x, y):
    y[cuda.grid(1)] = x[cuda.grid(1)]


def check(kernel, *arrays):
    with heddle.check(print=False) as report:
        kernel[1, 32](*arrays)
    return [finding.kind for finding in report.findings]


def test_an_array_allocated_before_the_check_is_new():
    assert check(add_one, cuda.device_array(32, np.int32)) == ["uninit"]


def test_an_array_written_before_the_check_is_defined():
    x = cuda.device_array(32, np.int32)
    x[:] = 0
    assert check(add_one, x) == []


def test_a_launch_outside_of_a_check_defines_what_it_may_write():
    x = cuda.device_array(32, np.int32)
    store_one[1, 32](x)
    assert check(add_one, x) == []


def test_a_copy_outside_of_a_check_defines_only_its_target():
    x = cuda.device_array(32, np.int32)
    cuda.to_device(np.zeros(32, np.int32))
    assert check(add_one, x) == ["uninit"]


def test_values_stay_undefined_across_checks():
    x, y = cuda.device_array(32, np.int32), cuda.device_array(32, np.int32)
    assert check(copy, x, y) == []
    assert check(add_one, y) == ["uninit"]
    assert check(add_one, y) == []  # the sum has a value


def test_reading_an_array_does_not_define_it():
    x = cuda.device_array(32, np.int32)
    x.copy_to_host()
    assert check(add_one, x) == ["uninit"]


def test_numpy_may_write_through_the_buffer_protocol():
    x = cuda.device_array(32, np.int32)
    np.asarray(memoryview(x))[:] = 0
    assert check(add_one, x) == []


@pytest.mark.parametrize("allocate", [cuda.managed_array, cuda.mapped_array])
def test_memory_that_the_host_can_write_is_defined(allocate):
    assert check(add_one, allocate(32, np.int32)) == []


def test_cupy_arrays_are_new():
    assert check(add_one, cp.empty(32, dtype=np.int32)) == ["uninit"]


def test_views_of_cupy_arrays_are_new():
    assert check(add_one, cp.empty((8, 8), dtype=np.int32)[4:].ravel()) == ["uninit"]


def test_memory_from_a_pool_is_new_again():
    with heddle.check(print=False) as report:
        x = cp.zeros(32, dtype=np.int32)
        del x
        add_one[1, 32](cp.empty(32, dtype=np.int32))
    assert [finding.kind for finding in report.findings] == ["uninit"]


def test_the_report_names_the_element_and_the_use():
    @cuda.jit
    def sum_pair(x, out):
        s = cuda.shared.array(32, np.int32)
        t = cuda.threadIdx.x
        if t < 20:
            s[t] = x[t]
        cuda.syncthreads()
        v = s[t]
        out[t] = v + 1

    x = np.zeros(32, np.int32)
    with heddle.check(print=False) as report:
        sum_pair[1, 32](x, x.copy())
    (finding,) = report.findings
    line = sum_pair.py_func.__code__.co_firstlineno
    assert (finding.kind, finding.space, finding.count) == ("uninit", "shared", 12)
    assert (finding.array, finding.element) == ("s", (20,))
    assert [access.line - line for access in finding.accesses] == [8]
    assert finding.accesses[0].thread == (20, 0, 0)
    assert finding.message == (
        f"uninitialized shared memory: `s[20]` is used, after the read in line {line + 7}, but "
        "nothing was stored there before"
    )
    assert "cuda.syncthreads()" in finding.hint
    assert "thread (20, 0, 0) of block (0, 0, 0) uses the value" in str(report)

"""Reports of indices that are out of bounds, by the kind of array."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import heddle
from heddle import cuda, float64, int32

pytestmark = pytest.mark.usefixtures("cpu")

table = np.arange(3.0)
record = np.dtype([("v", np.float64)])


@cuda.jit
def write_shared(x, i):
    s = cuda.shared.array(3, float64)
    s[i] = x[0]


@cuda.jit
def write_local(x, i):
    a = cuda.local.array(3, float64)
    a[i] = x[0]
    x[0] = a[0]


@cuda.jit
def read_constant(x, i):
    x[0] = cuda.const.array_like(table)[i]


@cuda.jit
def write_argument(x, i):
    x[i] = 1


@cuda.jit
def write_field(x, i):
    x[i].v = 1


@cuda.jit
def read_tuple(x, i):
    x[0] = (1, 2, 3)[i]


def find(kernel, x, i):
    with heddle.check(print=False, lints=False) as report:
        kernel[1, 1](x, i)
        cuda.synchronize()
    (found,) = [one for one in report.errors if one.kind == "bounds"]
    return found


@pytest.mark.parametrize("i", [-4, 3, 1 << 40])
@pytest.mark.parametrize(
    "kernel, space, title",
    [
        (write_shared, "shared", "out-of-bounds write to `s`: "),
        (write_local, "local", "out-of-bounds write to `a`: "),
        (read_constant, "constant", "out-of-bounds read of constant memory: "),
        (write_argument, "global", "out-of-bounds write to `x`: "),
    ],
)
def test_the_memory_of_the_array_is_named(kernel, space, title, i):
    found = find(kernel, np.ones(3), i)
    assert found.space == space
    assert found.message.startswith(f"{title}index {i} is out of bounds for axis 0 of ")


def test_an_array_of_records_has_its_name_from_the_message():
    found = find(write_field, np.zeros(3, record), 3)
    assert (
        found.message
        == "out-of-bounds write to `x`: index 3 is out of bounds for axis 0 of 'x' with size 3"
    )


def test_a_tuple_is_in_no_memory():
    found = find(read_tuple, np.zeros(3), 3)
    assert found.message == "out-of-bounds index: tuple index out of range"
    assert found.hint == "compare the index with the number of elements before the access"


@pytest.mark.parametrize("written, kinds", [(64_000, []), (63_999, ["uninit"])])
def test_local_arrays_may_use_all_the_memory_of_a_thread(written, kinds):
    @cuda.jit
    def fill(x, n):
        a = cuda.local.array(64_000, float64)
        for i in range(n):
            a[i] = i
        x[0] = 2 * a[int32(x[1]) + 63_999]

    x = np.zeros(2)
    with heddle.check(print=False, lints=False) as report:
        fill[1, 1](x, written)
        cuda.synchronize()
    assert [found.kind for found in report.errors] == kinds
    if not kinds:
        assert_array_equal(x, [2 * 63_999, 0])

"""Bool arrays in kernels: one byte per element, 0 or 1."""

from functools import partial

import numpy as np
import pytest
from in_kernels import of_each_row

from heddle import boolean, cuda

run = partial(of_each_row, dtype=bool)

flags = np.array([True, False, False, True, True])


@pytest.mark.parametrize(
    "operation",
    [
        lambda x, y: x & y,
        lambda x, y: x | y,
        lambda x, y: x ^ y,
        lambda x, y: x == y,
        lambda x, y: x < y,
        lambda x, y: max(x, y),
    ],
)
def test_operations_of_flags_are_flags(device, operation):
    other = flags[::-1].copy()
    expected = [operation(x, y) for x, y in zip(flags.tolist(), other.tolist(), strict=True)]
    np.testing.assert_array_equal(run(operation, flags, other), expected)


@pytest.mark.parametrize("dtype", ["i1", "u4", "i8", "f2", "f4", "f8"])
def test_any_number_but_zero_is_stored_as_true(device, dtype):
    a = np.array([0, 1, 2, 100, -0.0]).astype(dtype)
    found = run(lambda x: x, a)
    np.testing.assert_array_equal(found.view(np.uint8), [0, 1, 1, 1, 0])


def test_a_nan_is_true(device):
    assert run(lambda x: x, np.array([np.nan])).view(np.uint8)[0] == 1


def test_flags_are_numbers_in_arithmetic(device):
    found = run(lambda x: x + x + 1 - (-x), flags, dtype=np.int64)
    np.testing.assert_array_equal(found, flags * 3 + 1)


def test_a_flag_is_negated(device):
    np.testing.assert_array_equal(run(lambda x: not x, flags), ~flags)
    np.testing.assert_array_equal(run(lambda x: ~x, flags), ~flags)


def test_flags_decide_branches_and_change_in_place(device):
    @cuda.jit
    def kernel(a, count):
        for i in range(a.size):
            if a[i]:
                count[0] += a[i]
                a[i] = False
            else:
                a[i] |= True
        a[0] += 5

    a, count = flags.copy(), np.zeros(1, np.int32)
    kernel[1, 1](a, count)
    np.testing.assert_array_equal(a.view(np.uint8), [1, 1, 1, 0, 0])
    assert count[0] == 3


def test_shared_and_local_arrays_of_flags(device):
    @cuda.jit
    def kernel(out, a):
        i = cuda.threadIdx.x
        shared, local = cuda.shared.array(8, boolean), cuda.local.array(2, np.bool_)
        shared[i] = a[i]
        local[1] = not a[i]
        cuda.syncthreads()
        out[i] = shared[4 - i] and local[1]

    out = np.zeros(5, bool)
    kernel[1, 5](out, flags)
    np.testing.assert_array_equal(out, flags[::-1] & ~flags)


def test_a_strided_device_array_of_flags(device):
    @cuda.jit
    def kernel(a):
        a[cuda.threadIdx.x] = True

    a = cuda.to_device(np.zeros((3, 4), bool))
    kernel[1, 3](a[:, 1])
    np.testing.assert_array_equal(a.copy_to_host().nonzero()[1], [1, 1, 1])


@pytest.mark.parametrize("flag", [True, np.bool_(True)])
def test_a_flag_is_an_argument(device, flag):
    @cuda.jit
    def kernel(out, flag, pair):
        out[0] = flag
        out[1] = pair[0]

    out = np.ones(2, bool)
    kernel[1, 1](out, flag, (not flag, 1))
    np.testing.assert_array_equal(out, [True, False])

"""ctypes arrays as arguments: memory whose buffers have no strides."""

import ctypes

import numpy as np
import pytest

import heddle
from heddle import cuda


@pytest.mark.parametrize("width", [1, None])
@pytest.mark.parametrize(
    "kind", [ctypes.c_double * 8, ctypes.c_int * 8, (ctypes.c_float * 4) * 2, ctypes.c_longlong * 0]
)
def test_arrays_of_ctypes_are_used_in_place(kind, width, cpu):
    @cuda.jit(width=width)
    def increase(a):
        i = cuda.grid(1)
        if i < a.size:
            a.flat[i] += i

    array = kind()
    increase[1, 8](array)
    values = np.ctypeslib.as_array(array)
    np.testing.assert_array_equal(values.ravel(), np.arange(values.size))


def test_functions_and_raw_kernels_take_arrays_of_ctypes(cpu):
    @heddle.njit
    def total(a):
        return a.sum()

    array = (ctypes.c_double * 4)(1, 2, 3, 4)
    assert total(array) == 10
    code = 'extern "C" __global__ void twice(double* a) { a[threadIdx.x] *= 2; }'
    heddle.RawKernel(code, "twice")(1, 4, (array,))
    assert list(array) == [2, 4, 6, 8]

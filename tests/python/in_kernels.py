"""Functions run as kernels, for tests that compare what they leave with what Python leaves."""

import math

import numpy as np

from heddle import cuda


def run(function, *args, dtype=np.float64, size=8, threads=1, **named):
    """What ``function``, as it is or as a kernel, leaves in its first argument, an array of ``size`` zeros."""
    kernel = function if hasattr(function, "py_func") else cuda.jit(function)
    out = np.zeros(size, dtype)
    kernel[1, threads](out, *args, **named)
    return out


def check(function, *args, dtype=np.float64, size=8):
    """The kernel leaves in an array of zeros what Python and NumPy leave."""
    expected = np.zeros(size, dtype)
    function(expected, *args)
    np.testing.assert_array_equal(run(function, *args, dtype=dtype, size=size), expected)


def of_each_row(device_function, *arrays, dtype):
    """The value of ``device_function`` for each row of one or two arrays, stored in an array of ``dtype``."""
    f = cuda.jit(device=True)(device_function)
    out = np.zeros(arrays[0].size, dtype)
    if len(arrays) == 1:

        @cuda.jit
        def kernel(out, a):
            i = cuda.grid(1)
            if i < out.size:
                out[i] = f(a[i])

    else:

        @cuda.jit
        def kernel(out, a, b):
            i = cuda.grid(1)
            if i < out.size:
                out[i] = f(a[i], b[i])

    kernel[math.ceil(out.size / 128), 128](out, *arrays)
    return out

"""Functions run as kernels, for tests that compare what they leave with what Python leaves."""

import math

import numpy as np

from heddle import cuda


def run(function, *args, dtype=np.float64, size=8):
    """What ``function`` as a kernel of one thread leaves in its first argument, an array of ``size`` zeros."""
    out = np.zeros(size, dtype)
    cuda.jit(function)[1, 1](out, *args)
    return out


def check(function, *args):
    """The kernel leaves in an array of eight zeros what Python leaves."""
    expected = np.zeros(8)
    function(expected, *args)
    np.testing.assert_array_equal(run(function, *args), expected)


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

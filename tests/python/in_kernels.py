"""Runs functions as kernels, for tests that compare the memory they change with plain Python's."""

import math

import numpy as np

from heddle import cuda


def run(function, *args, dtype=np.float64, size=8, threads=1, **named):
    """The contents of an array of ``size`` zeros after ``function`` changed it, run as it is or as a kernel."""
    kernel = function if hasattr(function, "py_func") else cuda.jit(function)
    out = np.zeros(size, dtype)
    kernel[1, threads](out, *args, **named)
    return out


def check(function, *args, dtype=np.float64, size=8):
    """Check that the kernel changes an array of zeros as Python and NumPy do."""
    expected = np.zeros(size, dtype)
    function(expected, *args)
    np.testing.assert_array_equal(run(function, *args, dtype=dtype, size=size), expected)


def of_each_row(device_function, *arrays, dtype):
    """An array with dtype ``dtype`` of the results of ``device_function`` for each row of the arrays."""
    out = np.zeros(arrays[0].size, dtype)
    return store_each_row(out, cuda.jit(device=True)(device_function), *arrays)


def store_each_row(out, function, *arrays):
    """``out`` filled with the results of ``function``, callable from kernels, for each row of one to three arrays."""

    @cuda.jit
    def one(out, a):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = function(a[i])

    @cuda.jit
    def two(out, a, b):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = function(a[i], b[i])

    @cuda.jit
    def three(out, a, b, c):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = function(a[i], b[i], c[i])

    kernel = {1: one, 2: two, 3: three}[len(arrays)]
    kernel[math.ceil(out.size / 64), 64](out, *arrays)
    return out

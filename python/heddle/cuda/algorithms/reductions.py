"""Sums, products, extremes and truths of all elements of an array."""

import functools

import numpy as np

from heddle.compiler.jit import jit
from heddle.cuda.algorithms.flat_arrays import flat
from heddle.cuda.algorithms.reduction import kernel_of, run_reduction
from heddle.public_function import public


def _add(x, y):
    return x + y


def _multiply(x, y):
    return x * y


# A NaN wins, as in NumPy.
def _lower(x, y):
    return x if x < y or x != x else y


def _higher(x, y):
    return x if x > y or x != x else y


def _either(x, y):
    return x or y


def _both(x, y):
    return x and y


@functools.cache
def _kernel(function, result_dtype, dtype, on_cpu):
    return kernel_of(jit(device=True)(function), dtype, result_dtype, on_cpu)


def _reduced(function, array, initial, out, stream):
    def kernel_for(dtype, on_cpu):
        return _kernel(function, initial.dtype, dtype, on_cpu)

    return run_reduction(kernel_for, flat(array, stream), initial, out, stream)


@public
def sum(array, dtype=None, out=None, stream=0):
    """The sum of all elements.

    array: a device or host array of any shape. dtype: of the sum; NumPy's choice when None.
    out: a device array whose first element gets the result; the call then returns None and does not wait.
    """
    dtype = np.sum(np.zeros(1, array.dtype), dtype=dtype).dtype
    return _reduced(_add, array, dtype.type(0), out, stream)


@public
def prod(array, dtype=None, out=None, stream=0):
    """The product of all elements. Arguments as those of ``sum``."""
    dtype = np.prod(np.ones(1, array.dtype), dtype=dtype).dtype
    return _reduced(_multiply, array, dtype.type(1), out, stream)


@public
def min(array, out=None, stream=0):
    """The lowest element; a NaN if there is one. Raises ValueError for an empty array."""
    return _reduced(_lower, array, _limit(array, "min"), out, stream)


@public
def max(array, out=None, stream=0):
    """The highest element; a NaN if there is one. Raises ValueError for an empty array."""
    return _reduced(_higher, array, _limit(array, "max"), out, stream)


@public
def any(array, out=None, stream=0):
    """Whether an element is not 0."""
    return _reduced(_either, array, np.False_, out, stream)


@public
def all(array, out=None, stream=0):
    """Whether no element is 0."""
    return _reduced(_both, array, np.True_, out, stream)


def _limit(array, name):
    """What no element of the array's dtype is higher than, for "min", or lower than, for "max"."""
    dtype = np.dtype(array.dtype)
    if dtype.kind not in "biuf":
        raise TypeError(
            f"{name} compares numbers that have an order, and the array has dtype {dtype}"
        )
    if not array.size:
        raise ValueError(f"an empty array has no {name}")
    if dtype.kind == "b":
        return np.bool_(name == "min")
    if dtype.kind == "f":
        return dtype.type(np.inf if name == "min" else -np.inf)
    info = np.iinfo(dtype)
    return dtype.type(info.max if name == "min" else info.min)

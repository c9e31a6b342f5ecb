"""Sum, product, minimum, maximum, any and all over the elements of an array."""

import functools

import numpy as np

from heddle.compiler.jit import jit
from heddle.cuda.algorithms.flat_arrays import flatten_array
from heddle.cuda.algorithms.reduction import make_reduction_kernel, run_reduction
from heddle.support.public_function import public


def add(x, y):
    return x + y


def multiply(x, y):
    return x * y


# A NaN wins, as in NumPy.
def select_lower_or_nan(x, y):
    return x if x < y or x != x else y


def select_higher_or_nan(x, y):
    return x if x > y or x != x else y


def _logical_or(x, y):
    return x or y


def _logical_and(x, y):
    return x and y


@functools.cache
def _get_reduction_kernel(function, result_dtype, dtype, on_cpu):
    return make_reduction_kernel(jit(device=True)(function), dtype, result_dtype, on_cpu)


def _reduce_array(function, array, initial, out, stream):
    def get_kernel(dtype, on_cpu):
        return _get_reduction_kernel(function, initial.dtype, dtype, on_cpu)

    return run_reduction(get_kernel, flatten_array(array, stream), initial, out, stream)


@public
def sum(array, dtype=None, out=None, stream=0):
    """The sum of all elements.

    array: a device or host array of any shape. dtype: the dtype of the sum, by default NumPy's choice.
    out: a device array whose first element receives the result; the call then returns None and does not wait.

    >>> print(algorithms.sum(x))
    1000.0
    """
    dtype = np.sum(np.zeros(1, array.dtype), dtype=dtype).dtype
    return _reduce_array(add, array, dtype.type(0), out, stream)


@public
def prod(array, dtype=None, out=None, stream=0):
    """The product of all elements. Takes the arguments of ``sum``.

    >>> print(algorithms.prod(np.array([2, 3, 4])))
    24
    """
    dtype = np.prod(np.ones(1, array.dtype), dtype=dtype).dtype
    return _reduce_array(multiply, array, dtype.type(1), out, stream)


@public
def min(array, out=None, stream=0):
    """The lowest element, or a NaN if there is one. Raises ValueError for an empty array.

    >>> print(algorithms.min(np.array([3.0, 1.0, 2.0])))
    1.0
    """
    return _reduce_array(
        select_lower_or_nan, array, _get_checked_min_or_max_identity(array, "min"), out, stream
    )


@public
def max(array, out=None, stream=0):
    """The highest element, or a NaN if there is one. Raises ValueError for an empty array.

    >>> print(algorithms.max(np.array([3.0, 1.0, 2.0])))
    3.0
    """
    return _reduce_array(
        select_higher_or_nan, array, _get_checked_min_or_max_identity(array, "max"), out, stream
    )


@public
def any(array, out=None, stream=0):
    """True if any element is nonzero.

    >>> print(algorithms.any(np.array([1, 2, 0])))
    True
    """
    return _reduce_array(_logical_or, array, np.False_, out, stream)


@public
def all(array, out=None, stream=0):
    """True if all elements are nonzero.

    >>> print(algorithms.all(np.array([1, 2, 0])))
    False
    """
    return _reduce_array(_logical_and, array, np.True_, out, stream)


def _get_checked_min_or_max_identity(array, name):
    """The initial value of a reduction: the highest value of the dtype for "min", the lowest for "max"."""
    dtype = np.dtype(array.dtype)
    if dtype.kind not in "biuf":
        raise TypeError(f"{name} compares ordered numbers, but the array has dtype {dtype}")
    if not array.size:
        raise ValueError(f"an empty array has no {name}")
    return get_min_or_max_identity(dtype, name)


def get_min_or_max_identity(dtype, name):
    """The highest value of a dtype of ordered numbers for "min", the lowest for "max"."""
    if dtype.kind == "b":
        return np.bool_(name == "min")
    if dtype.kind == "f":
        return dtype.type(np.inf if name == "min" else -np.inf)
    info = np.iinfo(dtype)
    return dtype.type(info.max if name == "min" else info.min)

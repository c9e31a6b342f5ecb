"""The index of the lowest or highest element of an array."""

import functools

import numpy as np

from heddle.compiler.jit import jit
from heddle.cuda.algorithms.arg_kernels import make_arg_kernel, threads
from heddle.cuda.algorithms.flat_arrays import flatten_array
from heddle.cuda.algorithms.workspaces import get_thread_result_arrays, get_workspace, most_blocks
from heddle.cuda.device_ndarray import DeviceNDArray
from heddle.cuda.streams import to_native_stream
from heddle.support.public_function import public
from heddle.types import from_dtype


# The first NaN wins, as in NumPy.
def _is_lower_or_nan(x, y):
    return x < y or (x != x and y == y)


def _is_higher_or_nan(x, y):
    return x > y or (x != x and y == y)


@public
def argmin(array, stream=0):
    """The first index, in C order, of the lowest element, or of a NaN. Raises ValueError for an empty array.

    array: a device or host array of any shape.

    >>> print(algorithms.argmin(np.array([3.0, 1.0, 2.0])))
    1
    """
    return _reduce_to_index(_is_lower_or_nan, np.argmin, array, stream)


@public
def argmax(array, stream=0):
    """The first index, in C order, of the highest element, or of a NaN. Raises ValueError for an empty array.

    >>> print(algorithms.argmax(np.array([3.0, 1.0, 2.0])))
    0
    """
    return _reduce_to_index(_is_higher_or_nan, np.argmax, array, stream)


def _reduce_to_index(wins, on_host, array, stream):
    array = flatten_array(array, stream)
    native = to_native_stream(stream, array.device if isinstance(array, DeviceNDArray) else None)
    if not array.size or array.dtype.kind not in "biuf":
        return on_host(np.empty(array.size, array.dtype))  # NumPy's error
    device = native.device
    if device.uses_host_memory:
        native.synchronize()
        return on_host(array if isinstance(array, np.ndarray) else array._get_numpy_view())
    result, seen = get_thread_result_arrays(device, np.dtype(np.int64))
    workspace = get_workspace(native)
    values = workspace.get_partial_results_array(array.dtype)
    places = workspace.get_partial_results_array(np.dtype(np.int64), "places")
    filling = device.attribute("MULTIPROCESSOR_COUNT") * (2048 // threads)
    blocks = min(-(-array.size // threads), filling, most_blocks)
    kernel = get_arg_kernel(wins, array.dtype)
    kernel[blocks, threads, native](array, result, values, places, workspace.ticket)
    native.synchronize()
    return seen[0]


@functools.cache
def get_arg_kernel(wins, dtype):
    """The kernel for arrays of a dtype. wins: a Python function, true if its first argument is better."""
    return make_arg_kernel(jit(device=True)(wins), from_dtype(dtype))

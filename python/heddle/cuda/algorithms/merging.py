"""Merges of sorted arrays."""

import functools

import numpy as np

from heddle.compiler.jit import jit
from heddle.cuda.algorithms import merge_kernels
from heddle.cuda.algorithms.flat_arrays import allocate_like, store_from_host
from heddle.cuda.algorithms.sorting import argsort_with_numpy, require_sortable_array_and_stream
from heddle.support.public_function import public
from heddle.types import from_dtype


@public
def merge(first, second, descending=False, stream=0):
    """Merges two sorted 1-D arrays of one dtype. Among equal elements, those of ``first`` come first.

    first, second: device arrays or host arrays of bools, integers or floats, sorted as by ``sort``: ascending with NaNs
    last, or the reverse with ``descending``. If they are not sorted, the order of the result is undefined.
    Returns a device array, or a NumPy array if the arguments are host arrays. Does not wait for results on a GPU.
    """
    first, native = require_sortable_array_and_stream("merge", first, stream)
    second, _ = require_sortable_array_and_stream("merge", second, stream)
    on_host = isinstance(first, np.ndarray)
    if isinstance(second, np.ndarray) != on_host:
        raise TypeError(
            "merge takes two device arrays or two host arrays, not one of each\n"
            "  hint: copy one of them with cuda.to_device() or copy_to_host()"
        )
    if first.dtype != second.dtype:
        raise TypeError(
            f"merge takes arrays of one dtype, but these have {first.dtype} and {second.dtype}"
        )
    if on_host:
        return _merge_with_numpy(first, second, descending)
    result = allocate_like(first, (first.size + second.size,))
    if native.device.uses_host_memory:
        native.synchronize()
        store_from_host(
            result, _merge_with_numpy(first._get_numpy_view(), second._get_numpy_view(), descending)
        )
    elif result.size:
        _launch_merge(first, second, result, descending, native)
    return result


def _merge_with_numpy(first, second, descending):
    both = np.concatenate((first, second))
    return both[argsort_with_numpy(both, descending)]


def _launch_merge(first, second, result, descending, native):
    blocks = -(-result.size // merge_kernels.tile_size)
    kernel = _get_merge_kernel(result.dtype, descending)
    kernel[blocks, merge_kernels.threads, native](first, second, result)


@functools.cache
def _get_merge_kernel(dtype, descending):
    is_before = _is_higher_with_nan_first if descending else _is_lower_with_nan_last
    return merge_kernels.make_merge_kernel(jit(device=True)(is_before), from_dtype(dtype))


# NaNs are the highest, as in NumPy.
def _is_lower_with_nan_last(x, y):
    return x < y or (x == x and y != y)


def _is_higher_with_nan_first(x, y):
    return x > y or (x != x and y == y)

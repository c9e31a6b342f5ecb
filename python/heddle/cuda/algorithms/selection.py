"""Selects elements of an array, and finds its distinct elements."""

import functools

import numpy as np

from heddle import _heddle
from heddle.compiler.jit import jit
from heddle.cuda.algorithms import select_kernels
from heddle.cuda.algorithms.flat_arrays import (
    allocate_copy_from_host,
    allocate_like,
    flatten_array,
    require_same_memory_kind,
)
from heddle.cuda.algorithms.look_back import get_tile_state_arguments
from heddle.cuda.algorithms.sorting import sort
from heddle.cuda.algorithms.workspaces import get_thread_result_arrays
from heddle.cuda.foreign_arrays import as_cuda_array, is_cuda_array
from heddle.cuda.streams import to_native_stream
from heddle.support.public_function import public

_most_for_32_bits = 1 << 31  # elements


@public
def select(array, condition, stream=0):
    """The elements that satisfy a condition, in C order, as a 1-D array: like ``array[mask]`` in NumPy.

    array: a device or host array of any shape. condition: an array of bools with the same shape, in the same kind of
    memory as ``array``; or a function of one value, or a device function, which is called for each element.
    Returns a device array, or a NumPy array if ``array`` is a host array. Waits until the number of elements is known.
    On a GPU, the result occupies as much memory as ``array``.
    """
    on_host = not is_cuda_array(array)
    source = np.asarray(array) if on_host else as_cuda_array(array)
    if source.dtype.kind not in "biufc":
        raise TypeError(f"select takes arrays of numbers, but this one has dtype {source.dtype}")
    native = to_native_stream(stream, None if on_host else source.device)
    if callable(condition) and not is_cuda_array(condition):
        if on_host:
            return source[_evaluate_predicate_on_host(condition, source)]
        flat = flatten_array(source, stream)
        return _select_on_device(flat, flat, _make_predicate_test(condition), native)[0]
    mask = _require_bool_mask(source, condition)
    if on_host:
        return source[mask]
    if native.device.uses_host_memory:
        native.synchronize()
        return allocate_copy_from_host(source, source._get_numpy_view()[mask._get_numpy_view()])
    flat = flatten_array(source, stream)
    return _select_on_device(flat, flatten_array(mask, stream), select_kernels.is_in_mask, native)[
        0
    ]


@public
def unique(array, return_counts=False, stream=0):
    """The distinct elements of an array, sorted: ascending, one NaN last, as numpy.unique does.

    array: a device or host array of bools, integers or floats, of any shape. With ``return_counts``, returns ``(values,
    counts)``; the counts are an array of int64.
    Returns device arrays, or NumPy arrays if ``array`` is a host array. Waits until the number of elements is known. On
    a GPU, each result occupies as much memory as if all elements were distinct.
    """
    on_host = not is_cuda_array(array)
    source = np.asarray(array) if on_host else as_cuda_array(array)
    if source.dtype.kind not in "biuf":
        raise TypeError(
            f"unique takes arrays of bools, integers or floats, but this one has dtype {source.dtype}"
        )
    native = to_native_stream(stream, None if on_host else source.device)
    if on_host:
        return np.unique(source, return_counts=return_counts)
    if native.device.uses_host_memory:
        native.synchronize()
        found = np.unique(source._get_numpy_view(), return_counts=True)
        values, counts = (allocate_copy_from_host(source, part) for part in found)
    else:
        ordered = sort(flatten_array(source, stream), stream=stream)
        values, counts = _find_run_values_and_lengths(ordered, return_counts, native)
    return (values, counts) if return_counts else values


def _require_bool_mask(source, condition):
    mask = require_same_memory_kind(source, condition, "the elements are in", "the condition is in")
    if mask.dtype != np.bool_:
        raise TypeError(
            f"the condition is an array of bools or a function, but this array has dtype {mask.dtype}"
        )
    if mask.shape != source.shape:
        raise ValueError(f"the array has shape {source.shape}, but the condition {mask.shape}")
    return mask


def _evaluate_predicate_on_host(predicate, source):
    function = getattr(predicate, "py_func", predicate)
    found = (bool(function(value)) for value in source.ravel())
    return np.fromiter(found, np.bool_, source.size).reshape(source.shape)


@functools.lru_cache(maxsize=256)
def _make_predicate_test(predicate):
    if not isinstance(predicate, _heddle.DispatcherBase):
        predicate = jit(device=True)(predicate)
    return select_kernels.make_predicate_test(predicate)


def _find_run_values_and_lengths(ordered, return_counts, native):
    """The first element of each run of equal ones and, if asked for, the lengths of the runs."""
    values, starts = _select_on_device(
        ordered, ordered, select_kernels.starts_run, native, return_counts
    )
    if not return_counts:
        return values, None
    counts = allocate_like(values, values.shape, np.int64)
    if counts.size:
        blocks = -(-counts.size // select_kernels.threads)
        _get_difference_kernel()[blocks, select_kernels.threads, native](
            starts, ordered.size, counts
        )
    return values, counts


def _select_on_device(array, mask, is_chosen, native, with_indices=False):
    """The chosen elements and, if asked for, their indices. Waits for their number."""
    out = allocate_like(array, (array.size,))
    outputs = (out, allocate_like(array, (array.size,), np.int64)) if with_indices else (out,)
    if not array.size:
        return out, outputs[-1]
    count_dtype = np.dtype(np.uint32 if array.size < _most_for_32_bits else np.int64)
    kernel = _get_select_kernel(is_chosen, array.dtype, count_dtype, with_indices)
    blocks = -(-array.size // select_kernels.tile_size)
    states = get_tile_state_arguments(native, blocks, count_dtype)
    total, seen = get_thread_result_arrays(native.device, np.dtype(np.int64))
    kernel[blocks, select_kernels.threads, native](array, mask, *outputs, *states, total)
    native.synchronize()
    return out[: seen[0]], outputs[-1][: seen[0]]


@functools.lru_cache(maxsize=256)
def _get_select_kernel(is_chosen, dtype, count_dtype, with_indices):
    return select_kernels.make_select_kernel(is_chosen, dtype, count_dtype, with_indices)


@functools.cache
def _get_difference_kernel():
    return select_kernels.make_difference_kernel()

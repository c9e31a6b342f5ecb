"""Reductions of the segments of an array."""

import functools

import numpy as np

from heddle import _heddle
from heddle.compiler.jit import jit
from heddle.cuda.algorithms import reductions, segment_kernels
from heddle.cuda.algorithms.flat_arrays import allocate_like, flatten_array
from heddle.cuda.device_ndarray import DeviceNDArray
from heddle.cuda.foreign_arrays import as_cuda_array, is_cuda_array
from heddle.cuda.streams import Stream, to_native_stream
from heddle.support.public_function import public

_functions = {
    "sum": reductions.add,
    "prod": reductions.multiply,
    "min": reductions.select_lower_or_nan,
    "max": reductions.select_higher_or_nan,
}
_longest_for_a_thread, _longest_for_a_warp = 4, 2048  # average elements per segment


@public
def segmented_reduce(array, offsets, operation="sum", init=None, dtype=None, stream=0):
    """Reduces each segment of an array to one value. Segment i is ``array[offsets[i]:offsets[i + 1]]``.

    array: a device or host array, whose elements are taken in C order. offsets: a 1-D device or host array of
    non-decreasing integers, one more than there are segments. On a GPU, parts of a segment outside the array are
    ignored. operation: "sum", "prod", "min", "max", or an associative and commutative function of two values.
    init: the initial value of each segment's reduction, and thus the result for an empty segment. By default 0 for
    "sum", 1 for "prod", the highest value of the dtype for "min" and the lowest for "max"; functions require it.
    dtype: the dtype of the results. The default is NumPy's choice for "sum" and "prod", else the array's dtype.
    Returns a 1-D device array, or a NumPy array if ``array`` is a host array. Does not wait for results on a GPU.
    Segments of similar length are fastest.
    """
    on_host = not is_cuda_array(array)
    source = np.asarray(array) if on_host else as_cuda_array(array)
    if source.dtype.kind not in "biufc":
        raise TypeError(
            f"segmented_reduce combines numbers, but the array has dtype {source.dtype}"
        )
    dtype = _check_operation_and_choose_dtype(source.dtype, operation, dtype)
    initial = _choose_initial_value(operation, init, dtype)
    native = to_native_stream(stream, None if on_host else source.device)
    offsets = _check_and_copy_offsets(source, offsets, native)
    source = flatten_array(source, stream)
    count = offsets.size - 1
    result = np.empty(count, dtype) if on_host else allocate_like(source, (count,), dtype)
    if count:
        _launch_segmented_reduction(source, offsets, result, operation, initial, native)
    return result


def _check_operation_and_choose_dtype(source, operation, dtype):
    if isinstance(operation, str) and operation not in _functions:
        raise ValueError(
            f"operation takes {', '.join(map(repr, _functions))} or a function, not {operation!r}"
        )
    if not isinstance(operation, str) and not callable(operation):
        raise TypeError(f"operation takes a name or a function, not {operation!r}")
    if dtype is not None:
        return np.dtype(dtype)
    if operation == "sum":
        return np.sum(np.zeros(1, source)).dtype
    return np.prod(np.ones(1, source)).dtype if operation == "prod" else source


def _choose_initial_value(operation, init, dtype):
    if init is not None:
        return dtype.type(init)
    if operation in ("sum", "prod"):
        return dtype.type(operation == "prod")
    if operation in ("min", "max"):
        if dtype.kind == "c":
            raise TypeError(
                f"{operation} compares ordered numbers, but the array has dtype {dtype}"
            )
        return reductions.get_min_or_max_identity(dtype, operation)
    raise TypeError(
        "a reduction by a function needs init, the result for an empty segment\n"
        "  hint: pass a value that changes no other, for example init=0 for an addition"
    )


def _check_and_copy_offsets(source, offsets, native):
    """The offsets, in the same kind of memory as the array."""
    offsets = as_cuda_array(offsets) if is_cuda_array(offsets) else np.asarray(offsets)
    if offsets.ndim != 1 or offsets.dtype.kind not in "iu" or not offsets.size:
        raise TypeError(
            "offsets takes an array of rank 1 of integers, one more than segments, but this one has "
            f"shape {offsets.shape} and dtype {offsets.dtype}"
        )
    if isinstance(offsets, np.ndarray):
        _check_offsets(offsets, source.size)
        if isinstance(source, DeviceNDArray):
            copy = allocate_like(source, offsets.shape, offsets.dtype)
            copy.copy_to_device(np.ascontiguousarray(offsets), Stream._wrap_native(native))
            return copy
    elif isinstance(source, np.ndarray):
        return offsets.copy_to_host()
    elif native.device.uses_host_memory:
        native.synchronize()
        _check_offsets(offsets._get_numpy_view(), source.size)
    return offsets


def _check_offsets(offsets, size):
    if offsets[0] < 0 or offsets[-1] > size:
        raise ValueError(
            f"the offsets go from {offsets[0]} to {offsets[-1]}, but the array has {size} elements"
        )
    falling = np.flatnonzero(offsets[1:] < offsets[:-1])
    if falling.size:
        i = falling[0]
        raise ValueError(
            f"the offsets decrease: offsets[{i}] is {offsets[i]}, offsets[{i + 1}] is {offsets[i + 1]}"
        )


def _launch_segmented_reduction(source, offsets, result, operation, initial, native):
    function = _functions[operation] if isinstance(operation, str) else operation
    processors = native.device.attribute("MULTIPROCESSOR_COUNT")
    if native.device.uses_host_memory:
        kernel = _get_segment_kernel(function, result.dtype, 1)
        kernel[min(result.size, 4 * processors), 1, native](source, offsets, initial, result, 1)
    else:
        lanes = _choose_lanes_per_segment(source.size / result.size)
        _launch_gpu_segmented_reduction(source, offsets, result, function, initial, lanes, native)
    if not isinstance(result, DeviceNDArray):
        native.synchronize()


def _choose_lanes_per_segment(average):
    if average <= _longest_for_a_thread:
        return 1
    return 32 if average <= _longest_for_a_warp else segment_kernels.threads


def _launch_gpu_segmented_reduction(source, offsets, result, function, initial, lanes, native):
    threads = segment_kernels.threads
    filling = native.device.attribute("MULTIPROCESSOR_COUNT") * (2048 // threads)
    blocks = min(-(-result.size * lanes // threads), 4 * filling)
    kernel = _get_segment_kernel(function, result.dtype, lanes)
    kernel[blocks, threads, native](source, offsets, initial, result, threads)


@functools.lru_cache(maxsize=256)
def _get_segment_kernel(function, dtype, lanes):
    if not isinstance(function, _heddle.DispatcherBase):
        function = jit(device=True)(function)
    return segment_kernels.make_segment_kernel(function, dtype, lanes)

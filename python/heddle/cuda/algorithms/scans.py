"""Scans of an array, with addition or a user's function."""

import functools

import numpy as np

from heddle import _heddle
from heddle.compiler.jit import jit
from heddle.cuda.algorithms import scan_kernels
from heddle.cuda.algorithms.flat_arrays import allocate_like, flatten_array
from heddle.cuda.algorithms.look_back import get_tile_state_arguments
from heddle.cuda.algorithms.workspaces import get_workspace
from heddle.cuda.device_ndarray import DeviceNDArray
from heddle.cuda.foreign_arrays import as_cuda_array, is_cuda_array
from heddle.cuda.streams import to_native_stream
from heddle.support.public_function import public
from heddle.types import from_dtype

_cpu_chunk = 1 << 14  # elements: enough work to wake a pool thread for


@public
def inclusive_scan(array, function=None, dtype=None, out=None, stream=0):
    """Combines each element with all elements before it: ``[a, a + b, a + b + c, ...]``.

    array: a device or host array, whose elements are taken in C order.
    function: an associative function of two values, or a device function; addition by default.
    dtype: the dtype of the results. The default is NumPy's choice for a cumulative sum, or the array's dtype if
    ``function`` is given.
    out: a 1-D device array of the same size and of that dtype, which receives the results and is returned.
    Returns a 1-D device array, or a NumPy array if ``array`` is a host array. Does not wait for results on a GPU.
    Floating-point sums are rounded differently than NumPy's, because they are added in a different order.

    >>> algorithms.inclusive_scan(np.array([3, 1, 4]))
    array([3, 4, 8])
    """
    return _scan_array(array, function, dtype, out, stream, None)


@public
def exclusive_scan(array, init=0, function=None, dtype=None, out=None, stream=0):
    """Combines ``init`` with the elements before each element: ``[init, init + a, init + a + b, ...]``.

    init: the first result. The other arguments are those of ``inclusive_scan``.

    >>> algorithms.exclusive_scan(np.array([3, 1, 4]))
    array([0, 3, 4])
    """
    return _scan_array(array, function, dtype, out, stream, init)


def _add_numbers(x, y):
    return x + y


def _scan_array(array, function, dtype, out, stream, init):
    on_host = not is_cuda_array(array)
    source = np.asarray(array) if on_host else as_cuda_array(array)
    if source.dtype.kind not in "biufc":
        raise TypeError(f"scans combine numbers, but the array has dtype {source.dtype}")
    if dtype is None:
        dtype = source.dtype if function else np.cumsum(np.zeros(1, source.dtype)).dtype
    dtype = np.dtype(dtype)
    native = to_native_stream(stream, None if on_host else source.device)
    source = flatten_array(source, stream)
    result = _make_or_check_result(source, dtype, out, on_host)
    if source.size:
        _launch_scan(source, result, function or _add_numbers, init, native)
    return result


def _make_or_check_result(source, dtype, out, on_host):
    if out is None:
        return (
            np.empty(source.size, dtype)
            if on_host
            else allocate_like(source, (source.size,), dtype)
        )
    out = as_cuda_array(out)
    if out.dtype != dtype or out.size != source.size or out.ndim != 1:
        raise ValueError(
            f"out takes an array of rank 1 with {source.size} elements of {dtype}, "
            f"but this one has shape {out.shape} and dtype {out.dtype}"
        )
    return out


def _launch_scan(source, result, function, init, native):
    initial = result.dtype.type(0 if init is None else init)
    if native.device.uses_host_memory:
        _launch_cpu_scan(source, result, function, initial, init is not None, native)
    else:
        _launch_gpu_scan(source, result, function, initial, init is not None, native)
    if not isinstance(result, DeviceNDArray):
        native.synchronize()


def _launch_cpu_scan(source, result, function, initial, exclusive, native):
    total, scan = _get_cpu_kernels(function, result.dtype, exclusive)
    processors = native.device.attribute("MULTIPROCESSOR_COUNT")
    chunk = max(-(-source.size // (4 * processors)), _cpu_chunk)
    blocks = -(-source.size // chunk)
    totals = get_workspace(native).get_partial_results_array(result.dtype, "scan")
    if blocks > 1:
        total[blocks, 1, native](source, totals, chunk)
    scan[blocks, 1, native](source, result, totals, chunk, initial, exclusive)


def _launch_gpu_scan(source, result, function, initial, exclusive, native):
    tile = scan_kernels.choose_tile_config(source.itemsize, result.itemsize)
    kernel = _get_gpu_kernel(function, result.dtype, exclusive, tile)
    blocks = -(-source.size // tile.size)
    states = get_tile_state_arguments(native, blocks, result.dtype)
    kernel[blocks, tile.threads, native](source, result, *states, initial, exclusive)


@functools.lru_cache(maxsize=256)
def _get_cpu_kernels(function, dtype, exclusive):
    return scan_kernels.make_cpu_scan_kernels(
        _make_device_function(function), from_dtype(dtype), exclusive
    )


@functools.lru_cache(maxsize=256)
def _get_gpu_kernel(function, dtype, exclusive, tile):
    return scan_kernels.make_gpu_scan_kernel(
        _make_device_function(function), dtype, exclusive, tile
    )


def _make_device_function(function):
    return function if isinstance(function, _heddle.DispatcherBase) else jit(device=True)(function)

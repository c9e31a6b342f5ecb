"""Counts the elements of an array between bin edges."""

import functools

import numpy as np

from heddle.compiler.intrinsics import find_intrinsic
from heddle.compiler.jit import jit
from heddle.cuda.algorithms.flat_arrays import allocate_copy_from_host, allocate_like, flatten_array
from heddle.cuda.algorithms.reductions import max, min
from heddle.cuda.foreign_arrays import as_cuda_array, is_cuda_array
from heddle.cuda.streams import Stream, to_native_stream
from heddle.support.public_function import public
from heddle.types import float64, int32, int64

_threads = 256
_most_in_shared_memory = 4096  # bins


@public
def histogram(array, bins=10, range=None, stream=0):
    """Counts elements in bins: returns ``(counts, edges)`` as numpy.histogram does.

    array: a device or host array of integers or floats, of any shape.
    bins: the number of bins of equal width, or the increasing edges, shape (bins + 1,). range: (low, high) for bins of
    equal width, by default the lowest and highest element. NaNs and elements outside the edges are not counted; the
    last bin includes its upper edge. The counts are an int64 array: a device array if ``array`` is one, else a NumPy
    array. The edges are always a NumPy array.
    Raises TypeError for other dtypes.

    >>> counts, edges = algorithms.histogram(np.array([1, 2, 2, 5]), bins=2, range=(0, 6))
    >>> counts
    array([3, 1])
    >>> edges
    array([0., 3., 6.])
    """
    on_host = not is_cuda_array(array)
    source = np.asarray(array) if on_host else as_cuda_array(array)
    if source.dtype.kind not in "biuf":
        raise TypeError(
            f"histogram counts integers and floats, but the array has dtype {source.dtype}"
        )
    native = to_native_stream(stream, None if on_host else source.device)
    if on_host:
        return np.histogram(source, bins, range)
    if native.device.uses_host_memory:
        native.synchronize()
        counts, edges = np.histogram(source._get_numpy_view(), bins, range)
        return allocate_copy_from_host(source, counts.astype(np.int64, copy=False)), edges
    if np.ndim(bins) == 0 and range is None and source.size:
        range = min(source, stream=stream), max(source, stream=stream)
    edges = np.histogram_bin_edges(np.empty(0, source.dtype), bins, range)
    return _count_on_device(flatten_array(source, stream), edges, np.ndim(bins) == 0, native), edges


def _count_on_device(source, edges, even, native):
    stream = Stream._wrap_native(native)
    count = edges.size - 1
    counts = allocate_like(source, (count,), np.int64)
    counts.copy_to_device(np.zeros(count, np.int64), stream)
    on_device = allocate_like(source, edges.shape, np.float64)
    on_device.copy_to_device(edges.astype(np.float64), stream)
    if source.size:
        processors = native.device.attribute("MULTIPROCESSOR_COUNT")
        blocks = -(-source.size // _threads)
        most = processors * (2048 // _threads)
        kernel = _make_histogram_kernel(even, count <= _most_in_shared_memory)
        kernel[blocks if blocks < most else most, _threads, native](source, on_device, counts)
    return counts


@functools.cache
def _make_histogram_kernel(even, in_shared_memory):
    """Makes kernel(array, edges, counts). even: all bins have the same width."""
    grid, gridsize = find_intrinsic("cuda.grid"), find_intrinsic("cuda.gridsize")
    thread_index = find_intrinsic("cuda.threadIdx")
    shared, atomic = find_intrinsic("cuda.shared"), find_intrinsic("cuda.atomic")
    syncthreads = find_intrinsic("cuda.syncthreads")

    @jit(device=True)
    def find_bin_by_division(x, edges):
        last = edges.size - 2
        low, high = edges[0], edges[last + 1]
        # Rounding may give a neighboring bin.
        k = int64((x - low) / (high - low) * (last + 1)) if high > low else int64(0)
        k = k if k < last else int64(last)
        if x < edges[k]:
            k -= 1
        elif k < last and x >= edges[k + 1]:
            k += 1
        return k

    @jit(device=True)
    def find_bin_by_search(x, edges):
        low, high = int64(0), int64(edges.size - 1)
        while high - low > 1:
            middle = (low + high) // 2
            if x < edges[middle]:
                high = middle
            else:
                low = middle
        return low

    bin_of = find_bin_by_division if even else find_bin_by_search

    @jit
    def count_in_shared_memory(array, edges, counts):
        mine = shared.array(_most_in_shared_memory, int32)
        for k in range(thread_index.x, counts.size, _threads):
            mine[k] = 0
        syncthreads()
        for i in range(grid(1), array.size, gridsize(1)):
            x = float64(array[i])
            if x >= edges[0] and x <= edges[counts.size]:
                atomic.add(mine, bin_of(x, edges), 1)
        syncthreads()
        for k in range(thread_index.x, counts.size, _threads):
            if mine[k]:
                atomic.add(counts, k, int64(mine[k]))

    @jit
    def count_in_global_memory(array, edges, counts):
        for i in range(grid(1), array.size, gridsize(1)):
            x = float64(array[i])
            if x >= edges[0] and x <= edges[counts.size]:
                atomic.add(counts, bin_of(x, edges), int64(1))

    return count_in_shared_memory if in_shared_memory else count_in_global_memory

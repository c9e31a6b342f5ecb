"""Sorted copies of arrays."""

import functools

import numpy as np

from heddle.compiler.jit import jit
from heddle.cuda.algorithms import sort_kernels
from heddle.cuda.algorithms.flat_arrays import allocate_like
from heddle.cuda.algorithms.scans import exclusive_scan
from heddle.cuda.foreign_arrays import as_cuda_array, is_cuda_array
from heddle.cuda.host_memory import note_host_write
from heddle.cuda.streams import Stream, to_native_stream
from heddle.support.public_function import public
from heddle.types import from_dtype


@public
def sort(array, descending=False, stream=0):
    """Returns a sorted copy of a 1-D array: ascending, NaNs last, as in NumPy.

    array: a device or host array of bools, integers or floats. descending: reverses the order, NaNs first.
    Returns a device array, for a host array a NumPy array. Does not wait for results on a GPU.

    >>> algorithms.sort(np.array([3, 1, 2]), descending=True)
    array([3, 2, 1])
    """
    on_host = not is_cuda_array(array)
    source = np.asarray(array) if on_host else as_cuda_array(array)
    if source.ndim != 1 or source.dtype.kind not in "biuf":
        raise TypeError(
            "sort takes arrays of rank 1 of bools, integers or floats, but this one has "
            f"rank {source.ndim} and dtype {source.dtype}"
        )
    native = to_native_stream(stream, None if on_host else source.device)
    if on_host:
        return _sort_with_numpy(source, descending)
    result = allocate_like(source, source.shape)
    if native.device.uses_host_memory:
        native.synchronize()
        target = result._window()
        note_host_write(target)
        target[:] = _sort_with_numpy(source._window(), descending)
    elif source.size:
        _launch_radix_sort(source, result, descending, native)
    return result


def _sort_with_numpy(array, descending):
    ordered = np.sort(array)
    return ordered[::-1].copy() if descending else ordered


def _launch_radix_sort(source, result, descending, native):
    stream = Stream.of(native)
    if not source.is_c_contiguous():
        copy = allocate_like(source, source.shape)
        copy.copy_to_device(source, stream)
        source = copy
    unsigned = np.dtype(f"u{source.itemsize}")
    passes = source.itemsize
    blocks = -(-source.size // sort_kernels.tile)
    counts = allocate_like(source, (sort_kernels.digits * blocks,), np.int64)
    # Choose the buffers so that the last pass writes to the result.
    buffers = [result.view(unsigned), allocate_like(source, source.shape, unsigned)]
    bits = source.view(unsigned)
    for number in range(passes):
        is_first, is_last = number == 0, number == passes - 1
        count, move = _get_pass_kernels(source.dtype, descending, is_first, is_last)
        target = buffers[(passes - 1 - number) % 2]
        configuration = blocks, sort_kernels.threads, native
        count[configuration](bits, counts, 8 * number)
        starts = exclusive_scan(counts, stream=stream)
        move[configuration](bits, target, starts, 8 * number)
        bits = target


@functools.cache
def _get_pass_kernels(dtype, descending, is_first, is_last):
    """The kernels of a pass. The first pass converts elements to keys, the last one keys to elements."""
    key = from_dtype(np.dtype(f"u{dtype.itemsize}"))
    to_key, from_key = _make_key_functions(dtype, key, descending)
    same = jit(device=True)(lambda bits: bits)
    return sort_kernels.make_sort_kernels(
        key, to_key if is_first else same, from_key if is_last else same
    )


def _make_key_functions(dtype, key, descending):
    """Device functions that convert an element's bits to an unsigned number with the same order, and back."""
    sign = key(1 << (8 * dtype.itemsize - 1)) if dtype.kind in "if" else key(0)
    turned = ~key(0) if descending else key(0)
    if dtype.kind != "f":
        return (jit(device=True)(lambda bits: key(bits ^ sign ^ turned)),) * 2
    infinity = key(np.array(np.inf, dtype).view(f"u{dtype.itemsize}")[()])

    # Negative numbers are ordered by their inverted bits. A NaN with a sign bit is converted to one without.
    @jit(device=True)
    def to_key(bits):
        if bits & ~sign > infinity:
            bits = ~key(0) ^ sign
        return key(turned ^ (~bits if bits & sign else bits | sign))

    @jit(device=True)
    def from_key(number):
        number ^= turned
        return key(number ^ sign if number & sign else ~number)

    return to_key, from_key

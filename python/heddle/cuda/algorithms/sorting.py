"""Sorted copies of arrays, the indices that sort them, and values in the order of keys."""

import functools

import numpy as np

from heddle.compiler.jit import jit
from heddle.cuda.algorithms import sort_kernels
from heddle.cuda.algorithms.flat_arrays import (
    allocate_like,
    make_contiguous,
    require_same_memory_kind,
    store_from_host,
    view_as_dtype,
)
from heddle.cuda.algorithms.workspaces import get_cleared_scratch
from heddle.cuda.foreign_arrays import as_cuda_array, is_cuda_array
from heddle.cuda.streams import to_native_stream
from heddle.support.public_function import public
from heddle.types import from_dtype, uint32

_most_for_32_bits = 1 << 30  # keys: their counts have two flags in a word


@public
def sort(array, descending=False, stream=0):
    """Returns a sorted copy of a 1-D array: ascending, NaNs last, as in NumPy.

    array: a device or host array of bools, integers or floats. descending: reverses the order, so NaNs are first.
    Returns a device array, or a NumPy array if ``array`` is a host array. Does not wait for results on a GPU.

    >>> algorithms.sort(np.array([3, 1, 2]), descending=True)
    array([3, 2, 1])
    """
    source, native = require_sortable_array_and_stream("sort", array, stream)
    if isinstance(source, np.ndarray):
        return _sort_with_numpy(source, descending)
    if source.size and not native.device.uses_host_memory:
        return _launch_radix_sort(source, None, descending, native)[0]
    result = allocate_like(source, source.shape)
    if source.size:
        native.synchronize()
        store_from_host(result, _sort_with_numpy(source._get_numpy_view(), descending))
    return result


@public
def argsort(array, descending=False, stream=0):
    """The indices that sort a 1-D array, as int64. Equal elements keep their order.

    array: a device or host array of bools, integers or floats. NaNs are last; -0.0 equals 0.0. descending: sorts from
    the highest to the lowest element, NaNs first.
    Returns a device array, or a NumPy array if ``array`` is a host array. Does not wait for results on a GPU.
    """
    source, native = require_sortable_array_and_stream("argsort", array, stream)
    if isinstance(source, np.ndarray):
        return argsort_with_numpy(source, descending)
    if source.size and not native.device.uses_host_memory:
        return _launch_radix_sort(source, None, descending, native, "index")[1]
    result = allocate_like(source, source.shape, np.int64)
    if source.size:
        native.synchronize()
        store_from_host(result, argsort_with_numpy(source._get_numpy_view(), descending))
    return result


@public
def sort_by_key(keys, values, descending=False, stream=0):
    """Returns sorted copies of two 1-D arrays: ``(keys, values)``. Each value moves with its key.

    keys: a device or host array of bools, integers or floats. Equal keys keep their order; NaNs are last; -0.0 equals
    0.0. values: an array of numbers with the same size, in the same kind of memory as ``keys``. descending: highest
    keys first.
    Returns device arrays, or NumPy arrays if the arguments are host arrays. Does not wait for results on a GPU.
    """
    source, native = require_sortable_array_and_stream("sort_by_key", keys, stream)
    on_host = isinstance(source, np.ndarray)
    carried = _require_values_to_sort(source, values)
    if on_host:
        order = argsort_with_numpy(source, descending)
        return source[order], carried[order]
    ordered = allocate_like(source, source.shape)
    result = allocate_like(carried, carried.shape)
    if native.device.uses_host_memory:
        native.synchronize()
        order = argsort_with_numpy(source._get_numpy_view(), descending)
        store_from_host(ordered, source._get_numpy_view()[order])
        store_from_host(result, carried._get_numpy_view()[order])
    elif source.size:
        _launch_sort_of_pairs(source, carried, ordered, result, descending, native)
    return ordered, result


def require_sortable_array_and_stream(name, array, stream):
    """The array as NumPy or device array, and the native stream."""
    source = as_cuda_array(array) if is_cuda_array(array) else np.asarray(array)
    if source.ndim != 1 or source.dtype.kind not in "biuf":
        raise TypeError(
            f"{name} takes arrays of rank 1 of bools, integers or floats, but this one has "
            f"rank {source.ndim} and dtype {source.dtype}"
        )
    on_host = isinstance(source, np.ndarray)
    return source, to_native_stream(stream, None if on_host else source.device)


def _require_values_to_sort(keys, values):
    values = require_same_memory_kind(keys, values, "the keys are", "the values are")
    if values.ndim != 1 or values.dtype.kind not in "biufc":
        raise TypeError(
            "sort_by_key moves values of arrays of rank 1 of numbers, but this one has "
            f"rank {values.ndim} and dtype {values.dtype}"
        )
    if values.size != keys.size:
        raise ValueError(f"there are {keys.size} keys, but {values.size} values")
    return values


def _sort_with_numpy(array, descending):
    ordered = np.sort(array)
    return ordered[::-1].copy() if descending else ordered


def argsort_with_numpy(array, descending):
    if not descending:
        return np.argsort(array, kind="stable")
    # Both reversals together keep the order of equal elements.
    return array.size - 1 - np.argsort(array[::-1], kind="stable")[::-1]


def _launch_sort_of_pairs(keys, values, ordered, result, descending, native):
    if values.itemsize <= 8:
        unsigned = np.dtype(f"u{values.itemsize}")
        values = view_as_dtype(make_contiguous(values, native), unsigned)
        result = view_as_dtype(result, unsigned)
        _launch_radix_sort(keys, ordered, descending, native, values, result)
        return
    _, order = _launch_radix_sort(keys, ordered, descending, native, "index")
    kernel = _get_gather_kernel()
    threads = 256
    kernel[-(-keys.size // threads), threads, native](values, order, result)


@functools.cache
def _get_gather_kernel():
    return sort_kernels.make_gather_kernel()


def _launch_radix_sort(source, result, descending, native, values=None, carried=None):
    """Sorts the keys in ``source`` into ``result``, and moves the values with their keys, by kernels for GPUs.

    values: None, an array, or "index" for the indices of the keys. carried: the array for the values, of their dtype;
    for indices, of any integer dtype. Returns ``(result, carried)``, which are allocated if they are None: after the
    first launches, so that the GPU begins early.
    """
    unsigned = np.dtype(f"u{source.itemsize}")
    bits = view_as_dtype(make_contiguous(source, native), unsigned)
    word = np.dtype(np.uint32 if source.size < _most_for_32_bits else np.uint64)
    sorts_indices = isinstance(values, str)
    moved = None if values is None else word if sorts_indices else values.dtype
    tile = sort_kernels.choose_tile_config(unsigned.itemsize, moved.itemsize if moved else 0)
    blocks = -(-source.size // tile.size)
    words = _allocate_words_and_count_digits(
        bits, source.dtype, descending, word, moved is not None, blocks, native
    )
    kernel = _get_sweep_kernel(
        source.dtype, values if sorts_indices else moved, word, descending, tile
    )
    shared_bytes = tile.size * max(unsigned.itemsize, moved.itemsize if moved else 0)
    launch = kernel[blocks, tile.threads, native, shared_bytes]
    keys, moved_values = [result, None], [carried, None]
    if sorts_indices:
        # The first pass makes the indices, and ignores the values.
        if carried is None:
            moved_values[0] = allocate_like(source, source.shape, np.int64)
        moved_values[1] = allocate_like(source, source.shape, moved)
        values = moved_values[source.itemsize % 2]
    for number in range(source.itemsize):
        which = (source.itemsize - 1 - number) % 2  # the last pass writes to the result
        if keys[which] is None:
            keys[which] = allocate_like(source, source.shape)
        ordered = view_as_dtype(keys[which], unsigned)
        if not moved:
            launch(bits, ordered, words, number)
        else:
            if moved_values[which] is None:
                moved_values[which] = allocate_like(source, source.shape, moved)
            launch(bits, ordered, values, moved_values[which], words, number)
            values = moved_values[which]
        bits = ordered
    return keys[0], moved_values[0]


def _allocate_words_and_count_digits(bits, dtype, descending, word, is_stable, blocks, native):
    """Creates the words of a sort and counts the digits of keys of a dtype. blocks: the number of tiles."""
    passes, threads = bits.itemsize, sort_kernels.count_threads
    words_of_states = passes * blocks * sort_kernels.digits
    words_of_all = sort_kernels.get_tile_states_index(passes) + words_of_states
    words = get_cleared_scratch(native, words_of_all, word, "sort")
    filling = native.device.attribute("MULTIPROCESSOR_COUNT") * (2048 // threads)
    wanted = -(-bits.size // (threads * sort_kernels.get_vector_length(passes)))
    count = _get_count_kernel(dtype, descending, word, is_stable)
    count[min(filling, wanted), threads, native](bits, words)
    return words


@functools.cache
def _get_count_kernel(dtype, descending, word, is_stable):
    to_key, _, to_digit = _make_key_functions(dtype, descending, is_stable)
    return sort_kernels.make_count_kernel(
        from_dtype(np.dtype(f"u{dtype.itemsize}")), to_digit, dtype.itemsize, to_key
    )


@functools.cache
def _get_sweep_kernel(dtype, value, word, descending, tile):
    to_key, from_key, to_digit = _make_key_functions(dtype, descending, value is not None)
    return sort_kernels.make_sweep_kernel(
        from_dtype(np.dtype(f"u{dtype.itemsize}")),
        value if value is None or value == "index" else from_dtype(value),
        from_dtype(word),
        to_digit,
        dtype.itemsize,
        to_key,
        from_key,
        tile,
    )


def _make_key_functions(dtype, descending, is_stable):
    """Device functions for keys, unsigned numbers in the order of the elements: to_key(bits), from_key(number) and
    to_digit(number, shift).

    is_stable: the digits of 0.0 and -0.0 are equal.
    """
    bits = 8 * dtype.itemsize
    key = from_dtype(np.dtype(f"u{dtype.itemsize}"))
    sign = key(1 << (bits - 1)) if dtype.kind in "if" else key(0)
    turned = ~key(0) if descending else key(0)
    lower_zero = key(
        (1 << (bits - 1)) - 1
    )  # of -0.0; the next number is that of 0.0. Or the reverse if descending.
    joins_zeros = is_stable and dtype.kind == "f"

    @jit(device=True)
    def to_digit(number, shift):
        if joins_zeros and number == lower_zero:
            number = key(number + 1)
        return uint32(uint32(number >> key(shift & (bits - 1))) & uint32(sort_kernels.digits - 1))

    if dtype.kind != "f":
        convert = jit(device=True)(lambda bits: key(bits ^ sign ^ turned))
        return convert, convert, to_digit
    infinity = key(np.array(np.inf, dtype).view(f"u{dtype.itemsize}")[()])

    # Negative numbers are ordered by their inverted bits. All NaNs become the same one.
    @jit(device=True)
    def to_key(bits):
        if bits & ~sign > infinity:
            bits = ~key(0) ^ sign
        return key(turned ^ (~bits if bits & sign else bits | sign))

    @jit(device=True)
    def from_key(number):
        number ^= turned
        return key(number ^ sign if number & sign else ~number)

    return to_key, from_key, to_digit

"""Kernels that reduce an array to one value with an associative and commutative function.

Every block reduces a part of the array. The last block to increment ``ticket`` reduces the partial results, so that one
launch suffices. The function need not have an identity element.
"""

from heddle.compiler.intrinsics import find_intrinsic
from heddle.compiler.jit import jit
from heddle.cuda.algorithms.last_blocks import (
    increment_block_ticket_and_check_last,
    increment_ticket_and_check_last,
)
from heddle.types import float32, float64, int32, int64, uint32, uint64

block_index, block_count = find_intrinsic("cuda.blockIdx"), find_intrinsic("cuda.gridDim")
thread_index = find_intrinsic("cuda.threadIdx")
local, shared = find_intrinsic("cuda.local"), find_intrinsic("cuda.shared")
threadfence, syncthreads = find_intrinsic("cuda.threadfence"), find_intrinsic("cuda.syncthreads")
shfl_down_sync = find_intrinsic("cuda.shfl_down_sync")

threads = 256  # per block on a GPU
_warps = threads // 32
_lanes = 64  # independent partial results of a CPU thread, for vectorization
_shuffled = (int32, uint32, int64, uint64, float32, float64)


def get_vector_length(itemsize):
    """The number of elements in a GPU thread's 16-byte load."""
    return max(1, 16 // itemsize)


def choose_load_count(itemsize):
    """The number of vectors that a GPU thread loads before it combines them, limited by registers."""
    return max(1, min(4, 32 // get_vector_length(itemsize)))


def make_cpu_reduction_kernel(function, element):
    """Makes kernel(array, initial, result, partials, ticket, chunk) for blocks of one thread and ``chunk`` elements.

    function: a device function of two values. element: the type of partial results and the result.
    """

    @jit(device=True)
    def combine(x, y):
        return element(function(x, y))

    @jit(device=True)
    def reduce_part(part):
        count = part.size
        if count < _lanes:
            value = element(part[0])
            for i in range(1, count):
                value = combine(value, element(part[i]))
            return value
        values = local.array(_lanes, element)
        for i in range(_lanes):
            values[i] = element(part[i])
        for i in range(_lanes, count - _lanes + 1, _lanes):
            for lane in range(_lanes):
                values[lane] = combine(values[lane], element(part[i + lane]))
        value = values[0]
        for lane in range(1, _lanes):
            value = combine(value, values[lane])
        for i in range(count - count % _lanes, count):
            value = combine(value, element(part[i]))
        return value

    @jit
    def reduce_chunks(array, initial, result, partials, ticket, chunk):
        block = block_index.x
        value = reduce_part(array[block * chunk : min((block + 1) * chunk, array.size)])
        if block_count.x == 1:
            result[0] = combine(value, initial)
            return
        partials[block] = value
        if increment_ticket_and_check_last(ticket):
            threadfence()
            result[0] = combine(reduce_part(partials[: block_count.x]), initial)
            ticket[0] = 0

    return reduce_chunks


def make_gpu_reduction_kernel(function, element, itemsize):
    """Makes kernel(array, initial, result, partials, ticket) for blocks of ``threads``.

    itemsize: bytes per element. Each block must have an element: launch at most one block per
    ``threads * get_vector_length(itemsize)`` elements.
    """
    vector = get_vector_length(itemsize)
    loads = choose_load_count(itemsize)
    at_once = loads * vector

    @jit(device=True)
    def combine(x, y):
        return element(function(x, y))

    @jit(device=True)
    def reduce_elements_of_thread(array, initial):
        """Reduces the vectors of one thread; returns ``initial`` if there are none."""
        vectors = array.size // vector
        step = block_count.x * threads
        v = block_index.x * threads + thread_index.x
        if v * vector >= array.size:
            return initial
        value = element(array[v * vector])
        if v < vectors:
            for j in range(1, vector):
                value = combine(value, element(array[v * vector + j]))
        else:
            for i in range(v * vector + 1, array.size):
                value = combine(value, element(array[i]))
        v += step
        loaded = local.array(at_once, element)
        while v + (loads - 1) * step < vectors:
            for i in range(loads):
                for j in range(vector):
                    loaded[i * vector + j] = element(array[(v + i * step) * vector + j])
            for i in range(at_once):
                value = combine(value, loaded[i])
            v += loads * step
        while v < vectors:
            for j in range(vector):
                value = combine(value, element(array[v * vector + j]))
            v += step
        if v == vectors:  # one thread of the grid takes the remainder
            for i in range(v * vector, array.size):
                value = combine(value, element(array[i]))
        return value

    reduce_block = make_block_reduction(combine, element)

    @jit
    def reduce_blocks(array, initial, result, partials, ticket):
        vectors = (array.size + vector - 1) // vector - block_index.x * threads
        value = reduce_block(reduce_elements_of_thread(array, initial), min(vectors, threads))
        if block_count.x == 1:
            if thread_index.x == 0:
                result[0] = combine(value, initial)
            return
        if thread_index.x == 0:
            partials[block_index.x] = value
        if not increment_block_ticket_and_check_last(ticket):
            return
        value = initial
        if thread_index.x < block_count.x:
            value = partials[thread_index.x]
            for i in range(thread_index.x + threads, block_count.x, threads):
                value = combine(value, partials[i])
        value = reduce_block(value, min(block_count.x, threads))
        if thread_index.x == 0:
            result[0] = combine(value, initial)
            ticket[0] = 0

    return reduce_blocks


def make_block_reduction(combine, element):
    """Makes reduce_block(value, count), called by all ``threads``. combine: a device function of two values."""
    make = _make_shuffle_reduction if element in _shuffled else _make_shared_memory_reduction
    return make(combine, element)


def _make_shuffle_reduction(combine, element):
    @jit(device=True)
    def reduce_warp(value, count):
        lane = thread_index.x % 32
        for step in (16, 8, 4, 2, 1):
            other = shfl_down_sync(0xFFFFFFFF, value, step)
            if lane + step < count:
                value = combine(value, other)
        return value

    @jit(device=True)
    def reduce_block(value, count):
        """Reduces the values of the first ``count`` threads; the result is valid in thread 0."""
        warp_values = shared.array(_warps, element)
        warp = thread_index.x // 32
        value = reduce_warp(value, count - warp * 32)
        syncthreads()
        if thread_index.x % 32 == 0:
            warp_values[warp] = value
        syncthreads()
        if warp == 0:
            value = reduce_warp(warp_values[thread_index.x % _warps], (count + 31) // 32)
        return value

    return reduce_block


def _make_shared_memory_reduction(combine, element):
    @jit(device=True)
    def reduce_block(value, count):
        """Reduces the values of the first ``count`` threads; the result is valid in thread 0."""
        values = shared.array(threads, element)
        thread = thread_index.x
        syncthreads()
        values[thread] = value
        syncthreads()
        step = threads // 2
        while step:
            if thread < step and thread + step < count:
                values[thread] = combine(values[thread], values[thread + step])
            syncthreads()
            step //= 2
        return values[0]

    return reduce_block

"""Kernels that reduce an array to one value by a function of two values, which is associative and commutative.

Every block reduces part of the array to a partial result. The block that is last to count itself in ``ticket`` reduces
those to the result, so that one launch is enough. No value stands for "nothing": the function need not have an
identity.
"""

from heddle.compiler.intrinsics import intrinsic
from heddle.compiler.jit import jit
from heddle.types import float32, float64, int32, int64, uint32, uint64

block_index, block_count = intrinsic("cuda.blockIdx"), intrinsic("cuda.gridDim")
thread_index = intrinsic("cuda.threadIdx")
local, shared, atomic = (intrinsic(f"cuda.{name}") for name in ("local", "shared", "atomic"))
threadfence, syncthreads = intrinsic("cuda.threadfence"), intrinsic("cuda.syncthreads")
shfl_down_sync = intrinsic("cuda.shfl_down_sync")

threads = 256  # of a block on a GPU
_warps = threads // 32
_lanes = 64  # results that a thread of the CPU works on at the same time
_shuffled = (int32, uint32, int64, uint64, float32, float64)


def vector_length(itemsize):
    """Elements that a GPU's thread loads at once, from 16 bytes."""
    return max(1, 16 // itemsize)


def loads_at_once(itemsize):
    """Vectors that a GPU's thread loads before it combines them: as many as its registers hold."""
    return max(1, min(4, 32 // vector_length(itemsize)))


def kernel_for_cpu(function, element):
    """kernel(array, initial, result, partials, ticket, chunk): each block has one thread and ``chunk`` elements.

    function: a device function of two values. element: the type of partial results and of the result.
    """

    @jit(device=True)
    def combine(x, y):
        return element(function(x, y))

    @jit(device=True)
    def reduced(part):
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
        value = reduced(array[block * chunk : min((block + 1) * chunk, array.size)])
        if block_count.x == 1:
            result[0] = combine(value, initial)
            return
        partials[block] = value
        threadfence()
        if atomic.add(ticket, 0, 1) == block_count.x - 1:
            threadfence()
            result[0] = combine(reduced(partials[: block_count.x]), initial)
            ticket[0] = 0

    return reduce_chunks


def kernel_for_gpu(function, element, itemsize):
    """kernel(array, initial, result, partials, ticket), in blocks of ``threads``.

    itemsize: bytes of an array's element. Each block must have an element: at most one block for
    ``threads * vector_length(itemsize)`` elements.
    """
    vector = vector_length(itemsize)
    loads = loads_at_once(itemsize)
    at_once = loads * vector

    @jit(device=True)
    def combine(x, y):
        return element(function(x, y))

    @jit(device=True)
    def of_thread(array, initial):
        """What one thread finds in its vectors of the array; ``initial`` where it has none."""
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
        if v == vectors:  # one thread of all: what is left over
            for i in range(v * vector, array.size):
                value = combine(value, element(array[i]))
        return value

    of_block = _block_by_shuffles if element in _shuffled else _block_by_shared_memory
    of_block = of_block(combine, element)

    @jit
    def reduce_blocks(array, initial, result, partials, ticket):
        vectors = (array.size + vector - 1) // vector - block_index.x * threads
        value = of_block(of_thread(array, initial), min(vectors, threads))
        if block_count.x == 1:
            if thread_index.x == 0:
                result[0] = combine(value, initial)
            return
        is_last = shared.array(1, int32)
        if thread_index.x == 0:
            partials[block_index.x] = value
            threadfence()
            is_last[0] = atomic.add(ticket, 0, 1) == block_count.x - 1
        syncthreads()
        if not is_last[0]:
            return
        threadfence()
        value = initial
        if thread_index.x < block_count.x:
            value = partials[thread_index.x]
            for i in range(thread_index.x + threads, block_count.x, threads):
                value = combine(value, partials[i])
        value = of_block(value, min(block_count.x, threads))
        if thread_index.x == 0:
            result[0] = combine(value, initial)
            ticket[0] = 0

    return reduce_blocks


def _block_by_shuffles(combine, element):
    @jit(device=True)
    def of_warp(value, count):
        lane = thread_index.x % 32
        for step in (16, 8, 4, 2, 1):
            other = shfl_down_sync(0xFFFFFFFF, value, step)
            if lane + step < count:
                value = combine(value, other)
        return value

    @jit(device=True)
    def of_block(value, count):
        """The values of the first ``count`` threads, in thread 0."""
        of_warps = shared.array(_warps, element)
        warp = thread_index.x // 32
        value = of_warp(value, count - warp * 32)
        syncthreads()
        if thread_index.x % 32 == 0:
            of_warps[warp] = value
        syncthreads()
        if warp == 0:
            value = of_warp(of_warps[thread_index.x % _warps], (count + 31) // 32)
        return value

    return of_block


def _block_by_shared_memory(combine, element):
    @jit(device=True)
    def of_block(value, count):
        """The values of the first ``count`` threads, in thread 0."""
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

    return of_block

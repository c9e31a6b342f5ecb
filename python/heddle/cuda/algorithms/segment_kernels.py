"""Kernels that reduce each segment of an array to one value with an associative and commutative function."""

from heddle.compiler.intrinsics import find_intrinsic
from heddle.compiler.jit import jit
from heddle.cuda.algorithms.look_back import make_shift_functions
from heddle.cuda.algorithms.reduce_kernels import make_block_reduction, threads
from heddle.types import from_dtype, int64

block_index, block_count = find_intrinsic("cuda.blockIdx"), find_intrinsic("cuda.gridDim")
thread_index, shared = find_intrinsic("cuda.threadIdx"), find_intrinsic("cuda.shared")


def make_segment_kernel(function, dtype, lanes):
    """Makes kernel(array, offsets, initial, out, block_threads), in which ``lanes`` threads reduce a segment.

    Segment i has the elements from offsets[i] to offsets[i + 1]. function: a device function of two values. dtype: of
    the results. lanes: 1; or 32 or ``threads``, for blocks of ``threads``. The blocks together reduce all segments.
    """
    element = from_dtype(dtype)
    shift_down = make_shift_functions(dtype)[1]

    @jit(device=True)
    def combine(x, y):
        return element(function(x, y))

    @jit(device=True)
    def reduce_elements_of_thread(array, begin, end, step):
        """Reduces the elements begin, begin + step and so on. There is at least one."""
        value = element(array[begin])
        for i in range(begin + step, end, step):
            value = combine(value, element(array[i]))
        return value

    @jit(device=True)
    def get_segment_limits(array, offsets, segment):
        """The first element and the end; wrong offsets are limited to the array."""
        begin = min(max(int64(offsets[segment]), int64(0)), int64(array.size))
        return begin, min(int64(offsets[segment + 1]), int64(array.size))

    reduce_block = make_block_reduction(combine, element)

    @jit
    def reduce_by_threads(array, offsets, initial, out, block_threads):
        first = int64(block_index.x) * block_threads + thread_index.x
        for segment in range(first, out.size, int64(block_count.x) * block_threads):
            begin, end = get_segment_limits(array, offsets, segment)
            value = initial
            if begin < end:
                value = combine(initial, reduce_elements_of_thread(array, begin, end, 1))
            out[segment] = value

    @jit
    def reduce_by_warps(array, offsets, initial, out, block_threads):
        cells = shared.array(threads, element)
        warp, lane = thread_index.x // 32, thread_index.x % 32
        warps = threads // 32
        for segment in range(block_index.x * warps + warp, out.size, block_count.x * warps):
            begin, end = get_segment_limits(array, offsets, segment)
            value = initial
            if begin + lane < end:
                value = reduce_elements_of_thread(array, begin + lane, end, 32)
            for step in (16, 8, 4, 2, 1):
                other = shift_down(value, step, cells)
                if lane + step < end - begin:
                    value = combine(value, other)
            if lane == 0:
                out[segment] = combine(initial, value) if begin < end else initial

    @jit
    def reduce_by_blocks(array, offsets, initial, out, block_threads):
        for segment in range(block_index.x, out.size, block_count.x):
            begin, end = get_segment_limits(array, offsets, segment)
            value = initial
            if begin + thread_index.x < end:
                value = reduce_elements_of_thread(array, begin + thread_index.x, end, threads)
            value = reduce_block(value, min(end - begin, int64(threads)))
            if thread_index.x == 0:
                out[segment] = combine(initial, value) if begin < end else initial

    return {1: reduce_by_threads, 32: reduce_by_warps, threads: reduce_by_blocks}[lanes]

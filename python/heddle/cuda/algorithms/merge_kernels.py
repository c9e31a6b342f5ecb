"""The kernel that merges two sorted arrays.

A block produces a tile of the result. It finds its part of both arrays by binary search along a diagonal of the merge
path, then each thread does the same in shared memory for its elements. After Green, McColl and Bader, "GPU merge path",
2012.
"""

from heddle.compiler.intrinsics import find_intrinsic
from heddle.compiler.jit import jit
from heddle.types import int32, int64

block_index, thread_index = find_intrinsic("cuda.blockIdx"), find_intrinsic("cuda.threadIdx")
local, shared = find_intrinsic("cuda.local"), find_intrinsic("cuda.shared")
syncthreads = find_intrinsic("cuda.syncthreads")

threads = 256
items = 7  # per thread; odd, to avoid shared memory bank conflicts
tile_size = threads * items


def make_merge_kernel(is_before, element):
    """Makes merge_tiles(first, second, out), for blocks of ``threads``, one per ``tile_size`` elements of the result.

    is_before: a device function of two values. Of equal elements, those of ``first`` come first.
    """

    @jit(device=True)
    def count_elements_from_first(
        first, first_begin, first_size, second, second_begin, second_size, count
    ):
        """The number of the lowest ``count`` elements of two parts that are in the first part."""
        low, high = max(count - second_size, int64(0)), min(count, first_size)
        while low < high:
            middle = (low + high) // 2
            if is_before(second[second_begin + count - 1 - middle], first[first_begin + middle]):
                high = middle
            else:
                low = middle + 1
        return low

    @jit
    def merge_tiles(first, second, out):
        cells = shared.array(tile_size, element)
        ends = shared.array(2, int64)
        mine = local.array(items, element)
        thread = int32(thread_index.x)
        start = int64(block_index.x) * tile_size
        count = int32(min(int64(tile_size), out.size - start))
        if thread < 2:
            to = start + (count if thread else 0)
            ends[thread] = count_elements_from_first(
                first, int64(0), first.size, second, int64(0), second.size, to
            )
        syncthreads()
        first_begin, first_size = ends[0], int32(ends[1] - ends[0])
        second_begin = start - first_begin
        for i in range(items):
            at = thread + i * threads
            if at < first_size:
                cells[at] = first[first_begin + at]
            elif at < count:
                cells[at] = second[second_begin + (at - first_size)]
        syncthreads()
        begin = min(int32(thread * items), count)
        x = int32(
            count_elements_from_first(
                cells,
                int64(0),
                int64(first_size),
                cells,
                int64(first_size),
                int64(count - first_size),
                int64(begin),
            )
        )
        y = int32(first_size + begin - x)
        for i in range(items):
            if begin + i < count:
                takes_second = x >= first_size
                if not takes_second and y < count:
                    takes_second = is_before(cells[y], cells[x])
                if takes_second:
                    mine[i] = cells[y]
                    y += 1
                else:
                    mine[i] = cells[x]
                    x += 1
        syncthreads()
        for i in range(items):
            if begin + i < count:
                cells[begin + i] = mine[i]
        syncthreads()
        for i in range(items):
            at = thread + i * threads
            if at < count:
                out[start + at] = cells[at]

    return merge_tiles

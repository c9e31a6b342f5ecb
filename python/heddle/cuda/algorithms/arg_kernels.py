"""The kernel of argmin and argmax."""

from heddle.compiler.intrinsics import find_intrinsic
from heddle.compiler.jit import jit
from heddle.cuda.algorithms.last_blocks import increment_block_ticket_and_check_last
from heddle.types import int64

block_index, block_count = find_intrinsic("cuda.blockIdx"), find_intrinsic("cuda.gridDim")
thread_index = find_intrinsic("cuda.threadIdx")
shared, syncthreads = find_intrinsic("cuda.shared"), find_intrinsic("cuda.syncthreads")

threads = 256


def make_arg_kernel(wins, element):
    """Makes kernel(array, result, values, places, ticket), which stores the index of the best element in result[0].

    wins: a device function, true if its first argument is better. element: the element type. values, places: scratch
    arrays with an element for each block. Launch blocks of ``threads``; each must have at least one element. Among
    equal elements, the first index wins.
    """

    @jit(device=True)
    def is_better(x, i, y, j):
        return wins(x, y) or (i < j and not wins(y, x))

    @jit(device=True)
    def reduce_block_to_best(value, place, count):
        """The best value and place of the first ``count`` threads, reduced in shared memory."""
        values, places = shared.array(threads, element), shared.array(threads, int64)
        thread = thread_index.x
        syncthreads()
        values[thread], places[thread] = value, place
        syncthreads()
        step = threads // 2
        while step:
            other = thread + step
            takes = thread < step and other < count
            if takes and is_better(values[other], places[other], values[thread], places[thread]):
                values[thread], places[thread] = values[other], places[other]
            syncthreads()
            step //= 2
        return values[0], places[0]

    @jit
    def find_best_index(array, result, values, places, ticket):
        first = block_index.x * threads + thread_index.x
        place = min(first, array.size - 1)
        value = array[place]
        for i in range(first + threads * block_count.x, array.size, threads * block_count.x):
            if wins(array[i], value):
                value, place = array[i], i
        value, place = reduce_block_to_best(
            value, place, min(array.size - block_index.x * threads, threads)
        )
        if thread_index.x == 0:
            values[block_index.x], places[block_index.x] = value, place
        if not increment_block_ticket_and_check_last(ticket):
            return
        first = min(thread_index.x, block_count.x - 1)
        value, place = values[first], places[first]
        for i in range(thread_index.x + threads, block_count.x, threads):
            if is_better(values[i], places[i], value, place):
                value, place = values[i], places[i]
        value, place = reduce_block_to_best(value, place, min(block_count.x, threads))
        if thread_index.x == 0:
            result[0] = place
            ticket[0] = 0

    return find_best_index

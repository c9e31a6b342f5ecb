"""Kernels that scan an array with an associative function.

Each block has a chunk of the array. The first launch computes the total of every chunk; the second scans each chunk,
starting with the totals of the chunks before it. The function need not have an identity element.
"""

from heddle.compiler.intrinsics import find_intrinsic
from heddle.compiler.jit import jit

block_index, thread_index = find_intrinsic("cuda.blockIdx"), find_intrinsic("cuda.threadIdx")
shared, syncthreads = find_intrinsic("cuda.shared"), find_intrinsic("cuda.syncthreads")

threads = 256  # per block on a GPU
items = 7  # consecutive elements per thread; odd, to avoid shared memory bank conflicts
tile = threads * items  # elements that a block scans at a time


def make_cpu_kernels(function, element, exclusive):
    """As ``make_gpu_kernels``, for blocks of one thread."""

    @jit(device=True)
    def combine(x, y):
        return element(function(x, y))

    @jit
    def total_chunks(array, totals, chunk):
        begin = block_index.x * chunk
        value = element(array[begin])
        for i in range(begin + 1, min(begin + chunk, array.size)):
            value = combine(value, element(array[i]))
        totals[block_index.x] = value

    @jit
    def scan_chunks(array, out, totals, chunk, initial, begun):
        running = initial
        for i in range(block_index.x):
            running = combine(running, totals[i]) if begun else totals[i]
            begun = True
        begin = block_index.x * chunk
        for i in range(begin, min(begin + chunk, array.size)):
            value = element(array[i])
            if begun:
                value = combine(running, value)
            out[i] = running if exclusive else value
            running, begun = value, True

    return total_chunks, scan_chunks


def make_gpu_kernels(function, element, exclusive):
    """Makes total_chunks(array, totals, chunk) and scan_chunks(array, out, totals, chunk, initial, begun).

    Launch blocks of ``threads``, one per ``chunk`` elements, a multiple of ``tile``. function: a device function of two
    values. element: the type of totals and results. exclusive: whether a result excludes its element. initial: precedes
    the first element if ``begun``, which exclusive scans require.
    """

    @jit(device=True)
    def combine(x, y):
        return element(function(x, y))

    @jit(device=True)
    def scan_threads(values, count):
        """Replaces values[t] by the combination of values[0] to values[t], for the first ``count`` threads."""
        thread = thread_index.x
        step = 1
        syncthreads()
        while step < threads:
            value = values[thread]
            if step <= thread and thread < count:
                value = combine(values[thread - step], value)
            syncthreads()
            values[thread] = value
            syncthreads()
            step *= 2

    @jit(device=True)
    def load_and_total(array, start, count, cells, sums):
        """Loads a tile and sets sums[t] to the total of threads 0 to t. Returns the number of threads with elements."""
        thread = thread_index.x
        for i in range(thread, count, threads):
            cells[i] = element(array[start + i])
        syncthreads()
        first = thread * items
        if first < count:
            value = cells[first]
            for i in range(first + 1, min(first + items, count)):
                value = combine(value, cells[i])
            sums[thread] = value
        busy = (count + items - 1) // items
        scan_threads(sums, busy)
        return busy

    @jit
    def total_chunks(array, totals, chunk):
        cells, sums = shared.array(tile, element), shared.array(threads, element)
        total = shared.array(1, element)
        begin = block_index.x * chunk
        end = min(begin + chunk, array.size)
        for start in range(begin, end, tile):
            busy = load_and_total(array, start, min(tile, end - start), cells, sums)
            if thread_index.x == 0:
                here = sums[busy - 1]
                total[0] = here if start == begin else combine(total[0], here)
            syncthreads()
        if thread_index.x == 0:
            totals[block_index.x] = total[0]

    @jit
    def scan_chunks(array, out, totals, chunk, initial, begun):
        cells, sums = shared.array(tile, element), shared.array(threads, element)
        carry = shared.array(1, element)
        thread = thread_index.x
        before = block_index.x
        if before > 0:
            each = (before + threads - 1) // threads
            first = thread * each
            if first < before:
                value = totals[first]
                for i in range(first + 1, min(first + each, before)):
                    value = combine(value, totals[i])
                sums[thread] = value
            busy = (before + each - 1) // each
            scan_threads(sums, busy)
            if thread == 0:
                carry[0] = combine(initial, sums[busy - 1]) if begun else sums[busy - 1]
            begun = True
        elif thread == 0:
            carry[0] = initial
        begin = block_index.x * chunk
        end = min(begin + chunk, array.size)
        for start in range(begin, end, tile):
            count = min(tile, end - start)
            busy = load_and_total(array, start, count, cells, sums)
            running, running_begun = carry[0], begun
            if 0 < thread < busy:
                running = combine(running, sums[thread - 1]) if begun else sums[thread - 1]
                running_begun = True
            for i in range(thread * items, min(thread * items + items, count)):
                value = cells[i]
                if running_begun:
                    value = combine(running, value)
                cells[i] = running if exclusive else value
                running, running_begun = value, True
            syncthreads()
            if thread == 0:
                carry[0] = combine(carry[0], sums[busy - 1]) if begun else sums[busy - 1]
            begun = True
            for i in range(thread, count, threads):
                out[start + i] = cells[i]
            syncthreads()

    return total_chunks, scan_chunks

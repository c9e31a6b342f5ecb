"""Kernels that scan an array with an associative function.

On a GPU, one launch scans all tiles. On the CPU device, the first launch computes the totals of chunks; the second one
scans each chunk, starting with the totals before it. The function need not have an identity element.
"""

from typing import NamedTuple

from heddle.compiler.intrinsics import find_intrinsic
from heddle.compiler.jit import jit
from heddle.cuda.algorithms.look_back import assign_tile_number, make_look_back_functions
from heddle.types import from_dtype, int32, int64

block_index, thread_index = find_intrinsic("cuda.blockIdx"), find_intrinsic("cuda.threadIdx")
local, shared = find_intrinsic("cuda.local"), find_intrinsic("cuda.shared")
syncthreads = find_intrinsic("cuda.syncthreads")


def make_cpu_scan_kernels(function, element, exclusive):
    """Makes compute_chunk_totals(array, totals, chunk) and scan_chunks(array, out, totals, chunk, initial, begun).

    Launch blocks of one thread, one per ``chunk`` elements. For the arguments, see ``make_gpu_scan_kernel``.
    """

    @jit(device=True)
    def combine(x, y):
        return element(function(x, y))

    @jit
    def compute_chunk_totals(array, totals, chunk):
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

    return compute_chunk_totals, scan_chunks


def choose_tile_config(source_size, result_size):
    """The Tile for elements and results of so many bytes.

    Microseconds of a scan of 2^24 elements on an H200, by threads, vector, vectors and blocks. int32: 60
    (256, 4, 6, 3), 62 (512, 4, 4, 2), 64 (256, 4, 4, 4), 69 (256, 4, 4, 1). float64: 141 (512, 2, 4, 2), 145
    (256, 2, 6, 3), 167 (256, 2, 4, 4), 190 (256, 2, 4, 1).
    """
    vector = max(1, 16 // max(source_size, result_size))
    items = 16 if result_size <= 4 else 8
    return Tile(512 if result_size <= 8 else 256, vector, max(1, items // vector), 2)


class Tile(NamedTuple):
    """The elements that a block scans."""

    threads: int
    vector: int  # consecutive elements that a thread loads at once
    vectors: int  # per thread
    blocks: int = 1  # per multiprocessor, for which registers must suffice

    @property
    def size(self):
        return self.threads * self.vector * self.vectors


def make_gpu_scan_kernel(function, dtype, exclusive, tile):
    """Makes scan_tiles(array, out, states, values, epoch, initial, begun) for blocks of ``tile.threads``, one per tile.

    function: a device function of two values. dtype: of the results. exclusive: a result excludes its element.
    states, values, epoch: as described in ``look_back``. initial: precedes the first element if ``begun``, which
    exclusive scans require.
    """
    element = from_dtype(dtype)
    threads, vector, vectors = tile.threads, tile.vector, tile.vectors
    warps, size = threads // 32, tile.size
    warp_size = 32 * vector * vectors

    @jit(device=True)
    def combine(x, y):
        return element(function(x, y))

    exchange = make_look_back_functions(dtype, combine)
    shift_up, broadcast_last_lane = exchange.shift_up, exchange.broadcast_last_lane
    publish_total, publish_prefix = exchange.publish_total, exchange.publish_prefix
    look_back = exchange.look_back

    @jit(launch_bounds=(threads, tile.blocks))
    def scan_tiles(array, out, states, values, epoch, initial, begun):
        cells, totals = shared.array(threads, element), shared.array(warps, element)
        prefix_of_tile = shared.array(1, element)
        mine, before = local.array(vector * vectors, element), local.array(vectors, element)
        thread = int32(thread_index.x)
        warp, lane = int32(thread // 32), int32(thread % 32)
        number = assign_tile_number(states)
        start = number * size
        count = int32(min(int64(size), array.size - start))
        # Vectors of a warp are consecutive.
        first = warp * warp_size + lane * vector
        if count == size:
            for i in range(vectors):
                for j in range(vector):
                    mine[i * vector + j] = element(array[start + first + i * 32 * vector + j])
        else:
            # Elements past the end repeat the last one. No result depends on them.
            last = element(array[start + count - 1])
            for i in range(vectors):
                for j in range(vector):
                    at = first + i * 32 * vector + j
                    mine[i * vector + j] = last
                    if at < count:
                        mine[i * vector + j] = element(array[start + at])
        running = mine[0]
        for i in range(vectors):
            total = mine[i * vector]
            for j in range(1, vector):
                total = combine(total, mine[i * vector + j])
            for step in (1, 2, 4, 8, 16):
                other = shift_up(total, step, cells)
                if lane >= step:
                    total = combine(other, total)
            previous = shift_up(total, 1, cells)
            if i > 0:
                previous = combine(running, previous) if lane > 0 else running
                total = combine(running, total)
            before[i] = previous
            running = broadcast_last_lane(total, cells)
        if lane == 0:
            totals[warp] = running
        syncthreads()
        # The warps before this one, and all warps.
        total = totals[0]
        prefix, has_prefix = total, warp > 0
        for w in range(1, warps):
            if w == warp:
                prefix = total
            total = combine(total, totals[w])
        if number > 0:
            if thread == 0:
                publish_total(states, values, epoch, number, total)
            if warp == 0:
                found = look_back(states, values, epoch, number, cells)
                if lane == 0:
                    prefix_of_tile[0] = found
                    publish_prefix(states, values, epoch, number, combine(found, total))
            syncthreads()
            prefix = combine(prefix_of_tile[0], prefix) if has_prefix else prefix_of_tile[0]
            has_prefix = True
        else:
            if thread == 0:
                first_prefix = combine(initial, total) if begun else total
                publish_prefix(states, values, epoch, number, first_prefix)
            if begun:
                prefix = combine(initial, prefix) if has_prefix else initial
                has_prefix = True
        for i in range(vectors):
            value, has_value = prefix, has_prefix
            if i > 0 or lane > 0:
                value = combine(prefix, before[i]) if has_prefix else before[i]
                has_value = True
            for j in range(vector):
                x = mine[i * vector + j]
                combined = combine(value, x) if has_value else x
                mine[i * vector + j] = value if exclusive else combined
                value, has_value = combined, True
        if count == size:
            for i in range(vectors):
                for j in range(vector):
                    out[start + first + i * 32 * vector + j] = mine[i * vector + j]
        else:
            for i in range(vectors):
                for j in range(vector):
                    at = first + i * 32 * vector + j
                    if at < count:
                        out[start + at] = mine[i * vector + j]

    return scan_tiles

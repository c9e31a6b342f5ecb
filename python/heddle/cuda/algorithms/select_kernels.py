"""Kernels that copy the selected elements of an array, in their order, in one launch."""

from heddle.compiler.intrinsics import find_intrinsic
from heddle.compiler.jit import jit
from heddle.cuda.algorithms.look_back import all_lanes, assign_tile_number, make_look_back_functions
from heddle.types import boolean, from_dtype, int32, int64, uint32

thread_index = find_intrinsic("cuda.threadIdx")
local, shared = find_intrinsic("cuda.local"), find_intrinsic("cuda.shared")
syncthreads, ballot_sync = find_intrinsic("cuda.syncthreads"), find_intrinsic("cuda.ballot_sync")
popc, lanemask_lt = find_intrinsic("cuda.popc"), find_intrinsic("cuda.lanemask_lt")
grid = find_intrinsic("cuda.grid")

threads = 256
_warps = threads // 32
items = 16  # per thread
tile_size = threads * items


@jit(device=True)
def is_in_mask(array, mask, i, y):
    return mask[i]


@jit(device=True)
def starts_run(array, mask, i, y):
    """True for the first of equal elements. NaNs are equal."""
    if i == 0:
        return True
    x = array[i - 1]
    return x != y and (x == x or y == y)


def make_predicate_test(predicate):
    """Makes a test of elements by a device function of one value."""

    @jit(device=True)
    def satisfies_predicate(array, mask, i, y):
        return predicate(y)

    return satisfies_predicate


def make_select_kernel(is_chosen, dtype, count_dtype, stores_indices):
    """Makes select(array, mask, out, states, values, epoch, total).

    Launch blocks of ``threads``, one per ``tile_size`` elements.
    is_chosen: a device function of array, mask, index and element. dtype: of the elements. count_dtype: of the running
    counts. With ``stores_indices``, the kernel also stores the indices of the chosen elements: select(array, mask, out,
    indices, states, values, epoch, total).
    states, values, epoch: as described in ``look_back``. total[0] receives the number of chosen elements.
    """
    element, number = from_dtype(dtype), from_dtype(count_dtype)
    vector = max(
        1, min(items, 16 // dtype.itemsize)
    )  # consecutive elements that a thread loads at once
    vectors = items // vector

    @jit(device=True)
    def add_counts(x, y):
        return number(x + y)

    exchange = make_look_back_functions(count_dtype, add_counts)
    publish_total, publish_prefix = exchange.publish_total, exchange.publish_prefix
    look_back = exchange.look_back

    @jit(device=True)
    def select_tile(array, mask, out, indices, states, values, epoch, total):
        counts, cells = shared.array(_warps, int32), shared.array(threads, number)
        before_tile = shared.array(1, number)
        places, votes = local.array(vectors, int32), local.array(items, uint32)
        loaded, chosen = local.array(items, element), local.array(items, boolean)
        thread = int32(thread_index.x)
        warp, lane = int32(thread // 32), int32(thread % 32)
        tile = assign_tile_number(states)
        start = tile * tile_size
        count = int32(min(int64(tile_size), array.size - start))
        # Vectors of a warp are consecutive.
        first = warp * 32 * items + lane * vector
        if count == tile_size:
            for v in range(vectors):
                for j in range(vector):
                    loaded[v * vector + j] = array[start + first + v * 32 * vector + j]
            for v in range(vectors):
                for j in range(vector):
                    i = v * vector + j
                    at = start + first + v * 32 * vector + j
                    chosen[i] = bool(is_chosen(array, mask, at, loaded[i]))
        else:
            for v in range(vectors):
                for j in range(vector):
                    i = v * vector + j
                    at = first + v * 32 * vector + j
                    chosen[i] = False
                    if at < count:
                        loaded[i] = array[start + at]
                        chosen[i] = bool(is_chosen(array, mask, start + at, loaded[i]))
        counted = int32(0)
        for v in range(vectors):
            places[v] = counted
            for j in range(vector):
                i = v * vector + j
                votes[i] = uint32(ballot_sync(all_lanes, chosen[i]))
                counted = int32(counted + popc(votes[i]))
        if lane == 0:
            counts[warp] = counted
        syncthreads()
        before_warp, in_tile = int32(0), int32(0)
        for w in range(_warps):
            if w == warp:
                before_warp = in_tile
            in_tile = int32(in_tile + counts[w])
        before = number(0)
        if tile > 0:
            if thread == 0:
                publish_total(states, values, epoch, tile, number(in_tile))
            if warp == 0:
                found = look_back(states, values, epoch, tile, cells)
                if lane == 0:
                    before_tile[0] = found
                    publish_prefix(states, values, epoch, tile, number(found + in_tile))
            syncthreads()
            before = before_tile[0]
        elif thread == 0:
            publish_prefix(states, values, epoch, tile, number(in_tile))
        if thread == 0 and start + count == array.size:
            total[0] = before + in_tile
        lower_lanes = uint32(lanemask_lt())
        for v in range(vectors):
            to = int64(before) + before_warp + places[v]
            for j in range(vector):
                to += popc(uint32(votes[v * vector + j] & lower_lanes))
            for j in range(vector):
                i = v * vector + j
                if chosen[i]:
                    out[to] = loaded[i]
                    if stores_indices:
                        indices[to] = start + first + v * 32 * vector + j
                    to += 1

    @jit
    def select(array, mask, out, states, values, epoch, total):
        select_tile(array, mask, out, out, states, values, epoch, total)

    @jit
    def select_with_indices(array, mask, out, indices, states, values, epoch, total):
        select_tile(array, mask, out, indices, states, values, epoch, total)

    return select_with_indices if stores_indices else select


def make_difference_kernel():
    """Makes subtract_starts(starts, end, counts), which sets counts[i] to the distance to the next start or the end."""

    @jit
    def subtract_starts(starts, end, counts):
        i = grid(1)
        if i < counts.size:
            counts[i] = (starts[i + 1] if i + 1 < counts.size else end) - starts[i]

    return subtract_starts

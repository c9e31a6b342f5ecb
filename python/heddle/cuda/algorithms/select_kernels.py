"""Kernels that copy the selected elements of an array, in their order, in one launch."""

from heddle.compiler.intrinsics import find_intrinsic
from heddle.compiler.jit import jit
from heddle.cuda.algorithms.look_back import all_lanes, make_exchange, start_tile
from heddle.types import from_dtype, int32, int64, uint32

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
def is_in_mask(array, mask, i):
    return mask[i]


@jit(device=True)
def starts_run(array, mask, i):
    """True for the first of equal elements. NaNs are equal."""
    if i == 0:
        return True
    x, y = array[i - 1], array[i]
    return x != y and (x == x or y == y)


def make_predicate_test(predicate):
    """Makes a test of elements by a device function of one value."""

    @jit(device=True)
    def satisfies(array, mask, i):
        return predicate(array[i])

    return satisfies


def make_select_kernel(is_chosen, element, count_dtype, stores_indices):
    """Makes select(array, mask, out, states, values, epoch, total).

    Launch blocks of ``threads``, one per ``tile_size`` elements.
    is_chosen: a device function of array, mask and index. element: the type of elements. count_dtype: of the running
    counts. With ``stores_indices``, the kernel also stores the indices of the chosen elements: select(array, mask, out,
    indices, states, values, epoch, total).
    states, values, epoch: as described in ``look_back``. total[0] receives the number of chosen elements.
    """
    number = from_dtype(count_dtype)

    @jit(device=True)
    def add(x, y):
        return number(x + y)

    exchange = make_exchange(count_dtype, add)
    publish_total, publish_prefix = exchange.publish_total, exchange.publish_prefix
    look_back = exchange.look_back

    @jit(device=True)
    def select_tile(array, mask, out, indices, states, values, epoch, total):
        counts, cells = shared.array(_warps, int32), shared.array(threads, number)
        before_tile = shared.array(1, number)
        places, votes = local.array(items, int32), local.array(items, uint32)
        loaded = local.array(items, element)
        thread = int32(thread_index.x)
        warp, lane = int32(thread // 32), int32(thread % 32)
        tile = start_tile(states)
        start = tile * tile_size
        count = int32(min(int64(tile_size), array.size - start))
        first = warp * 32 * items + lane
        for i in range(items):
            at = first + i * 32
            chosen = False
            if at < count:
                chosen = bool(is_chosen(array, mask, start + at))
            votes[i] = uint32(ballot_sync(all_lanes, chosen))
        counted = int32(0)
        for i in range(items):
            places[i] = counted
            counted = int32(counted + popc(votes[i]))
        if lane == 0:
            counts[warp] = counted
        bit = uint32(1 << lane)
        for i in range(items):
            if votes[i] & bit:
                loaded[i] = array[start + first + i * 32]
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
        for i in range(items):
            if votes[i] & bit:
                rank = popc(uint32(votes[i] & lower_lanes))
                to = int64(before) + before_warp + places[i] + rank
                out[to] = loaded[i]
                if stores_indices:
                    indices[to] = start + first + i * 32

    @jit
    def select(array, mask, out, states, values, epoch, total):
        select_tile(array, mask, out, out, states, values, epoch, total)

    @jit
    def select_with_indices(array, mask, out, indices, states, values, epoch, total):
        select_tile(array, mask, out, indices, states, values, epoch, total)

    return select_with_indices if stores_indices else select


def make_difference_kernel():
    """Makes subtract(starts, end, counts), which sets counts[i] to the distance to the next start or to the end."""

    @jit
    def subtract(starts, end, counts):
        i = grid(1)
        if i < counts.size:
            counts[i] = (starts[i + 1] if i + 1 < counts.size else end) - starts[i]

    return subtract

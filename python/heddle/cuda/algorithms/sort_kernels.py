"""Kernels of a radix sort: eight bits of the keys in each pass, from the lowest on; equals keep their order.

Each block has a tile of the keys. A pass counts how often each value of the eight bits occurs in each tile; a scan of
the counts gives the place of each tile's first key of a value; then every tile is put in order and copied there.
"""

from heddle.compiler.intrinsics import intrinsic
from heddle.compiler.jit import jit
from heddle.types import int32, int64

block_index, block_count = intrinsic("cuda.blockIdx"), intrinsic("cuda.gridDim")
thread_index = intrinsic("cuda.threadIdx")
local, shared, atomic = (intrinsic(f"cuda.{name}") for name in ("local", "shared", "atomic"))
syncthreads, syncwarp = intrinsic("cuda.syncthreads"), intrinsic("cuda.syncwarp")
match_any_sync, popc = intrinsic("cuda.match_any_sync"), intrinsic("cuda.popc")

digits = 256  # values of eight bits
threads = digits  # of a block: each knows one digit
_warps = threads // 32
_items = 16  # keys of a thread
tile = threads * _items
_all_lanes = 0xFFFFFFFF


def sort_kernels(key, to_key, from_key):
    """count(bits, counts, shift) and move(bits, ordered, starts, shift), for blocks of ``threads`` and ``tile`` keys.

    key: an unsigned type. to_key, from_key: device functions, from an element's bits to a number that has its order,
    and back; they are applied to what is read and written.
    counts, starts: for each digit, for each block, in this order: how many keys the block has, where they go.
    """

    @jit
    def count(bits, counts, shift):
        found = shared.array(digits, int32)
        found[thread_index.x] = 0
        syncthreads()
        start = block_index.x * tile
        for i in range(start + thread_index.x, min(start + tile, bits.size), threads):
            atomic.add(found, int32((to_key(bits[i]) >> key(shift)) & key(digits - 1)), 1)
        syncthreads()
        counts[thread_index.x * block_count.x + block_index.x] = found[thread_index.x]

    @jit
    def move(bits, ordered, starts, shift):
        keys = shared.array(tile, key)
        of_warps = shared.array((_warps, digits), int32)
        first_in_tile = shared.array(digits, int32)
        sums = shared.array(digits, int32)
        first = shared.array(digits, int64)
        mine, ranks = local.array(_items, key), local.array(_items, int32)
        thread = thread_index.x
        warp, lane = thread // 32, thread % 32
        for w in range(_warps):
            of_warps[w, thread] = 0
        syncthreads()
        start = block_index.x * tile
        count = min(tile, bits.size - start)
        # A warp has consecutive keys, so that its ranks follow their order.
        for i in range(_items):
            at = warp * 32 * _items + i * 32 + lane
            mine[i] = to_key(bits[start + at]) if at < count else ~key(0)
            digit = int32((mine[i] >> key(shift)) & key(digits - 1))
            equals = match_any_sync(_all_lanes, digit)
            before = popc(equals & ((1 << lane) - 1))
            counted = of_warps[warp, digit]
            syncwarp()
            if before == 0:
                of_warps[warp, digit] = counted + popc(equals)
            syncwarp()
            ranks[i] = counted + before
        syncthreads()
        # The thread's digit: where each warp's keys of it begin, among those of the block.
        total = 0
        for w in range(_warps):
            counted = of_warps[w, thread]
            of_warps[w, thread] = total
            total += counted
        sums[thread] = total
        syncthreads()
        step = 1
        while step < threads:
            value = sums[thread]
            if thread >= step:
                value += sums[thread - step]
            syncthreads()
            sums[thread] = value
            syncthreads()
            step *= 2
        first_in_tile[thread] = sums[thread] - total
        first[thread] = starts[thread * block_count.x + block_index.x]
        syncthreads()
        for i in range(_items):
            digit = int32((mine[i] >> key(shift)) & key(digits - 1))
            keys[first_in_tile[digit] + of_warps[warp, digit] + ranks[i]] = mine[i]
        syncthreads()
        # Keys beyond the end are the highest: they are last in the tile.
        for i in range(thread, count, threads):
            digit = int32((keys[i] >> key(shift)) & key(digits - 1))
            ordered[first[digit] + i - first_in_tile[digit]] = from_key(keys[i])

    return count, move

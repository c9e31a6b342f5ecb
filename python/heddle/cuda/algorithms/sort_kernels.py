"""Kernels of a stable radix sort that processes eight bits of the keys per pass, lowest bits first.

Each block has a tile of keys. A pass counts the values of the eight bits (digits) in each tile. A scan of the counts
gives the position of each tile's first key with each digit. Then every tile is sorted and copied there.
"""

from heddle.compiler.intrinsics import find_intrinsic
from heddle.compiler.jit import jit
from heddle.types import int32, int64

block_index, block_count = find_intrinsic("cuda.blockIdx"), find_intrinsic("cuda.gridDim")
thread_index = find_intrinsic("cuda.threadIdx")
local, shared, atomic = (find_intrinsic(f"cuda.{name}") for name in ("local", "shared", "atomic"))
syncthreads, syncwarp = find_intrinsic("cuda.syncthreads"), find_intrinsic("cuda.syncwarp")
match_any_sync, popc = find_intrinsic("cuda.match_any_sync"), find_intrinsic("cuda.popc")

digits = 256  # values of eight bits
threads = digits  # per block: each handles one digit
_warps = threads // 32
_items = 16  # keys per thread
tile = threads * _items
_all_lanes = 0xFFFFFFFF


def make_sort_kernels(key, to_key, from_key):
    """Makes count(bits, counts, shift) and move(bits, ordered, starts, shift) for blocks of ``threads`` and ``tile``
    keys.

    key: an unsigned type. to_key, from_key: device functions that map the bits of an element to a number of equal
    order, and back; applied on load and store. counts, starts: indexed by digit, then block: the number of keys in the
    block, and the position of the first.
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
        warp_counts = shared.array((_warps, digits), int32)
        first_in_tile = shared.array(digits, int32)
        sums = shared.array(digits, int32)
        first = shared.array(digits, int64)
        mine, ranks = local.array(_items, key), local.array(_items, int32)
        thread = thread_index.x
        warp, lane = thread // 32, thread % 32
        for w in range(_warps):
            warp_counts[w, thread] = 0
        syncthreads()
        start = block_index.x * tile
        count = min(tile, bits.size - start)
        # A warp has consecutive keys, so its ranks preserve their order.
        for i in range(_items):
            at = warp * 32 * _items + i * 32 + lane
            mine[i] = to_key(bits[start + at]) if at < count else ~key(0)
            digit = int32((mine[i] >> key(shift)) & key(digits - 1))
            equals = match_any_sync(_all_lanes, digit)
            before = popc(equals & ((1 << lane) - 1))
            counted = warp_counts[warp, digit]
            syncwarp()
            if before == 0:
                warp_counts[warp, digit] = counted + popc(equals)
            syncwarp()
            ranks[i] = counted + before
        syncthreads()
        # For this thread's digit: where each warp's keys begin among the block's keys with the digit.
        total = 0
        for w in range(_warps):
            counted = warp_counts[w, thread]
            warp_counts[w, thread] = total
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
            keys[first_in_tile[digit] + warp_counts[warp, digit] + ranks[i]] = mine[i]
        syncthreads()
        # Keys past the end are the highest, so they are last in the tile.
        for i in range(thread, count, threads):
            digit = int32((keys[i] >> key(shift)) & key(digits - 1))
            ordered[first[digit] + i - first_in_tile[digit]] = from_key(keys[i])

    return count, move

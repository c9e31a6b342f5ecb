"""Kernels of a stable radix sort that orders keys by eight of their bits (a digit) per pass, lowest bits first.

One launch counts the digits of all passes. Then each pass is one launch: a block counts the digits of a tile of keys,
finds the positions of these digits among those of the tiles before it by decoupled look-back, and sorts the tile in
shared memory to write runs of keys. After Adinets and Merrill, "Onesweep", 2022.
"""

from typing import NamedTuple

from heddle.compiler.intrinsics import find_intrinsic
from heddle.compiler.jit import jit
from heddle.types import int32, int64, uint32, uint64

block_index, block_count = find_intrinsic("cuda.blockIdx"), find_intrinsic("cuda.gridDim")
thread_index = find_intrinsic("cuda.threadIdx")
local, shared, atomic = (find_intrinsic(f"cuda.{name}") for name in ("local", "shared", "atomic"))
syncthreads, shfl_sync = find_intrinsic("cuda.syncthreads"), find_intrinsic("cuda.shfl_sync")
shfl_up_sync = find_intrinsic("cuda.shfl_up_sync")
ballot_sync, match_any_sync = (find_intrinsic(f"cuda.{n}_sync") for n in ("ballot", "match_any"))
popc, clz = find_intrinsic("cuda.popc"), find_intrinsic("cuda.clz")
lanemask_lt = find_intrinsic("cuda.lanemask_lt")
ldcv, stwt = find_intrinsic("cuda.ldcv"), find_intrinsic("cuda.stwt")

digits = 256  # values of eight bits
count_threads = 256  # per block that counts digits
_all_lanes = 0xFFFFFFFF


class Tile(NamedTuple):
    """The keys that a block sorts."""

    threads: int
    items: int  # keys per thread
    blocks: int  # per multiprocessor, for which registers must suffice
    match: str = "ballot"  # how the lanes with equal digits are found: by "ballot" or "match"

    @property
    def size(self):
        return self.threads * self.items


def choose_tile_config(key_size, value_size):
    """The Tile for keys and values of so many bytes; value_size: 0 without values.

    Microseconds of a pass over 2^24 keys on an H200, by threads, items and blocks. 4-byte keys: 107 (512, 16, 2),
    108 (384, 16, 3), 109 (384, 21, 2), 112 (256, 16, 4), 127 (1024, 16, 1); with 4-byte values 148 (512, 16, 2),
    155 (384, 16, 2), 165 (512, 12, 2), with 8-byte values 197 (256, 12, 3), 199 (512, 8, 2), 204 (384, 10, 2).
    8-byte keys: 149 (512, 10, 2), 154 (384, 12, 2), 160 (256, 12, 3); with 4-byte values 200 (512, 8, 2),
    207 (384, 10, 2), 218 (256, 12, 3).
    """
    if max(key_size, value_size) <= 4:
        return Tile(512, 16, 2)
    return Tile(512, 8 if value_size else 10, 2)


def get_vector_length(key_size):
    """The number of keys in a 16-byte load."""
    return 16 // key_size


def get_digit_counts_index(passes):
    """The index of the digit counts in the words of a sort: ``digits`` per pass. Tickets, one per pass, precede."""
    return passes


def get_tile_states_index(passes):
    """The index of the tile states in the words of a sort: ``digits`` per tile and pass."""
    return passes * (1 + digits)


def make_count_kernel(key, to_digit, passes, to_key):
    """Makes count_digits(bits, words), which counts the digits of all passes in words[get_digit_counts_index(passes):].

    Launch blocks of ``count_threads``. For the arguments, see ``make_sweep_kernel``.
    """
    begin = get_digit_counts_index(passes)
    vector = get_vector_length(passes)

    @jit(device=True)
    def count_digits_of_key(found, number):
        for p in range(passes):
            atomic.add(found, p * digits + to_digit(number, 8 * p), uint32(1))

    @jit
    def count_digits(bits, words):
        found = shared.array(passes * digits, uint32)
        loaded = local.array(vector, key)
        thread = thread_index.x
        for i in range(thread, passes * digits, count_threads):
            found[i] = 0
        syncthreads()
        vectors = bits.size // vector
        first = block_index.x * count_threads + thread
        step = block_count.x * count_threads
        for v in range(first, vectors, step):
            for i in range(vector):
                loaded[i] = bits[v * vector + i]
            for i in range(vector):
                count_digits_of_key(found, to_key(loaded[i]))
        for i in range(vectors * vector + first, bits.size, step):
            count_digits_of_key(found, to_key(bits[i]))
        syncthreads()
        for i in range(thread, passes * digits, count_threads):
            if found[i]:
                atomic.add(words, begin + i, found[i])

    return count_digits


def make_sweep_kernel(key, value, word, to_digit, passes, to_key, from_key, tile):
    """Makes the kernel of a pass, for blocks of ``tile.threads``, one per tile.

    Without values: sort_by_digit(bits, ordered, words, number); number: of the pass. With values:
    sort_pairs_by_digit(bits, ordered, values, carried, words, number), which moves values with their keys.
    key: an unsigned type. value: None, the type of values, or "index": then the first pass ignores ``values`` and moves
    the indices of the keys.
    word: the unsigned type of ``words``, which are 0 before the first launch, apart from the counts. Its two upper bits
    are flags. to_digit(key, shift): a device function. to_key, from_key: device functions that map the bits of an
    element to a number of equal order, and back; applied in the first and the last pass. Pass dynamic shared memory for
    a key or value of each item of the tile, whichever is larger.
    """
    threads, items, tile_size = tile.threads, tile.items, tile.size
    warps = threads // 32
    counts_begin, states_begin = get_digit_counts_index(passes), get_tile_states_index(passes)
    word_bits = 64 if word == uint64 else 32
    has_total, has_prefix = word(1 << (word_bits - 2)), word(1 << (word_bits - 1))
    value_mask = word(has_total - 1)
    makes_indices = value == "index"
    moves_values = value is not None
    value_type = word if makes_indices else value if moves_values else key
    match_by = tile.match

    @jit(device=True)
    def find_lanes_with_same_digit(digit):
        """The lanes of the warp with the same digit."""
        if match_by == "match":
            return uint32(match_any_sync(_all_lanes, digit))
        mask = uint32(_all_lanes)
        for bit in range(8):
            is_set = uint32(digit & uint32(1 << bit)) != uint32(0)
            lanes = uint32(ballot_sync(_all_lanes, is_set))
            mask = uint32(mask & (lanes if is_set else uint32(~lanes)))
        return mask

    @jit(device=True)
    def scan_exclusively(value, sums):
        """The sum of the values of the threads before the caller, among the first ``digits`` threads."""
        thread = thread_index.x
        lane = thread % 32
        total = value
        for step in (1, 2, 4, 8, 16):
            other = shfl_up_sync(_all_lanes, total, step)
            if lane >= step:
                total = word(total + other)
        if lane == 31 and thread < digits:
            sums[thread // 32] = total
        syncthreads()
        for warp in range(digits // 32 - 1):
            if warp < thread // 32:
                total = word(total + sums[warp])
        syncthreads()
        return word(total - value)

    @jit(device=True)
    def sum_earlier_tiles_by_look_back(words, state):
        """The sum of the totals of all tiles before the one with this state."""
        before = word(0)
        while True:
            state = word(state - word(digits))
            while True:
                found = ldcv(words, state)
                if found != 0:
                    break
            before = word(before + word(found & value_mask))
            if found >= has_prefix:
                return before

    @jit(device=True)
    def sort_tile_by_digit(bits, ordered, values, carried, words, number):
        keys, moved = shared.array(0, key), shared.array(0, value_type)
        warp_counts = shared.array((warps, digits), int32)
        offsets = shared.array(digits, word)
        sums = shared.array(digits // 32, word)
        ticket = shared.array(1, word)
        mine, ranks = local.array(items, key), local.array(items, int32)
        thread = int32(thread_index.x)
        warp, lane = int32(thread // 32), int32(thread % 32)
        lower_lanes = uint32(lanemask_lt())
        shift = int32(8 * number)
        # Tiles are numbered in the order in which blocks start: no block waits for one that cannot start.
        if thread == 0:
            ticket[0] = atomic.add(words, number, 1)
        for i in range(digits // 32):
            warp_counts[warp, i * 32 + lane] = 0
        syncthreads()
        block = int64(ticket[0])
        start = block * tile_size
        count = int32(min(tile_size, bits.size - start))
        # A warp has consecutive keys, so its ranks preserve their order.
        first = warp * 32 * items + lane
        if count == tile_size:
            for i in range(items):
                mine[i] = bits[start + first + i * 32]
        else:
            for i in range(items):
                at = first + i * 32
                mine[i] = key(0)
                if at < count:
                    mine[i] = bits[start + at]
        if number == 0:
            for i in range(items):
                mine[i] = to_key(mine[i])
        if count < tile_size:
            for i in range(items):
                if first + i * 32 >= count:
                    mine[i] = ~key(0)
        for i in range(items):
            atomic.add(warp_counts, (warp, to_digit(mine[i], shift)), 1)
        syncthreads()
        total = word(0)
        tiles = (bits.size + tile_size - 1) // tile_size
        state = word(states_begin + (number * tiles + block) * digits + thread)
        if thread < digits:
            for w in range(warps):
                total = word(total + warp_counts[w, thread])
            if block > 0:
                stwt(words, state, word(has_total | total))
        first_in_tile = scan_exclusively(total, sums)
        before = word(0)
        if block == 0:
            if thread < digits:
                before = words[counts_begin + number * digits + thread]
            before = scan_exclusively(before, sums)
        if thread < digits:
            running = int32(first_in_tile)
            for w in range(warps):
                counted = warp_counts[w, thread]
                warp_counts[w, thread] = running
                running = int32(running + counted)
        syncthreads()
        for i in range(items):
            digit = to_digit(mine[i], shift)
            equals = find_lanes_with_same_digit(digit)
            rank = int32(popc(uint32(equals & lower_lanes)))
            # The highest of these lanes reserves ranks for all of them.
            leader = int32(31 - int32(clz(equals)))
            reserved = int32(0)
            if lane == leader:
                reserved = atomic.add(warp_counts, (warp, digit), int32(rank + 1))
            ranks[i] = int32(shfl_sync(_all_lanes, reserved, leader) + rank)
        for i in range(items):
            keys[ranks[i]] = mine[i]
        if thread < digits:
            if block > 0:
                before = sum_earlier_tiles_by_look_back(words, state)
            stwt(words, state, word(has_prefix | word(before + total)))
            offsets[thread] = word(before - first_in_tile)
        syncthreads()
        # Keys past the end are the highest, so they are last in the tile.
        targets = local.array(items, word)
        for i in range(items):
            mine[i] = keys[thread + i * threads]
        for i in range(items):
            targets[i] = word(offsets[to_digit(mine[i], shift)] + thread + i * threads)
        if number == passes - 1:
            for i in range(items):
                mine[i] = from_key(mine[i])
        if count == tile_size:
            for i in range(items):
                ordered[targets[i]] = mine[i]
        else:
            for i in range(items):
                if thread + i * threads < count:
                    ordered[targets[i]] = mine[i]
        if not moves_values:
            return
        loaded = local.array(items, value_type)
        for i in range(items):
            at = first + i * 32
            if makes_indices and number == 0:
                loaded[i] = value_type(start + at)
            elif at < count:
                loaded[i] = values[start + at]
        syncthreads()
        for i in range(items):
            if first + i * 32 < count:
                moved[ranks[i]] = loaded[i]
        syncthreads()
        for i in range(items):
            if thread + i * threads < count:
                carried[targets[i]] = moved[thread + i * threads]

    @jit(launch_bounds=(threads, tile.blocks))
    def sort_by_digit(bits, ordered, words, number):
        sort_tile_by_digit(bits, ordered, bits, ordered, words, number)

    @jit(launch_bounds=(threads, tile.blocks))
    def sort_pairs_by_digit(bits, ordered, values, carried, words, number):
        sort_tile_by_digit(bits, ordered, values, carried, words, number)

    return sort_pairs_by_digit if moves_values else sort_by_digit


def make_gather_kernel():
    """Makes gather_values(values, order, result), which sets result[i] to values[order[i]], one element per thread."""
    grid = find_intrinsic("cuda.grid")

    @jit
    def gather_values(values, order, result):
        i = grid(1)
        if i < order.size:
            result[i] = values[order[i]]

    return gather_values

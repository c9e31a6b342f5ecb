"""Scans of one value per tile by decoupled look-back, for kernels in which each block has a tile.

A block publishes its tile's total. Its first warp then reads the states of the tiles before it, 32 at a time and
backward, until it finds one that has published its prefix: the total of all tiles up to it. After Merrill and Garland,
"Single-pass parallel prefix scan with decoupled look-back", 2016.

The states of a scan are an array of uint64. The first word counts the blocks that have started, and is 0 before and
after a launch. Then each tile has a word. It holds a flag, the number of the launch (its epoch), so that launches reuse
the array without clearing it, and, if 32 bits suffice, the value, so that one access reads all of them. Other values
are in an array with two elements per tile: the total and the prefix.
"""

from typing import NamedTuple

import numpy as np

from heddle.compiler.intrinsics import find_intrinsic
from heddle.compiler.jit import jit
from heddle.cuda.algorithms.workspaces import allocate_scratch, allocate_zeros, get_workspace
from heddle.types import from_dtype, int64, uint32, uint64

block_count, thread_index = find_intrinsic("cuda.gridDim"), find_intrinsic("cuda.threadIdx")
shared, atomic = find_intrinsic("cuda.shared"), find_intrinsic("cuda.atomic")
threadfence, syncthreads = find_intrinsic("cuda.threadfence"), find_intrinsic("cuda.syncthreads")
syncwarp, ballot_sync = find_intrinsic("cuda.syncwarp"), find_intrinsic("cuda.ballot_sync")
shfl_up_sync, shfl_down_sync = (find_intrinsic(f"cuda.shfl_{n}_sync") for n in ("up", "down"))
shfl_sync = find_intrinsic("cuda.shfl_sync")
ffs, ldcv, stwt = (find_intrinsic(f"cuda.{name}") for name in ("ffs", "ldcv", "stwt"))

all_lanes = 0xFFFFFFFF
_shuffled = "i4", "u4", "i8", "u8", "f4", "f8"
_has_total, _has_prefix = 0, 1  # flags, the lowest bit of a state's upper word; the epoch is above


class Exchange(NamedTuple):
    """Device functions for values of one type."""

    shift_up: object  # (value, step, cells): the value of the lane ``step`` below; garbage in the first lanes
    shift_down: object  # the same for the lane above
    broadcast_last_lane: object  # (value, cells): the value of lane 31
    publish_total: object  # (states, values, epoch, tile, total), called by one thread
    publish_prefix: object
    look_back: object  # (states, values, epoch, tile, cells): the prefix of the tile before, in lane 0 of the warp


@jit(device=True)
def assign_tile_number(states):
    """Returns the number of the block's tile. Tiles are numbered in the order in which blocks start, so that no block
    waits for one that cannot start. Called by all threads."""
    number = shared.array(1, uint32)
    if thread_index.x == 0:
        started = atomic.add(states, 0, 1)
        number[0] = started
        if started == block_count.x - 1:
            atomic.exch(states, 0, 0)  # for the next launch
    syncthreads()
    return int64(number[0])  # the compiler knows that it is not negative


def get_tile_state_arguments(stream, tiles, dtype):
    """The arguments ``states``, ``values`` and ``epoch`` of a scan in a native stream. dtype: of the values."""
    count = 1 if _are_states_packed(dtype) else 2 * tiles
    if stream.capturing:  # the graph may run beside other work, and many times
        states = allocate_zeros(stream, 1 + tiles, np.dtype(np.uint64))
        return states, allocate_scratch(stream, count, dtype), 1
    workspace = get_workspace(stream)
    states, epoch = workspace.get_states_and_next_epoch(1 + tiles, stream)
    return states, workspace.get_scratch(count, dtype, "values of tiles"), epoch


def _are_states_packed(dtype):
    """Tells whether states hold the values themselves."""
    return dtype.itemsize <= 4 and dtype.kind != "b"


def make_look_back_functions(dtype, combine):
    """Makes the Exchange for values of a dtype. combine: an associative device function of two values."""
    element = from_dtype(dtype)
    shift_up, shift_down, broadcast_last_lane = make_shift_functions(dtype)
    unsigned = from_dtype(np.dtype(f"u{dtype.itemsize}")) if _are_states_packed(dtype) else None

    @jit(device=True)
    def pack_state(epoch, flag):
        return uint64(uint64(2 * epoch + flag) << uint64(32))

    @jit(device=True)
    def publish_packed_value(states, values, epoch, tile, value, flag):
        stwt(states, 1 + tile, pack_state(epoch, flag) | uint64(value.view(unsigned)))

    @jit(device=True)
    def publish_value(states, values, epoch, tile, value, flag):
        values[2 * tile + flag] = value
        threadfence()
        stwt(states, 1 + tile, pack_state(epoch, flag))

    @jit(device=True)
    def read_packed_value(states, values, tile, state, flag):
        return unsigned(state).view(element)

    @jit(device=True)
    def read_value(states, values, tile, state, flag):
        threadfence()
        return values[2 * tile + flag]

    publish, read = (
        (publish_packed_value, read_packed_value) if unsigned else (publish_value, read_value)
    )

    @jit(device=True)
    def publish_total(states, values, epoch, tile, total):
        publish(states, values, epoch, tile, total, _has_total)

    @jit(device=True)
    def publish_prefix(states, values, epoch, tile, prefix):
        publish(states, values, epoch, tile, prefix, _has_prefix)

    @jit(device=True)
    def find_prefix_by_look_back(states, values, epoch, tile, cells):
        lane = thread_index.x % 32
        end = tile  # of the window of 32 tiles
        prefix, found = element(0), False
        while True:
            # Lane 0 has the last tile of the window. Lanes before the first tile repeat that.
            mine = max(end - 1 - lane, int64(0))
            while True:
                state = ldcv(states, 1 + mine)
                if int64(state >> uint64(33)) == epoch:
                    break
            flag = int64(state >> uint64(32)) & 1
            value = read(states, values, mine, state, flag)
            prefixes = ballot_sync(all_lanes, flag == _has_prefix)
            last = min(ffs(prefixes) - 1, 31) if prefixes != 0 else 31
            for step in (1, 2, 4, 8, 16):
                other = shift_down(value, step, cells)
                if lane + step <= last:
                    value = combine(other, value)
            prefix = combine(value, prefix) if found else value
            found = True
            if prefixes != 0:
                return prefix
            end -= 32

    return Exchange(
        shift_up,
        shift_down,
        broadcast_last_lane,
        publish_total,
        publish_prefix,
        find_prefix_by_look_back,
    )


def make_shift_functions(dtype):
    """Makes the functions shift_up, shift_down and broadcast_last_lane of an Exchange. cells: a shared array with an
    element per thread of the block; unused if the type can be shuffled."""
    if dtype.str[1:] in _shuffled:

        @jit(device=True)
        def shift_up(value, step, cells):
            return shfl_up_sync(all_lanes, value, step)

        @jit(device=True)
        def shift_down(value, step, cells):
            return shfl_down_sync(all_lanes, value, step)

        @jit(device=True)
        def broadcast_last_lane(value, cells):
            return shfl_sync(all_lanes, value, 31)

        return shift_up, shift_down, broadcast_last_lane

    @jit(device=True)
    def shift_up_in_shared_memory(value, step, cells):
        thread = thread_index.x
        cells[thread] = value
        syncwarp()
        other = cells[thread - step] if thread % 32 >= step else value
        syncwarp()
        return other

    @jit(device=True)
    def shift_down_in_shared_memory(value, step, cells):
        thread = thread_index.x
        cells[thread] = value
        syncwarp()
        other = cells[thread + step] if thread % 32 + step < 32 else value
        syncwarp()
        return other

    @jit(device=True)
    def broadcast_last_lane_in_shared_memory(value, cells):
        thread = thread_index.x
        cells[thread] = value
        syncwarp()
        last = cells[thread | 31]
        syncwarp()
        return last

    return (
        shift_up_in_shared_memory,
        shift_down_in_shared_memory,
        broadcast_last_lane_in_shared_memory,
    )

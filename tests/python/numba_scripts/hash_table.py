"""A hash table with open addressing: compare-and-swap claims a slot, lookups follow the same way."""

import numpy as np
from numba import cuda, uint32

EMPTY = np.uint32(0xFFFFFFFF)


@cuda.jit(uint32(uint32), device=True)
def mixed(key):
    key ^= key >> uint32(16)
    key *= uint32(0x7FEB352D)
    key ^= key >> uint32(15)
    return key


@cuda.jit
def insert(keys, table, mask):
    i = cuda.grid(1)
    if i < keys.size:
        slot = mixed(keys[i]) & mask
        while True:
            before = cuda.atomic.cas(table, slot, EMPTY, keys[i])
            if before == EMPTY or before == keys[i]:
                break
            slot = (slot + uint32(1)) & mask


@cuda.jit
def look_up(keys, table, mask, found):
    i = cuda.grid(1)
    if i < keys.size:
        slot = mixed(keys[i]) & mask
        while table[slot] != EMPTY:
            if table[slot] == keys[i]:
                found[i] = True
                break
            slot = (slot + uint32(1)) & mask


rng = np.random.default_rng(0)
keys = rng.integers(0, 10**6, 1000).astype(np.uint32)
others = rng.integers(10**6, 2 * 10**6, 50).astype(np.uint32)
table = cuda.to_device(np.full(4096, EMPTY))
insert[8, 128](keys, table, np.uint32(4095))
found = np.zeros(100, np.bool_)
look_up[1, 128](np.r_[keys[:50], others], table, np.uint32(4095), found)
print(found[:50].all(), found[50:].any(), (table.copy_to_host() != EMPTY).sum() == len(set(keys)))

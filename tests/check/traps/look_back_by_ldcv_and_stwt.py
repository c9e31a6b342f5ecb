"""Blocks hand on running sums in words of a flag and a value, by stwt and ldcv: no other memory needs a fence."""

import numpy as np

from heddle import cuda

HAS_TOTAL, HAS_PREFIX = 1 << 30, 1 << 31


@cuda.jit(device=True)
def look_back(states, block):
    before = np.uint32(0)
    while True:
        block -= 1
        while True:
            state = cuda.ldcv(states, block)
            if state != 0:
                break
        before = np.uint32(before + (state & np.uint32(HAS_TOTAL - 1)))
        if state >= HAS_PREFIX:
            return before


@cuda.jit
def add_up(x, states, out):
    block = cuda.blockIdx.x
    if cuda.threadIdx.x == 0:
        total, before = x[block], np.uint32(0)
        if block > 0:
            cuda.stwt(states, block, HAS_TOTAL | total)
            before = look_back(states, block)
        cuda.stwt(states, block, HAS_PREFIX | (before + total))
        out[block] = before + total


x = np.arange(1, 41, dtype=np.uint32)
states = cuda.to_device(np.zeros(40, np.uint32))
out = cuda.to_device(np.zeros(40, np.uint32))
add_up[40, 32](cuda.to_device(x), states, out)
np.testing.assert_array_equal(out.copy_to_host(), np.cumsum(x))

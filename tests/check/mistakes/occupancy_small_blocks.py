"""Blocks of one warp: a multiprocessor runs at most 32 blocks, so half of it stays empty."""

import numpy as np

from heddle import cuda


@cuda.jit
def add_one(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 1


x = np.zeros(300_000, np.int32)
threads = 32  #-
#+ threads = 128
add_one[(x.size + threads - 1) // threads, threads](x)  #! occupancy note
#+ assert x.min() == x.max() == 1

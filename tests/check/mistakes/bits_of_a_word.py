"""Threads set bits of shared words without atomics."""

import numpy as np

from heddle import cuda


@cuda.jit
def odd_bits(x, words):
    i = cuda.grid(1)
    if x[i] % 2 == 1:
        words[i // 32] |= np.uint32(1) << np.uint32(i % 32)  #! race #-
        #+ cuda.atomic.or_(words, i // 32, np.uint32(1) << np.uint32(i % 32))


x = np.arange(64, dtype=np.int32)
words = np.zeros(2, np.uint32)
odd_bits[1, 64](x, words)
#+ assert words.tolist() == [0xAAAAAAAA] * 2

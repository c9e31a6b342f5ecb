"""Threads push nodes with an atomic exchange, and the next launch follows the links."""

import numpy as np

from heddle import cuda


@cuda.jit
def push(key, head, link):
    i = cuda.grid(1)
    link[i] = cuda.atomic.exch(head, key[i], i)


@cuda.jit
def count(head, link, out):
    i = cuda.grid(1)
    node = head[i]
    while node >= 0:
        out[i] += 1
        node = link[node]


key = np.arange(64, dtype=np.int32) * 5 % 7
head, link, out = np.full(7, -1, np.int32), np.zeros(64, np.int32), np.zeros(7, np.int32)
push[2, 32](key, head, link)
count[1, 7](head, link, out)
np.testing.assert_array_equal(out, np.bincount(key))

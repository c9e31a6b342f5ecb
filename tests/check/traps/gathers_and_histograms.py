"""The data decides which elements a warp accesses: no other order of the threads is better."""

import numpy as np

from heddle import cuda


@cuda.jit
def permute(x, order, out):
    i = cuda.grid(1)
    out[order[i]] = x[order[order[i]]]


@cuda.jit
def count(x, bins):
    s = cuda.shared.array(1024, np.int32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    for b in range(t, 1024, cuda.blockDim.x):
        s[b] = 0
    cuda.syncthreads()
    cuda.atomic.add(s, 32 * (x[i] % 32), 1)
    cuda.syncthreads()
    for b in range(t, 1024, cuda.blockDim.x):
        cuda.atomic.add(bins, b, s[b])


order = np.random.default_rng(2).permutation(256)
x, out = np.arange(256), np.zeros(256, np.int64)
permute[2, 128](x, order, out)
assert sorted(out) == list(range(256))
bins = np.zeros(1024, np.int32)
count[2, 128](x, bins)
assert bins[::32].tolist() == [8] * 32

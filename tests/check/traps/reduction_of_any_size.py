"""A reduction of a block size that is no power of two, with a guard for missing elements."""

import numpy as np

from heddle import cuda


@cuda.jit
def block_sums(x, out):
    s = cuda.shared.array(96, np.int32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    s[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    n = cuda.blockDim.x
    while n > 1:
        half = (n + 1) // 2
        if t + half < n:
            s[t] += s[t + half]
        cuda.syncthreads()
        n = half
    if t == 0:
        out[cuda.blockIdx.x] = s[0]


x = np.arange(150, dtype=np.int32)
out = np.zeros(2, np.int32)
block_sums[2, 96](x, out)
assert out.tolist() == [x[:96].sum(), x[96:].sum()]

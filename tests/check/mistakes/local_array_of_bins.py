"""The data selects an element of a local array, which must therefore be in memory."""

import numpy as np

from heddle import cuda


@cuda.jit
def count(x, out):
    i = cuda.grid(1)
    bins = cuda.local.array(4, np.int32)
    for b in range(4):
        bins[b] = 0
    for k in range(x.shape[0]):
        bins[x[k, i]] += 1  #! local-array note #-
        #+ for b in range(4):
            #+ bins[b] += x[k, i] == b
    for b in range(4):
        out[b, i] = bins[b]


x = np.random.default_rng(1).integers(0, 4, (20, 64)).astype(np.int32)
out = np.zeros((4, 64), np.int32)
count[2, 32](x, out)
#+ np.testing.assert_array_equal(out, [(x == b).sum(axis=0) for b in range(4)])

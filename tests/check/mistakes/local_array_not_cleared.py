"""A local array counts, but nobody has set it to zero."""

import numpy as np

from heddle import cuda


@cuda.jit
def most_frequent(x, out):
    i = cuda.grid(1)
    bins = cuda.local.array(4, np.int32)
    #+ for k in range(4):
    #+     bins[k] = 0
    for k in range(x.shape[1]):
        bins[x[i, k]] += 1  #! uninit  #? uncoalesced note  #? local-array note #-
        #+ bins[x[i, k]] += 1  #? uncoalesced note  #? local-array note
    best = 0
    for k in range(1, 4):
        if bins[k] > bins[best]:  #? uninit #-
        #+ if bins[k] > bins[best]:
            best = k
    out[i] = best


x = (np.arange(128, dtype=np.int32) * 5 % 7 % 4).reshape(16, 8)
out = np.zeros(16, np.int32)
most_frequent[1, 16](x, out)
#+ np.testing.assert_array_equal(out, [np.bincount(row, minlength=4).argmax() for row in x])

"""Each thread sorts a private array with computed indices."""

import numpy as np

from heddle import cuda


@cuda.jit
def medians(x, out):
    i = cuda.grid(1)
    kept = cuda.local.array(5, np.int32)
    for k in range(5):
        v = x[i, k]  #? uncoalesced note
        j = k
        while j > 0 and kept[j - 1] > v:
            kept[j] = kept[j - 1]
            j -= 1
        kept[j] = v  #? local-array note
    out[i] = kept[2]


x = (np.arange(160, dtype=np.int32) * 37 % 101).reshape(32, 5)
out = np.zeros(32, np.int32)
medians[1, 32](x, out)
np.testing.assert_array_equal(out, np.median(x, axis=1))

"""Each block adds the total that the block before it writes, with no order between them."""

import numpy as np

from heddle import cuda


@cuda.jit
def offsets(x, total, out):
    b = cuda.blockIdx.x
    t = cuda.threadIdx.x
    if t == 0:
        part = 0
        for j in range(16):
            part += x[16 * b + j]
        total[b] = part  #! race
    #+ cuda.cg.this_grid().sync()
    before = 0
    for j in range(b):
        before += total[j]  #! race
    out[16 * b + t] = before + x[16 * b + t]


x = np.arange(64, dtype=np.int32)
total, out = np.zeros(4, np.int32), np.zeros(64, np.int32)
offsets[4, 16](x, total, out)
#+ sums = x.reshape(4, 16).sum(1)
#+ np.testing.assert_array_equal(out, x + np.repeat(np.cumsum(sums) - sums, 16))

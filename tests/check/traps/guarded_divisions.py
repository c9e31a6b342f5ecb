"""Divisors of zero are replaced or skipped, and floats divide by zero."""

import numpy as np

from heddle import cuda


@cuda.jit
def ratios(x, y, out, floats):
    i = cuda.grid(1)
    out[i, 0] = x[i] // (y[i] if y[i] != 0 else 1)  #? uncoalesced note
    out[i, 1] = x[i] % max(y[i], 1)  #? uncoalesced note
    out[i, 2] = x[i] // y[i] if y[i] else 0  #? uncoalesced note
    if y[i] == 0:
        y[i] = 1
    out[i, 3] = x[i] % y[i]  #? uncoalesced note
    floats[i] = x[i] / float(i % 3)


x, y = np.arange(32, dtype=np.int32), np.arange(32, dtype=np.int32) % 4
out, floats, safe = np.zeros((32, 4), np.int32), np.zeros(32), np.where(y, y, 1)
with np.errstate(all="ignore"):
    ratios[1, 32](x, y, out, floats)
    want = [x // safe, x % safe, np.where(np.arange(32) % 4, x // safe, 0), x % safe]
    np.testing.assert_array_equal(out, np.transpose(want))
    np.testing.assert_array_equal(floats, x / (np.arange(32) % 3))

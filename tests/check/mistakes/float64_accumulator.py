"""A sum of float32 values starts with a Python float, which is a float64."""

import numpy as np

from heddle import cuda


@cuda.jit
def average(a, out):
    i = cuda.grid(1)
    total = 0.0  #-
    #+ total = np.float32(0)
    for k in range(a.shape[0]):
        total += a[k, i]  #! float64 note #-
        #+ total += a[k, i]
    out[i] = total / np.float32(a.shape[0])  #? float64 note


a = np.arange(10 * 64, dtype=np.float32).reshape(10, 64)
out = np.zeros(64, np.float32)
average[2, 32](a, out)
#+ np.testing.assert_allclose(out, a.mean(axis=0), rtol=1e-6)

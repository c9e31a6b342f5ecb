"""The product of a float32 value and an index is a float64."""

import numpy as np

from heddle import cuda


@cuda.jit
def ramp(x, out):
    i = cuda.grid(1)
    out[i] = x[i] * i + x[i]  #! float64 note #-
    #+ out[i] = x[i] * np.float32(i) + x[i]


x = np.linspace(0, 1, 64, dtype=np.float32)
out = np.zeros(64, np.float32)
ramp[2, 32](x, out)
#+ np.testing.assert_allclose(out, x * np.arange(64) + x, rtol=1e-6)

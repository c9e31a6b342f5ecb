"""One thread in four has work; a list of the elements that need work would fill the warps."""

import numpy as np

from heddle import cuda


@cuda.jit
def refine(x, wanted, out):
    i = cuda.grid(1)  #-
    if wanted[i] != 0:  #! divergence note #-
    #+ if cuda.grid(1) < wanted.size:
        #+ i = wanted[cuda.grid(1)]
        v = x[i]
        for _ in range(30):
            v = v * v - np.float32(0.5)
        out[i] = v


x = np.full(256, 0.5, np.float32)
wanted = (np.arange(256) % 4 == 0).astype(np.int32)
#+ wanted = np.flatnonzero(wanted)
out = np.zeros(256, np.float32)
refine[2, 128](x, wanted, out)
#+ assert np.count_nonzero(out) == 64

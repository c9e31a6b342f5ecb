"""Records in an array: neighboring threads access the same field of neighboring records."""

import numpy as np

from heddle import cuda

body = np.dtype([("position", np.float32, 3), ("mass", np.float32)])


@cuda.jit
def weigh(bodies, masses, out):
    i = cuda.grid(1)
    out[i] = 2 * bodies[i].mass  #! uncoalesced note #-
    #+ out[i] = 2 * masses[i]


bodies = np.zeros(128, body)
bodies["mass"] = np.arange(128)
out = np.zeros(128, np.float32)
weigh[2, 64](bodies, np.ascontiguousarray(bodies["mass"]), out)
#+ np.testing.assert_array_equal(out, 2 * bodies["mass"])

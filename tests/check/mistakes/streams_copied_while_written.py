"""A stream copies an array to the host while a launch in another stream writes it."""

import numpy as np

from heddle import cuda


@cuda.jit
def count_up(x):
    i = cuda.grid(1)
    x[i] += 1  #! race


x = cuda.to_device(np.arange(64, dtype=np.int32))
result = cuda.pinned_array(64, np.int32)
compute, copies, done = cuda.stream(), cuda.stream(), cuda.event()
count_up[2, 32, compute](x)
#+ done.record(compute)
#+ done.wait(copies)
x.copy_to_host(result, stream=copies)  #! race
cuda.synchronize()
#+ np.testing.assert_array_equal(result, np.arange(1, 65))

"""The next input is copied to a buffer that a launch in another stream still reads."""

import numpy as np

from heddle import cuda


@cuda.jit
def accumulate(chunk, total):
    i = cuda.grid(1)
    total[i] += chunk[i]  #! race


inputs = np.arange(4 * 64, dtype=np.float32).reshape(4, 64)
chunk, total = cuda.device_array(64, np.float32), cuda.to_device(np.zeros(64, np.float32))
copies, compute = cuda.stream(), cuda.stream()
copied, used = cuda.event(), cuda.event()
for values in inputs:
    #+ used.wait(copies)
    chunk.copy_to_device(values, stream=copies)  #! race
    copied.record(copies)
    copied.wait(compute)
    accumulate[2, 32, compute](chunk, total)
    #+ used.record(compute)
cuda.synchronize()
#+ np.testing.assert_array_equal(total.copy_to_host(), inputs.sum(0))

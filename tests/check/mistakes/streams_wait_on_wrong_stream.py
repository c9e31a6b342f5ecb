"""The stream that waits for the event is not the one that reads the results."""

import numpy as np

from heddle import cuda


@cuda.jit
def scale(x, factor):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= factor  #! race


@cuda.jit
def total(x, out):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(out, 0, x[i])  #! race


x, out = cuda.to_device(np.ones(100)), cuda.to_device(np.zeros(1))
first, second, third, scaled = cuda.stream(), cuda.stream(), cuda.stream(), cuda.event()
scale[4, 32, first](x, 3.0)
scaled.record(first)
scaled.wait(third)  #-
#+ scaled.wait(second)
total[4, 32, second](x, out)
cuda.synchronize()
#+ assert out.copy_to_host()[0] == 300

"""A graph's two branches update the same array, because the second one joins too early."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void increment(int* x) {
  x[threadIdx.x] += 1;  //! race
}
"""
x = cp.zeros(32, np.int32)
increment = cp.RawKernel(SOURCE, "increment")
first, second = cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(non_blocking=True)
start, middle, end = (cp.cuda.Event() for _ in range(3))
with first:
    first.begin_capture()
    start.record(first)
    second.wait_event(start)
    increment((1,), (32,), (x,))
    #+ middle.record(first)
    #+ second.wait_event(middle)
    with second:
        increment((1,), (32,), (x,))
    end.record(second)
    first.wait_event(end)
    graph = first.end_capture()
    graph.launch(first)
first.synchronize()
#+ np.testing.assert_array_equal(x.get(), np.full(32, 2))

"""A graph is launched in two streams. CUDA lets launches of one graph run one after another."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void step(float* x) {
  x[threadIdx.x] = 0.5f * x[threadIdx.x] + 1;
}
"""
x = cp.zeros(32, np.float32)
step = cp.RawKernel(SOURCE, "step")
first, second = cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(non_blocking=True)
with first:
    first.begin_capture()
    step((1,), (32,), (x,))
    graph = first.end_capture()
graph.launch(first)
graph.launch(second)
cp.cuda.Device().synchronize()
np.testing.assert_array_equal(x.get(), np.full(32, 1.5))

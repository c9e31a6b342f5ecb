"""Two graphs update one array, each in a stream of its own."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void add(float* x, float value) {
  x[threadIdx.x] += value;  //! race
}
"""
x = cp.zeros(32, np.float32)
add = cp.RawKernel(SOURCE, "add")
streams, graphs = [cp.cuda.Stream(non_blocking=True) for _ in range(2)], []
for number, stream in enumerate(streams):
    with stream:
        stream.begin_capture()
        add((1,), (32,), (x, np.float32(number + 1)))
        graphs.append(stream.end_capture())
graphs[0].launch(streams[0])
#+ streams[1].wait_event(streams[0].record())
graphs[1].launch(streams[1])
cp.cuda.Device().synchronize()
#+ np.testing.assert_array_equal(x.get(), np.full(32, 3))

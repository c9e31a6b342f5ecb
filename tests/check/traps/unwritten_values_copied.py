"""Values that nobody has written are copied, chosen and exchanged, but not used."""

import numpy as np

from heddle import cuda
from heddle.compat import cupy as cp


@cuda.jit
def rotate(x, y, flags, kept):
    s = cuda.shared.array(32, np.float32)
    held = cuda.local.array(2, np.float32)
    t = cuda.threadIdx.x
    if t % 2:
        s[t] = x[t]
    cuda.syncthreads()
    held[0] = s[t]
    held[1] = x[t]
    v = held[1] if t > 20 else held[0]
    y[t] = v
    kept[t] = flags[t]


x = cuda.to_device(np.arange(32, dtype=np.float32))
y = cuda.device_array(32, np.float32)
flags, kept = cuda.device_array(32, np.bool_), cuda.device_array(32, np.bool_)
rotate[1, 32](x, y, flags, kept)
np.testing.assert_array_equal(y.copy_to_host()[1::2], np.arange(32)[1::2])

SOURCE = r"""
extern "C" __global__ void reset(int* x, const float4* a, float4* b) {
  int t = threadIdx.x;
  atomicExch(&x[t], t);
  float4 v = a[t], w;
  w.x = v.y;
  w.y = v.x;
  b[t] = w;
  b[t].z = 1.0f;  //? uncoalesced note
  x[t] += 1;
}
"""
x = cp.empty(32, dtype=np.int32)
a, b = cp.empty(128, dtype=np.float32), cp.empty(128, dtype=np.float32)
cp.RawKernel(SOURCE, "reset")((1,), (32,), (x, a, b))
np.testing.assert_array_equal(x.get(), np.arange(32) + 1)

"""A structure on the device keeps the address of an array that the host has dropped."""

import numpy as np

import heddle
from heddle import cuda

SOURCE = r"""
extern "C" __global__ void sum(float** rows, float* out) {
  float s = 0;
  for (int i = 0; i < 64; ++i) s += rows[0][i];  //! bounds //-
  //+ for (int i = 0; i < 64; ++i) s += rows[0][i];
  out[0] = s;
}
"""
row = cuda.to_device(np.ones(64, np.float32))
table = cuda.to_device(np.array([row.device_ctypes_pointer.value], np.uint64))
out = cuda.device_array(1, np.float32)
del row  #-
heddle.RawKernel(SOURCE, "sum")((1,), (1,), (table, out))
#+ assert out.copy_to_host()[0] == 64

"""The host passes the address of an array as an integer, and counts bytes for elements."""

import numpy as np

import heddle
from heddle import cuda

SOURCE = r"""
extern "C" __global__ void fill(int* p, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = i;  //! bounds
}
"""
a = cuda.device_array(100, np.int32)
address = a.device_ctypes_pointer.value
heddle.RawKernel(SOURCE, "fill")((1,), (32,), (address, a.nbytes))  #-
#+ heddle.RawKernel(SOURCE, "fill")((1,), (32,), (address, a.size))
np.testing.assert_array_equal(a.copy_to_host(), np.arange(100))

"""A loop over a string runs past its bytes because no zero ends it."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void lengths(const char* text, int* out, int width) {
  const char* line = text + width * threadIdx.x;
  int n = 0;
  while (line[n] != 0) ++n;  //! bounds //-
  //+ while (n < width && line[n] != 0) ++n;
  out[threadIdx.x] = n;
}
"""
text = cp.asarray(np.frombuffer(b"one\0six\0four", np.int8))
out = cp.zeros(3, dtype=np.int32)
cp.RawKernel(SOURCE, "lengths")((1,), (3,), (text, out, np.int32(4)))
#+ assert out.get().tolist() == [3, 3, 4]

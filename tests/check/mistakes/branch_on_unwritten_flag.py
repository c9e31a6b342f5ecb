"""A branch depends on flags that no thread has set."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void mark(const int* x, bool* seen) {
  int i = threadIdx.x;
  if (x[i] % 2) seen[i] = true;
  //+ else seen[i] = false;
}
extern "C" __global__ void count(const bool* seen, int* n) {
  int i = threadIdx.x;
  if (seen[i])  //! uninit //-
  //+ if (seen[i])
    atomicAdd(n, 1);
}
"""
module = cp.RawModule(code=SOURCE)
x = cp.asarray(np.arange(32, dtype=np.int32))
seen, n = cp.empty(32, dtype=np.bool_), cp.zeros(1, dtype=np.int32)
module.get_function("mark")((1,), (32,), (x, seen))
module.get_function("count")((1,), (32,), (seen, n))
#+ assert n.get()[0] == 16

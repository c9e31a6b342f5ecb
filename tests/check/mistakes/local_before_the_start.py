"""An insertion sort moves elements to the place before a local array."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void smallest(const int* x, int* out, int n) {
  int best[3] = {1000, 1000, 1000};
  for (int k = 0; k < n; ++k) {
    int v = x[n * threadIdx.x + k], place = 2;
    if (v >= best[2]) continue;
    while (best[place - 1] > v) {  //! bounds  //? local-array note //-
    //+ while (place > 0 && best[place - 1] > v) {  //? local-array note
      best[place] = best[place - 1];  //? bounds  //? local-array note
      --place;
    }
    best[place] = v;  //? bounds  //? local-array note
  }
  for (int k = 0; k < 3; ++k) out[3 * threadIdx.x + k] = best[k];
}
"""
x = np.arange(80, dtype=np.int32) * 37 % 80 + 1
out = cp.zeros(24, dtype=np.int32)
cp.RawKernel(SOURCE, "smallest")((1,), (8,), (cp.asarray(x), out, np.int32(10)))
#+ np.testing.assert_array_equal(out.get().reshape(8, 3), np.sort(x.reshape(8, 10))[:, :3])

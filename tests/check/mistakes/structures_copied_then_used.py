"""An assignment copies a structure with a field that has no value; the field is used later."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
struct Particle { float x, y; int cell; };
extern "C" __global__ void move(const float* x, Particle* p) {
  int i = threadIdx.x;
  p[i].x = x[i];  //? uncoalesced note
  p[i].y = -x[i];  //? uncoalesced note
  //+ p[i].cell = i;  //? uncoalesced note
}
extern "C" __global__ void reorder(const Particle* p, Particle* q) {
  int i = threadIdx.x;
  __shared__ Particle s[32];
  s[i] = p[i];
  __syncthreads();
  q[i] = s[31 - i];
}
extern "C" __global__ void cells(const Particle* q, int* out) {
  int i = threadIdx.x;
  out[i] = q[i].cell % 8;  //! uninit  //? uncoalesced note //-
  //+ out[i] = q[i].cell % 8;  //? uncoalesced note
}
"""
module = cp.RawModule(code=SOURCE)
x = cp.asarray(np.arange(32, dtype=np.float32))
p, q = cp.empty(32 * 12, dtype=np.uint8), cp.empty(32 * 12, dtype=np.uint8)
out = cp.zeros(32, dtype=np.int32)
module.get_function("move")((1,), (32,), (x, p))
module.get_function("reorder")((1,), (32,), (p, q))
module.get_function("cells")((1,), (32,), (q, out))
#+ np.testing.assert_array_equal(out.get(), np.arange(32)[::-1] % 8)

"""A kernel that needs one field of a structure loads all of it from memory."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
struct Particle {
  float x, y, z, mass, charge;
};

extern "C" __global__ void move(Particle* p, float* xs, float step) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  p[i].x += step;  //! uncoalesced note //-
  //+ xs[i] += step;
}
"""
particles = cp.asarray(np.zeros(128 * 5, np.float32))
xs = cp.zeros(128, dtype=np.float32)
cp.RawKernel(SOURCE, "move")((2,), (64,), (particles, xs, np.float32(0.5)))
#+ np.testing.assert_array_equal(xs.get(), np.full(128, 0.5, np.float32))

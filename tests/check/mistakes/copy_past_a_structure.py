"""A thread copies 32 bytes out of a structure that has 24."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
struct Particle {
  char tag;
  double mass;
  short charge;
};
extern "C" __global__ void store(char* out) {
  Particle p;
  p.tag = 1;
  p.mass = threadIdx.x;
  p.charge = 2;
  memcpy(out + 32 * threadIdx.x, &p, 32);  //! bounds //-
  //+ memcpy(out + 32 * threadIdx.x, &p, sizeof p);
}
"""
out = cp.zeros(32 * 16, dtype=np.int8)
cp.RawKernel(SOURCE, "store")((1,), (16,), (out,))

"""A double exponent selects the power function of double precision."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void brighten(const float* x, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = pow(x[i], 2.2);  //! float64 note //-
  //+ out[i] = powf(x[i], 2.2f);
}
"""
x = np.linspace(0.1, 1, 64, dtype=np.float32)
out = cp.zeros(64, dtype=np.float32)
cp.RawKernel(SOURCE, "brighten")((2,), (32,), (cp.asarray(x), out))
#+ np.testing.assert_allclose(out.get(), x**2.2, rtol=1e-5)

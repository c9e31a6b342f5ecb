"""A double is read from a record whose header is 4 bytes long."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
extern "C" __global__ void unpack(const char* records, double* out) {
  const char* record = records + 12 * threadIdx.x;
  double v = *(const double*)(record + 4);  //! misaligned //-
  //+ double v;
  //+ memcpy(&v, record + 4, sizeof v);
  out[threadIdx.x] = v;
}
"""
records = np.zeros(16, np.dtype([("id", np.int32), ("value", np.float64)]))
records["value"] = np.arange(16) / 4
out = cp.zeros(16)
cp.RawKernel(SOURCE, "unpack")((1,), (16,), (cp.asarray(records.view(np.int8)), out))
#+ np.testing.assert_array_equal(out.get(), records["value"])

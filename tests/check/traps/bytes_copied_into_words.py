"""Words start anywhere in an array of bytes, copied by memcpy, and read as a packed structure."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
struct __attribute__((packed)) Entry {
  unsigned char kind;
  unsigned value;
};

extern "C" __global__ void read_values(const unsigned char* bytes, unsigned* out) {
  int t = threadIdx.x;
  const Entry* entry = reinterpret_cast<const Entry*>(bytes) + t;
  unsigned value;
  memcpy(&value, bytes + 5 * t + 1, sizeof value);
  Entry copy = *entry;
  out[t] = value + entry->value + copy.value;
}
"""
entries = np.zeros(16, dtype=[("kind", "u1"), ("value", "<u4")])
entries["value"] = np.arange(16) * 1000
out = cp.zeros(16, dtype=np.uint32)
cp.RawKernel(SOURCE, "read_values")((1,), (16,), (cp.asarray(entries.view(np.uint8)), out))
np.testing.assert_array_equal(out.get(), 3 * entries["value"])

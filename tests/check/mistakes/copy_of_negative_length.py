"""A length that is negative for some threads becomes huge as a number of bytes."""

import numpy as np

from heddle.compat import cupy as cp

SOURCE = r"""
struct Text {
  char* bytes;
  int length;
};
extern "C" __global__ void clear_from(Text text, int first) {
  int left = text.length - first;
  //+ if (left > 0)
  memset(text.bytes, 0, left);  //! bounds //-
  //+ memset(text.bytes, 0, left);
}
"""
bytes_ = cp.ones(16, dtype=np.int8)
text = np.dtype([("bytes", np.uint64), ("length", np.int32)], align=True)
given = np.array([(bytes_.data.ptr, 16)], text)
cp.RawKernel(SOURCE, "clear_from")((1,), (1,), (given[0], np.int32(20)))
#+ assert bytes_.get().tolist() == [1] * 16

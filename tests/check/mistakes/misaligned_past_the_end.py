"""A word is written one byte after the start of a variable: misaligned, and partly outside."""

from heddle.compat import cupy as cp

SOURCE = r"""
__device__ int x;

extern "C" __global__ void write_word() {
  *(int*)((char*)&x + 1) = 42;  //! misaligned //? bounds //-
  //+ x = 42;
}
"""
cp.RawKernel(SOURCE, "write_word")((1,), (1,), ())
cp.cuda.Device().synchronize()

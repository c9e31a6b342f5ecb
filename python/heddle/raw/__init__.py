"""Kernels written in CUDA C++: RawKernel and RawModule, with CuPy's names and meaning, on every device.

    add = heddle.RawKernel(r'''
    extern "C" __global__ void add(const float* a, const float* b, float* c, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) c[i] = a[i] + b[i];
    }''', "add")
    add((n + 255) // 256, 256, (a, b, c, n))

The source is compiled when a kernel of it is first needed, once for each device that it is used on; no CUDA toolkit
takes part. Arguments are checked against the kernel's own parameters. On the CPU device NumPy arrays are arguments, and
hold their results when the launch returns; on a GPU arguments are device arrays, torch's, CuPy's and JAX's.
"""

from heddle.raw.kernels import RawKernel
from heddle.raw.modules import RawModule
from heddle.raw.variables import DeviceVariable

__all__ = ["DeviceVariable", "RawKernel", "RawModule"]

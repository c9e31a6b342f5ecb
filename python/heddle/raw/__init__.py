"""Kernels written in CUDA C++: RawKernel and RawModule, with CuPy's names and semantics, on every device.

    add = heddle.RawKernel(r'''
    extern "C" __global__ void add(const float* a, const float* b, float* c, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) c[i] = a[i] + b[i];
    }''', "add")
    add((n + 255) // 256, 256, (a, b, c, n))

The source is compiled when one of its kernels is first needed, once for each device; no CUDA toolkit is needed.
Arguments are checked against the kernel's parameters. The CPU device takes NumPy arrays, which hold their results when
the launch returns. A GPU takes device arrays of Heddle, torch, CuPy and JAX.
"""

from heddle.raw.kernels import RawKernel
from heddle.raw.modules import RawModule
from heddle.raw.variables import DeviceVariable

__all__ = ["DeviceVariable", "RawKernel", "RawModule"]

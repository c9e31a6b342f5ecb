"""numba.cuda.simulator: classes that programs compare with. There is no simulator, so nothing is of one of them."""

from heddle import cuda
from heddle.compat.numba_modules import submodule as _submodule
from heddle.cuda import is_cuda_array as is_cuda_ndarray
from heddle.cuda.cudadrv.devicearray import auto_device


class FakeCUDAKernel:
    """A kernel of numba's simulator."""


class FakeCUDAArray:
    """A device array of numba's simulator."""


class FakeWithinKernelCUDAArray:
    """What a kernel of numba's simulator sees of an array."""


__all__ = [
    "FakeCUDAArray",
    "FakeCUDAKernel",
    "FakeWithinKernelCUDAArray",
    "auto_device",
    "is_cuda_ndarray",
]


def __getattr__(name):
    return _submodule("numba.cuda.simulator", name) or getattr(cuda, name)

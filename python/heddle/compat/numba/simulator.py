"""numba.cuda.simulator: classes for isinstance checks. There is no simulator, so there are no instances."""

from heddle import cuda
from heddle.cuda import is_cuda_array as is_cuda_ndarray
from heddle.cuda.cudadrv.devicearray import auto_device
from heddle.support.numba_modules import load_submodule as _submodule


class FakeCUDAKernel:
    """A kernel in numba's simulator."""


class BlockThread:
    """A thread in numba's simulator."""


class FakeCUDAModule:
    """``cuda`` inside a kernel of numba's simulator."""


class FakeCUDAConst:
    """``cuda.const`` inside a kernel of numba's simulator."""


class FakeCUDALocal:
    """``cuda.local`` inside a kernel of numba's simulator."""


class FakeCUDAShared:
    """``cuda.shared`` inside a kernel of numba's simulator."""


class FakeCUDAArray:
    """A device array in numba's simulator."""


class FakeWithinKernelCUDAArray:
    """An array inside a kernel of numba's simulator."""


__all__ = [
    "BlockThread",
    "FakeCUDAArray",
    "FakeCUDAConst",
    "FakeCUDAKernel",
    "FakeCUDALocal",
    "FakeCUDAModule",
    "FakeCUDAShared",
    "FakeWithinKernelCUDAArray",
    "auto_device",
    "is_cuda_ndarray",
]


def __getattr__(name):
    return _submodule("numba.cuda.simulator", name) or getattr(cuda, name)

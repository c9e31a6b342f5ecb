"""numba.cuda.simulator: classes that programs compare with. There is no simulator, so nothing is of one of them."""

from heddle import cuda
from heddle.compat.numba_modules import submodule as _submodule
from heddle.cuda import is_cuda_array as is_cuda_ndarray
from heddle.cuda.cudadrv.devicearray import auto_device


class FakeCUDAKernel:
    """A kernel of numba's simulator."""


class BlockThread:
    """A thread of a kernel of numba's simulator."""


class FakeCUDAModule:
    """What a kernel of numba's simulator sees as ``cuda``."""


class FakeCUDAConst:
    """What a kernel of numba's simulator sees as ``cuda.const``."""


class FakeCUDALocal:
    """What a kernel of numba's simulator sees as ``cuda.local``."""


class FakeCUDAShared:
    """What a kernel of numba's simulator sees as ``cuda.shared``."""


class FakeCUDAArray:
    """A device array of numba's simulator."""


class FakeWithinKernelCUDAArray:
    """What a kernel of numba's simulator sees of an array."""


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

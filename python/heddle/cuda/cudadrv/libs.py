"""numba.cuda.cudadrv.libs: the libraries of NVIDIA's toolkit, which heddle does without."""

from heddle.cuda.devices import detect
from heddle.errors import CudaSupportError
from heddle.missing_names import missing_name as _missing_name

__all__ = ["CudaSupportError", "test"]


def test():
    """Print what is there to compile and to run kernels with. Returns whether that is enough: it always is."""
    print("Heddle contains its compiler and libdevice: it looks for no library of a CUDA toolkit")
    return detect()


def __getattr__(name):
    raise _missing_name("heddle.cuda.cudadrv.libs", name)

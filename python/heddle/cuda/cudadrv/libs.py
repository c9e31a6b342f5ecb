"""numba.cuda.cudadrv.libs: the libraries of the CUDA toolkit, which Heddle does not use."""

from heddle.cuda.devices import detect
from heddle.errors import CudaSupportError
from heddle.support.missing_names import make_missing_name_error as _missing_name

__all__ = ["CudaSupportError", "test"]


def test():
    """Prints the available compiler and devices. Returns whether kernels can run, which is always so."""
    print("Heddle contains its compiler and libdevice: it needs no library of the CUDA toolkit")
    return detect()


def __getattr__(name):
    raise _missing_name("heddle.cuda.cudadrv.libs", name)

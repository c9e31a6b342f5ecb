"""Versions, by the names of ``numba.cuda.runtime``."""

import sys

from heddle.cuda.native_devices import native_devices

# What heddle follows: the release of the CUDA toolkit whose semantics and intrinsics its kernels have.
_cuda_version = (13, 0)


def get_version():
    """The release of CUDA that the driver of the GPUs is for, (major, minor).

    Where there is no GPU: the one whose semantics kernels have. There is no toolkit at run time in either case.
    """
    version = native_devices()[0].driver_version
    return (version // 1000, version % 1000 // 10) if version else _cuda_version


def is_supported_version():
    return True


def supported_versions():
    """The releases of CUDA that programs may run on: the one that ``get_version`` returns."""
    return (get_version(),)


runtime = sys.modules[__name__]  # numba's object of the same functions

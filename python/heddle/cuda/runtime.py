"""Versions, under the names of ``numba.cuda.runtime``.

>>> cuda.runtime.get_version()
(13, 0)
"""

import sys

from heddle.cuda.native_devices import native_devices

# The CUDA toolkit release whose semantics and intrinsics kernels follow.
_cuda_version = (13, 0)


def get_version() -> tuple[int, int]:
    """The CUDA release that the GPU driver supports, (major, minor).

    Without a GPU: the release whose semantics kernels follow. No toolkit is used at run time in either case.
    """
    version = native_devices()[0].driver_version
    return (version // 1000, version % 1000 // 10) if version else _cuda_version


def is_supported_version() -> bool:
    return True


def supported_versions() -> tuple[tuple[int, int], ...]:
    """The CUDA releases that programs may use: only that of ``get_version``."""
    return (get_version(),)


runtime = sys.modules[__name__]  # in numba, an object with these functions

"""cupy_backends.cuda.libs: the libraries of a CUDA toolkit whose functions CuPy offers under their own names."""

from heddle.compat.cupy.libraries import curand, nvrtc
from heddle.support.missing_names import make_missing_name_error

__all__ = ["curand", "nvrtc"]


def __getattr__(name):
    raise make_missing_name_error("heddle.cupy_backends.cuda.libs", name)

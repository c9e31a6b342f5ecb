"""cupy_backends.cuda.libs: the libraries of a CUDA toolkit whose functions CuPy offers under their own names."""

from heddle.compat.cupy.libraries import curand, nvrtc
from heddle.support.missing_names import missing_name

__all__ = ["curand", "nvrtc"]


def __getattr__(name):
    raise missing_name("heddle.cupy_backends.cuda.libs", name)

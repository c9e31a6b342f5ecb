"""Versions, as ``numba.cuda.runtime`` tells them."""

# What heddle follows: the release of the CUDA toolkit whose semantics and intrinsics its kernels have.
_cuda_version = (13, 0)


def get_version():
    """The release of CUDA whose semantics kernels have, (major, minor). There is no toolkit at run time."""
    return _cuda_version


def is_supported_version():
    return True


def supported_versions():
    """The releases of CUDA whose semantics kernels have: the one that ``get_version`` tells."""
    return (_cuda_version,)

"""cupy.cuda.driver: the exception for names that a program does not have."""

from heddle.missing_names import missing_name


class CUDADriverError(RuntimeError):
    """What CUDA's driver refuses."""


def not_found(error):
    """What the driver says where CuPy asks it for a missing kernel or variable, and the names that there are."""
    return CUDADriverError(f"CUDA_ERROR_NOT_FOUND: named symbol not found: {error}")


def __getattr__(name):
    raise missing_name("heddle.cupy.cuda.driver", name)

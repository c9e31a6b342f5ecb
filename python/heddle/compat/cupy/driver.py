"""cupy.cuda.driver: the exception for names that a program does not have."""

from heddle.compat.cupy.cuda_errors import CUDADriverError
from heddle.missing_names import missing_name

__all__ = ["CUDADriverError"]


def __getattr__(name):
    raise missing_name("heddle.cupy.cuda.driver", name)

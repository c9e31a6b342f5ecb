"""cupy.cuda.driver: its exception and its version."""

from heddle.compat.cupy.cuda_errors import CUDADriverError
from heddle.missing_names import missing_name

__all__ = ["CUDADriverError", "get_build_version"]


def get_build_version():
    """The release of CUDA whose interface this is: 1000 * major + 10 * minor."""
    return 13000


def __getattr__(name):
    raise missing_name("heddle.cupy.cuda.driver", name)

"""numba.cuda.cudadrv.nvrtc: supported compute capabilities, and compilation of CUDA C++ to PTX, by Clang."""

from heddle import _heddle
from heddle.errors import CCSupportError, NvrtcCompilationError, NvrtcError, NvrtcSupportError
from heddle.support.missing_names import make_missing_name_error as _missing_name

__all__ = [
    "CCSupportError",
    "NvrtcCompilationError",
    "NvrtcError",
    "NvrtcSupportError",
    "find_closest_arch",
    "get_arch_option",
    "get_lowest_supported_cc",
    "get_supported_ccs",
]


def get_supported_ccs():
    """The supported compute capabilities, (major, minor), in ascending order."""
    return _heddle.compute_capabilities()


def get_lowest_supported_cc():
    """The lowest supported compute capability."""
    return get_supported_ccs()[0]


def find_closest_arch(mycc):
    """The highest supported compute capability whose code runs on ``mycc``. Raises CCSupportError if there is none."""
    older = [capability for capability in get_supported_ccs() if capability <= tuple(mycc)]
    if not older:
        raise CCSupportError(
            "this GPU has compute capability {}.{}; the lowest that heddle supports is {}.{}".format(
                *mycc, *get_lowest_supported_cc()
            )
        )
    return older[-1]


def get_arch_option(major, minor, arch=""):
    """The compiler's name for a GPU: "compute_90". arch: the suffix for architecture-specific features, "a"."""
    return "compute_{}{}{}".format(*find_closest_arch((major, minor)), arch)


def __getattr__(name):
    raise _missing_name("heddle.cuda.cudadrv.nvrtc", name)

"""numba.cuda.cudadrv.nvrtc: the GPUs that code is compiled for; and CUDA C++ to PTX, which Clang does here."""

from heddle import _heddle
from heddle.errors import CCSupportError, NvrtcCompilationError, NvrtcError, NvrtcSupportError
from heddle.missing_names import missing_name as _missing_name

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
    """The compute capabilities that code is compiled for, (major, minor), in order."""
    return _heddle.compute_capabilities()


def get_lowest_supported_cc():
    """The oldest of them."""
    return get_supported_ccs()[0]


def find_closest_arch(mycc):
    """The newest of them whose code runs on ``mycc``. Raises CCSupportError for a GPU that is too old."""
    older = [capability for capability in get_supported_ccs() if capability <= tuple(mycc)]
    if not older:
        raise CCSupportError(
            "this GPU has compute capability {}.{}; the oldest that heddle compiles for is {}.{}".format(
                *mycc, *get_lowest_supported_cc()
            )
        )
    return older[-1]


def get_arch_option(major, minor, arch=""):
    """The compiler's name of a GPU: "compute_90". arch: the letter of features of that GPU alone, "a"."""
    return "compute_{}{}{}".format(*find_closest_arch((major, minor)), arch)


def __getattr__(name):
    raise _missing_name("heddle.cuda.cudadrv.nvrtc", name)

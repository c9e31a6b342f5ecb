"""numba.cuda.cudadrv.nvvm: the interface of NVIDIA's compiler, which Heddle does not use."""

from heddle.errors import NvvmError, NvvmSupportError, NvvmWarning
from heddle.support.missing_names import make_missing_name_error as _missing_name

__all__ = [
    "ADDRSPACE_CONSTANT",
    "ADDRSPACE_GENERIC",
    "ADDRSPACE_GLOBAL",
    "ADDRSPACE_LOCAL",
    "ADDRSPACE_SHARED",
    "NvvmError",
    "NvvmSupportError",
    "NvvmWarning",
    "is_available",
    "nvvmError",
]

# LLVM's address spaces for NVIDIA GPUs.
ADDRSPACE_GENERIC, ADDRSPACE_GLOBAL, ADDRSPACE_SHARED = 0, 1, 3
ADDRSPACE_CONSTANT, ADDRSPACE_LOCAL = 4, 5

nvvmError = NvvmError


def is_available():
    """True if kernels can be compiled: True, because Heddle contains the compiler."""
    return True


def __getattr__(name):
    raise _missing_name("heddle.cuda.cudadrv.nvvm", name)

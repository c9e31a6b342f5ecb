"""The exceptions of cupy.cuda.runtime and cupy.cuda.driver."""


class CUDARuntimeError(RuntimeError):
    """What CUDA's runtime refuses."""


class CUDADriverError(RuntimeError):
    """What CUDA's driver refuses."""


def not_found(error):
    """The driver's exception for a kernel or variable that a program does not have. error: names those that it has."""
    return CUDADriverError(f"CUDA_ERROR_NOT_FOUND: named symbol not found: {error}")

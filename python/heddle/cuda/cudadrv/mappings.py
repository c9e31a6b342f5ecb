"""numba.cuda.cudadrv.mappings: the driver's input type for each file extension."""

from heddle.cuda.cudadrv import enums

FILE_EXTENSION_MAP = {
    "o": enums.CU_JIT_INPUT_OBJECT,
    "ptx": enums.CU_JIT_INPUT_PTX,
    "a": enums.CU_JIT_INPUT_LIBRARY,
    "lib": enums.CU_JIT_INPUT_LIBRARY,
    "cubin": enums.CU_JIT_INPUT_CUBIN,
    "fatbin": enums.CU_JIT_INPUT_FATBINARY,
    "ltoir": enums.CU_JIT_INPUT_NVVM,
}

__all__ = ["FILE_EXTENSION_MAP"]

"""numba.cuda.cudadrv.mappings: which kind of code the driver takes a file for, by the file's ending."""

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

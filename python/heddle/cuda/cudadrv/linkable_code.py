"""numba.cuda.cudadrv.linkable_code: the kinds of code that kernels can link."""

from heddle.compiler.linkable_code import (
    LTOIR,
    Archive,
    Cubin,
    CUSource,
    Fatbin,
    LinkableCode,
    Object,
    PTXSource,
)
from heddle.cuda.cudadrv.mappings import FILE_EXTENSION_MAP

__all__ = [
    "FILE_EXTENSION_MAP",
    "LTOIR",
    "Archive",
    "CUSource",
    "Cubin",
    "Fatbin",
    "LinkableCode",
    "Object",
    "PTXSource",
]

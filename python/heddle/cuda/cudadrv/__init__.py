"""The modules of numba.cuda.cudadrv from which programs import.

>>> from heddle.cuda.cudadrv.driver import Stream
"""

import importlib

from heddle import errors as error
from heddle.cuda import runtime
from heddle.cuda.cudadrv import devicearray, devices, driver
from heddle.support.missing_names import make_missing_name_error as _missing_name

# Loaded on first use, because few programs need them.
_modules = ("drvapi", "dummyarray", "enums", "libs", "linkable_code", "mappings", "nvrtc", "nvvm")

__all__ = ["devicearray", "devices", "driver", "error", "runtime", *_modules]


def __getattr__(name):
    if name in _modules:
        return importlib.import_module(f"heddle.cuda.cudadrv.{name}")  # late: see above
    raise _missing_name("heddle.cuda.cudadrv", name)

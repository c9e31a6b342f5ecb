"""cupy_backends.cuda.api: the modules of CUDA functions and the packages that contain them."""

import sys

from heddle.compat.cupy import driver, runtime
from heddle.compat.cupy import libraries as libs
from heddle.support.missing_names import make_missing_name_error

__all__ = ["api", "cuda", "driver", "libs", "runtime"]

api = cuda = sys.modules[__name__]


def __getattr__(name):
    raise make_missing_name_error("heddle.cupy_backends", name)

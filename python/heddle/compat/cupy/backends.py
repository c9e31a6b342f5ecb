"""cupy_backends.cuda.api: the modules of CUDA functions and the packages that contain them."""

import sys

from heddle.compat.cupy import driver, runtime
from heddle.compat.cupy import libraries as libs
from heddle.support.missing_names import missing_name

__all__ = ["api", "cuda", "driver", "libs", "runtime"]

api = cuda = sys.modules[__name__]


def __getattr__(name):
    raise missing_name("heddle.cupy_backends", name)

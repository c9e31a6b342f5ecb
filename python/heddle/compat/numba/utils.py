"""numba.core.utils: the names that programs use."""

import sys
from inspect import signature as pysignature

from heddle.support.missing_names import make_missing_name_error as _missing_name

__all__ = ["PYVERSION", "pysignature"]

PYVERSION = sys.version_info[:2]


def __getattr__(name):
    raise _missing_name("heddle.core.utils", name)

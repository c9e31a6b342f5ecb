"""numba.misc.special: functions that control compilation."""

from numpy import ndindex as pndindex

from heddle import prange, typeof
from heddle.cuda import literal_unroll, literally
from heddle.support.missing_names import make_missing_name_error as _missing_name

__all__ = ["literal_unroll", "literally", "pndindex", "prange", "typeof"]


def __getattr__(name):
    raise _missing_name("heddle", name)

"""numba.parfors.parfor: a check for parallel loops, and prange."""

from heddle import prange
from heddle.support.numba_modules import import_submodule_or_raise as _submodule_or_refuse

__all__ = ["ensure_parallel_support", "prange"]


def ensure_parallel_support():
    """Does nothing. In numba, raises UnsupportedParforsError on platforms without parallel loops."""


def __getattr__(name):
    return _submodule_or_refuse("numba.parfors.parfor", name, "heddle.parfors.parfor")

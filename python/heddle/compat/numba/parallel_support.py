"""numba.parfors.parfor: what programs ask before they share loops among threads."""

from heddle import prange
from heddle.compat.numba_modules import submodule_or_refuse as _submodule_or_refuse

__all__ = ["ensure_parallel_support", "prange"]


def ensure_parallel_support():
    """Raises UnsupportedParforsError where loops cannot be shared among threads: nowhere."""


def __getattr__(name):
    return _submodule_or_refuse("numba.parfors.parfor", name, "heddle.parfors.parfor")

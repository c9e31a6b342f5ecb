"""Cooperative groups, under the names of ``numba.cuda.cg``: ``this_grid()``, the group of all threads of a launch."""

from heddle.compiler import intrinsics as _intrinsics
from heddle.support.missing_names import missing_name as _missing_name

this_grid = _intrinsics.find_intrinsic("cuda.cg.this_grid")
GridGroup = _intrinsics.find_intrinsic("cuda.cg.GridGroup")

__all__ = ["GridGroup", "this_grid"]


def __getattr__(name):
    raise _missing_name("heddle.cuda.cg", name)

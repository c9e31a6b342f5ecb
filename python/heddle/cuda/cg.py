"""Cooperative groups, under the names of ``numba.cuda.cg``: ``this_grid()``, the group of all threads of a launch.

>>> cuda.cg.this_grid().sync()
"""

from typing import Any as _Any

from heddle.compiler import intrinsics as _intrinsics
from heddle.support.missing_names import make_missing_name_error as _missing_name

this_grid: _Any = _intrinsics.find_intrinsic("cuda.cg.this_grid")
GridGroup: _Any = _intrinsics.find_intrinsic("cuda.cg.GridGroup")

__all__ = ["GridGroup", "this_grid"]


def __getattr__(name):
    raise _missing_name("heddle.cuda.cg", name)

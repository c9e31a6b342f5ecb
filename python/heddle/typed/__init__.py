"""numba.typed: lists and dicts that Python and host functions share.

lists       List
dicts       Dict
operations  compiled operations of both
"""

from heddle.typed.dicts import Dict
from heddle.typed.lists import List

__all__ = ["Dict", "List"]


def __getattr__(name):
    from heddle.compat.numba_modules import submodule_or_refuse  # late: few ask for it

    return submodule_or_refuse("numba.typed", name, "heddle.typed")

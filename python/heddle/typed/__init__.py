"""numba.typed: lists and dicts that Python and host functions share.

lists       List
dicts       Dict
operations  compiled operations of both
"""

from heddle.typed.dicts import Dict
from heddle.typed.lists import List

__all__ = ["Dict", "List"]


def __getattr__(name):
    from heddle.support.numba_modules import import_submodule_or_raise  # late: few ask for it

    return import_submodule_or_raise("numba.typed", name, "heddle.typed")

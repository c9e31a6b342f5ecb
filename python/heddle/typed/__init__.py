"""numba.typed: lists and dicts that Python and host functions share.

These modules are the Python side. In compiled code, ``heddle.host_library`` implements the methods.

lists       List
dicts       Dict
operations  compiled functions that List and Dict call, such as ``append``

>>> numbers = heddle.typed.List([1, 2, 3])
"""

from heddle.typed.dicts import Dict
from heddle.typed.lists import List

__all__ = ["Dict", "List"]


def __getattr__(name):
    from heddle.support.numba_modules import import_submodule_or_raise  # late: few ask for it

    return import_submodule_or_raise("numba.typed", name, "heddle.typed")

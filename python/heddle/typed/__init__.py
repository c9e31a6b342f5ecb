"""numba.typed: lists and dicts that Python and functions of the host change in one place.

lists       List
dicts       Dict
operations  what both do, compiled
"""

from heddle.missing_names import missing_name as _missing_name
from heddle.typed.dicts import Dict
from heddle.typed.lists import List

__all__ = ["Dict", "List"]


def __getattr__(name):
    from heddle.compat.numba_modules import submodule  # late: for modules that few programs use

    module = submodule("numba.typed", name)
    if module is None:
        raise _missing_name("heddle.typed", name)
    return module

"""numba.typed: lists and dicts that Python and functions of the host change in one place.

lists       List
dicts       Dict
operations  what both do, compiled
"""

from heddle.typed.dicts import Dict
from heddle.typed.lists import List

__all__ = ["Dict", "List"]

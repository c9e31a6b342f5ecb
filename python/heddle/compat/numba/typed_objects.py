"""numba.typed.dictobject and numba.typed.listobject: typed containers by functions, for jitted code."""

from heddle.extending import register_jitable
from heddle.typed import Dict, List

__all__ = ["new_dict", "new_list"]


@register_jitable
def new_dict(key, value, n_keys=0):
    """An empty typed dict of these types of keys and values; there is no need to know how many it will have."""
    return Dict.empty(key, value)


@register_jitable
def new_list(item, allocated=0):
    """An empty typed list of items of this type."""
    return List.empty_list(item)

"""numba.typed.dictobject and numba.typed.listobject: functions that create typed containers, for jitted code."""

from heddle.extending import register_jitable
from heddle.typed import Dict, List

__all__ = ["new_dict", "new_list"]


@register_jitable
def new_dict(key, value, n_keys=0):
    """An empty typed dict with these key and value types. n_keys: ignored."""
    return Dict.empty(key, value)


@register_jitable
def new_list(item, allocated=0):
    """An empty typed list with this item type. allocated: ignored."""
    return List.empty_list(item)

"""numba.typed.List and Dict built from other containers."""

from heddle import types
from heddle.compiler.library_registry import compiled, implements, is_absent_or_none
from heddle.typed import Dict, List


@implements("typed.List")
def _choose_list_implementation(iterable=None):
    return None if is_absent_or_none(iterable) else _build_list


def _build_list(iterable):
    out = List()
    for item in iterable:
        out.append(item)
    return out


@implements("typed.list_of_type")
def _choose_list_of_type_implementation(items, item_type):
    return _make_list_builder(items, item_type.instance_type)


def _make_list_builder(items, item_type):
    """The function that makes a typed list from a list's items, and from nested lists."""
    given = getattr(items, "dtype", None)
    if not isinstance(item_type, types.ListType) or not isinstance(given, types.List):
        return _build_list_of_type
    inner_type = item_type.dtype
    fill = compiled(_make_list_builder(given, inner_type))

    def fill_list(items, item_type):
        out = List.empty_list(item_type)
        for item in items:
            out.append(fill(item, inner_type))
        return out

    return fill_list


def _build_list_of_type(items, item_type):
    out = List.empty_list(item_type)
    for item in items:
        out.append(item)
    return out


@implements("typed.Dict")
def _choose_dict_implementation(iterable=None):
    if is_absent_or_none(iterable):
        return None
    return (
        _build_dict_from_dict if getattr(iterable, "kind", "") == "dict" else _build_dict_from_pairs
    )


def _build_dict_from_dict(iterable):
    out = Dict()
    for key, value in iterable.items():
        out[key] = value
    return out


def _build_dict_from_pairs(iterable):
    out = Dict()
    for key, value in iterable:
        out[key] = value
    return out

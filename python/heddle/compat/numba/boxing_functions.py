"""numba.core.boxing: ``box_...(typ, val, c)`` and ``unbox_...(typ, obj, c)`` for types that Heddle boxes."""

from heddle.support.missing_names import make_missing_name_error as _missing_name

_kinds = {"array", "bool", "complex", "float", "integer", "tuple"}


def __getattr__(name):
    what, _, kind = name.partition("_")
    if what == "box" and kind in _kinds:
        return lambda typ, val, c: c.box(typ, val)
    if what == "unbox" and kind in _kinds:
        return lambda typ, obj, c: c.unbox(typ, obj)
    raise _missing_name("heddle.core.boxing", name)

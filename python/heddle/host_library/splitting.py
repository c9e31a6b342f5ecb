"""Parts of arrays along an axis, as lists of views."""

import numpy as np

from heddle.host_library.lists import is_list
from heddle.host_library.registry import compiled, implements, is_absent, is_array, is_integer


@compiled
def in_sections(a, count):
    """The first parts are longer by one where the length is no multiple."""
    if count <= 0:
        raise ValueError("number sections must be larger than 0.")
    out = [a[:0] for _ in range(0)]
    size, first = len(a), 0
    for i in range(count):
        last = first + size // count + (1 if i < size % count else 0)
        out.append(a[first:last])
        first = last
    return out


def _array_split(a, count, axis=0):
    return in_sections(a, count)


def _split(a, count, axis=0):
    if count <= 0:
        raise ValueError("number sections must be larger than 0.")
    if len(a) % count != 0:
        raise ValueError("array split does not result in an equal division")
    return in_sections(a, count)


def _at_places(a, places, axis=0):
    out = [a[:0] for _ in range(0)]
    first = 0
    for place in places:
        out.append(a[first:place])
        first = place
    out.append(a[first:])
    return out


def _splits(name, by_count):
    along = _along(compiled(by_count))

    @implements(f"numpy.{name}")
    def choose(a, where, axis=None):
        if not is_array(a) or a.ndim == 0:
            return None
        if not is_absent(axis):
            return along if is_integer(axis) else None
        if is_integer(where):
            return by_count
        has_places = is_list(where) or is_array(where, 1) or getattr(where, "kind", "") == "tuple"
        return _at_places if has_places else None


# Along other dimensions


def _along(by_count):
    """The function that splits along an axis, by a function that does it along the first."""
    at_places = compiled(_at_places)

    def parts_of(moved, where):
        return by_count(moved, where) if isinstance(where, int) else at_places(moved, where)

    parts_of = compiled(parts_of)

    def along(a, where, axis):
        out = []
        for part in parts_of(np.moveaxis(a, axis, 0), where):
            out.append(np.moveaxis(part, 0, axis))
        return out

    return along


_splits("array_split", _array_split)
_splits("split", _split)


@implements("numpy.vsplit")
def _vsplit(ary, where):
    if not is_array(ary) or ary.ndim == 0:
        return None
    return _split_rows if ary.ndim > 1 else _no_rows


def _split_rows(ary, where):
    return np.split(ary, where)


def _no_rows(ary, where):
    raise ValueError("vsplit only works on arrays of 2 or more dimensions")


_split_along = compiled(_along(compiled(_split)))


@implements("numpy.hsplit")
def _hsplit(ary, where):
    if not is_array(ary) or ary.ndim == 0:
        return None
    if ary.ndim == 1:
        return _split if is_integer(where) else _at_places
    return lambda ary, where: _split_along(ary, where, 1)


@implements("numpy.dsplit")
def _dsplit(ary, where):
    if not is_array(ary):
        return None
    return _split_depths if ary.ndim > 2 else _no_depths


def _split_depths(ary, where):
    return _split_along(ary, where, 2)


def _no_depths(ary, where):
    raise ValueError("dsplit only works on arrays of 3 or more dimensions")

"""Splitting arrays along an axis into lists of views."""

import numpy as np

from heddle.compiler.library_registry import (
    compiled,
    implements,
    is_absent_or_none,
    is_array,
    is_integer_or_bool,
)
from heddle.host_library.lists import is_list


@compiled
def split_in_sections(a, count):
    """Splits along the first axis into ``count`` parts; if it does not divide evenly, the first parts are longer by
    1."""
    if count <= 0:
        raise ValueError("number sections must be larger than 0.")
    out = [a[:0] for _ in range(0)]
    size, first = len(a), 0
    for i in range(count):
        last = first + size // count + (1 if i < size % count else 0)
        out.append(a[first:last])
        first = last
    return out


def _array_split(ary, indices_or_sections, axis=0):
    return split_in_sections(ary, indices_or_sections)


def _split_equally(ary, indices_or_sections, axis=0):
    if indices_or_sections <= 0:
        raise ValueError("number sections must be larger than 0.")
    if len(ary) % indices_or_sections != 0:
        raise ValueError("array split does not result in an equal division")
    return split_in_sections(ary, indices_or_sections)


def _split_at_indices(ary, indices_or_sections, axis=0):
    out = [ary[:0] for _ in range(0)]
    first = 0
    for place in indices_or_sections:
        out.append(ary[first:place])
        first = place
    out.append(ary[first:])
    return out


def _implement_split(name, by_count):
    along = _make_split_along(compiled(by_count))

    @implements(f"numpy.{name}")
    def choose_implementation(ary, indices_or_sections, axis=None):
        if not is_array(ary) or ary.ndim == 0:
            return None
        if not is_absent_or_none(axis):
            return along if is_integer_or_bool(axis) else None
        where = indices_or_sections
        if is_integer_or_bool(where):
            return by_count
        has_places = is_list(where) or is_array(where, 1) or getattr(where, "kind", "") == "tuple"
        return _split_at_indices if has_places else None


# Splitting along other axes


def _make_split_along(by_count):
    """A function that splits along any axis, given a function that splits along the first one."""
    at_places = compiled(_split_at_indices)

    def split_rows(moved, where):
        return by_count(moved, where) if isinstance(where, int) else at_places(moved, where)

    split_rows = compiled(split_rows)

    def split_along(ary, indices_or_sections, axis):
        out = []
        for part in split_rows(np.moveaxis(ary, axis, 0), indices_or_sections):
            out.append(np.moveaxis(part, 0, axis))
        return out

    return split_along


_implement_split("array_split", _array_split)
_implement_split("split", _split_equally)


@implements("numpy.vsplit")
def _choose_vsplit_implementation(ary, indices_or_sections):
    if not is_array(ary) or ary.ndim == 0:
        return None
    return _split_rows if ary.ndim > 1 else _refuse_vsplit


def _split_rows(ary, indices_or_sections):
    return np.split(ary, indices_or_sections)


def _refuse_vsplit(ary, indices_or_sections):
    raise ValueError("vsplit only works on arrays of 2 or more dimensions")


_split_along = compiled(_make_split_along(compiled(_split_equally)))


@implements("numpy.hsplit")
def _choose_hsplit_implementation(ary, indices_or_sections):
    if not is_array(ary) or ary.ndim == 0:
        return None
    if ary.ndim == 1:
        return _split_equally if is_integer_or_bool(indices_or_sections) else _split_at_indices
    return lambda ary, indices_or_sections: _split_along(ary, indices_or_sections, 1)


@implements("numpy.dsplit")
def _choose_dsplit_implementation(ary, indices_or_sections):
    if not is_array(ary):
        return None
    return _split_depths if ary.ndim > 2 else _refuse_dsplit


def _split_depths(ary, indices_or_sections):
    return _split_along(ary, indices_or_sections, 2)


def _refuse_dsplit(ary, indices_or_sections):
    raise ValueError("dsplit only works on arrays of 3 or more dimensions")

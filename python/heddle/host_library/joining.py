"""Joining arrays one after another or side by side."""

import functools

import numpy as np

from heddle import types
from heddle.compiler.library_registry import (
    compiled,
    find_common_dtype,
    implements,
    is_absent_or_none,
    is_array,
    is_none,
    is_number_or_bool,
)
from heddle.host_library.shapes import (
    insert_dimension,
    multiply_extents,
    normalize_axis,
    replace_extent,
    to_contiguous_3d_around_axis,
)


def _list_array_types(arrays):
    """The types in a tuple of arrays with equal numbers of dimensions; empty for anything else."""
    if not isinstance(arrays, types.BaseTuple) or len(arrays.types) == 0:
        return ()
    found = list(arrays.types)
    return found if all(is_array(a, getattr(found[0], "ndim", 0)) for a in found) else ()


def _find_smallest_ndim(arrays):
    """The smallest number of dimensions in a tuple of arrays; None for anything else."""
    if not isinstance(arrays, types.BaseTuple) or not all(is_array(a) for a in arrays.types):
        return None
    return min((a.ndim for a in arrays.types), default=None)


@implements("numpy.concatenate")
def _choose_concatenate_implementation(arrays, axis=None):
    found = _list_array_types(arrays)
    if not found or found[0].ndim == 0:
        return None
    if is_none(axis):
        return _concatenate_flat
    return (
        _specialize_vector_concatenate if found[0].ndim == 1 else _specialize_concatenate_along_axis
    )(find_common_dtype(*found))


def _concatenate_flat(arrays, axis):
    return np.concatenate(_ravel_all(arrays))


@compiled
def _ravel_all(arrays):
    if len(arrays) == 0:
        return ()
    return (arrays[0].ravel(), *_ravel_all(arrays[1:]))


@functools.cache
def _specialize_vector_concatenate(element):
    def concatenate(arrays, axis=0):
        size = normalize_axis(axis, 1)
        for a in arrays:
            size += a.size
        out = np.empty(size, element)
        size = 0
        for a in arrays:
            out[size : size + a.size] = a
            size += a.size
        return out

    return concatenate


@functools.cache
def _specialize_concatenate_along_axis(element):
    def concatenate(arrays, axis=0):
        first = arrays[0]
        place = normalize_axis(axis, first.ndim)
        total = 0
        for a in arrays:
            for i in range(a.ndim):
                if i != place and a.shape[i] != first.shape[i]:
                    raise ValueError(
                        "all the input array dimensions except for the concatenation axis must match exactly"
                    )
            total += a.shape[place]
        out = np.empty(replace_extent(first.shape, place, total), element)
        parts = to_contiguous_3d_around_axis(out, place)
        begin = 0
        for a in arrays:
            end = begin + a.shape[place]
            parts[:, begin:end] = to_contiguous_3d_around_axis(a, place)
            begin = end
        return out

    return concatenate


@implements("numpy.stack")
def _choose_stack_implementation(arrays, axis=None):
    found = _list_array_types(arrays)
    return _specialize_stack(find_common_dtype(*found)) if found else None


@functools.cache
def _specialize_stack(element):
    def stack(arrays, axis=0):
        first = arrays[0]
        place = normalize_axis(axis, first.ndim + 1)
        for a in arrays:
            if a.shape != first.shape:
                raise ValueError("all input arrays must have the same shape")
        out = np.empty(insert_dimension(first.shape, place, len(arrays)), element)
        outer = multiply_extents(first.shape, 0, place)
        inner = multiply_extents(first.shape, place, first.ndim)
        parts = out.reshape((outer, len(arrays), inner))
        for i, a in enumerate(arrays):
            parts[:, i] = np.ascontiguousarray(a).reshape((outer, inner))
        return out

    return stack


@implements("numpy.hstack")
def _choose_hstack_implementation(tup):
    ndim = _find_smallest_ndim(tup)
    if ndim == 0:
        return lambda tup: np.concatenate(_ravel_all(tup))
    if ndim == 1:
        return lambda tup: np.concatenate(tup)
    return (lambda tup: np.concatenate(tup, 1)) if ndim else None


@implements("numpy.vstack", "numpy.row_stack")
def _choose_vstack_implementation(tup):
    if _find_smallest_ndim(tup) is None:
        return None
    return lambda tup: np.concatenate(_as_rows(tup), 0)


@compiled
def _as_rows(arrays):
    if len(arrays) == 0:
        return ()
    return (np.atleast_2d(arrays[0]), *_as_rows(arrays[1:]))


@implements("numpy.column_stack")
def _choose_column_stack_implementation(tup):
    if _find_smallest_ndim(tup) is None:
        return None
    return lambda tup: np.concatenate(_as_columns(tup), 1)


@compiled
def _as_columns(arrays):
    if len(arrays) == 0:
        return ()
    return (_as_column(arrays[0]), *_as_columns(arrays[1:]))


@compiled
def _as_column(a):
    return a if a.ndim == 2 else a.reshape((a.size, 1))


@implements("numpy.dstack")
def _choose_dstack_implementation(tup):
    if _find_smallest_ndim(tup) is None:
        return None
    return lambda tup: np.concatenate(_as_3d(tup), 2)


@compiled
def _as_3d(arrays):
    if len(arrays) == 0:
        return ()
    return (np.atleast_3d(arrays[0]), *_as_3d(arrays[1:]))


@implements("numpy.append")
def _choose_append_implementation(arr, values, axis=None):
    if is_number_or_bool(arr) and is_absent_or_none(axis):
        return lambda arr, values, axis=None: np.append(np.array((arr,)), values)
    if not is_array(arr) or not (is_array(values) or is_number_or_bool(values)):
        return None
    if not is_absent_or_none(axis):
        return lambda arr, values, axis: np.concatenate((arr, values), axis)
    if is_array(values):
        return lambda arr, values, axis=None: np.concatenate((arr.ravel(), values.ravel()))
    return lambda arr, values, axis=None: np.concatenate((arr.ravel(), np.array((values,))))

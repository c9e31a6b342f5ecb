"""Views with other dimensions over the same elements, and arrays broadcast against each other."""

import numpy as np

from heddle import types
from heddle.compiler.library_registry import (
    compiled,
    implements,
    implements_with_integers,
    is_absent_or_none,
    is_array,
    is_integer_or_bool,
    is_integer_tuple,
    is_number_or_bool,
    make_builtins_accept_numbers,
)
from heddle.host_library.shapes import (
    find_broadcast_shape,
    find_broadcast_shape_of_two,
    normalize_axis,
    replace_extent,
)


@compiled
def _to_tuple(value):
    return value if isinstance(value, tuple) else (value,)


@compiled
def _to_checked_shape(extent):
    shape = _to_tuple(extent)
    for i in range(len(shape)):
        if shape[i] < 0:
            raise ValueError("negative dimensions are not allowed")
    return shape


@compiled
def _find_broadcast_shape_of_all(shapes):
    if len(shapes) == 0:
        return ()
    return find_broadcast_shape_of_two(
        _to_checked_shape(shapes[0]), _find_broadcast_shape_of_all(shapes[1:])
    )


@implements("numpy.broadcast_shapes")
def _choose_broadcast_shapes_implementation(*shapes):
    return _broadcast_shapes


def _broadcast_shapes(*shapes):
    return _find_broadcast_shape_of_all(shapes)


@compiled
def _broadcast_all_to(arrays, shape):
    if len(arrays) == 0:
        return ()
    return (
        np.broadcast_to(np.asarray(arrays[0]), shape),
        *_broadcast_all_to(arrays[1:], shape),
    )


@implements("numpy.broadcast_arrays")
def _choose_broadcast_arrays_implementation(*arrays):
    return (
        _broadcast_arrays
        if all(is_array(a) or is_number_or_bool(a) for a in arrays)
        else _broadcast_sequences
    )


@implements("numpy.nditer")
def _choose_nditer_implementation(op):
    """np.nditer of a number, and of arrays with different numbers of dimensions."""
    if is_number_or_bool(op):
        return lambda op: np.nditer(np.asarray(op))
    if not isinstance(op, types.BaseTuple) or not all(
        is_array(a) or is_number_or_bool(a) for a in op.types
    ):
        return None
    alike = all(is_array(a) for a in op.types) and len({a.ndim for a in op.types}) < 2
    return None if alike else _iterate_broadcast


def _iterate_broadcast(op):
    return np.nditer(_broadcast_all_to(op, find_broadcast_shape(op)))


def _broadcast_sequences(*arrays):
    return np.broadcast_arrays(*_as_arrays(arrays))


@compiled
def _as_arrays(values):
    if len(values) == 0:
        return ()
    return (np.asarray(values[0]), *_as_arrays(values[1:]))


def _broadcast_arrays(*arrays):
    return _broadcast_all_to(arrays, find_broadcast_shape(arrays))


@compiled
def _list_axes(shape):
    """The tuple (0, 1, 2, ...) with one item per dimension."""
    if len(shape) == 0:
        return ()
    return (*_list_axes(shape[1:]), len(shape) - 1)


@compiled
def _find_shape_of_window_starts(shape, window, axes):
    if len(window) == 0:
        return shape
    axis = normalize_axis(axes[0], len(shape))
    if window[0] < 0:
        raise ValueError("window_shape cannot contain negative values")
    if window[0] > shape[axis]:
        raise ValueError("window_shape cannot be larger than input array shape")
    shorter = replace_extent(shape, axis, shape[axis] - window[0] + 1)
    return _find_shape_of_window_starts(shorter, window[1:], axes[1:])


@compiled
def _select_items_at_axes(strides, axes):
    if len(axes) == 0:
        return ()
    return (
        strides[normalize_axis(axes[0], len(strides))],
        *_select_items_at_axes(strides, axes[1:]),
    )


@compiled
def _view_windows(x, window, axes):
    shape = _find_shape_of_window_starts(x.shape, window, axes)
    strides = (*x.strides, *_select_items_at_axes(x.strides, axes))
    return np.lib.stride_tricks.as_strided(x, (*shape, *window), strides)


def _tuple_length_or_one(extents):
    return len(extents.types) if isinstance(extents, types.BaseTuple) else 1


@implements("numpy.lib.stride_tricks.sliding_window_view", "numpy.sliding_window_view")
def _choose_sliding_window_view_implementation(x, window_shape, axis=None):
    if not is_array(x):
        return None
    if is_absent_or_none(axis):
        return _view_windows_of_all_axes if _tuple_length_or_one(window_shape) == x.ndim else None
    return (
        _view_windows_along
        if _tuple_length_or_one(window_shape) == _tuple_length_or_one(axis)
        else None
    )


def _view_windows_of_all_axes(x, window_shape, axis=None):
    return _view_windows(x, _to_checked_shape(window_shape), _list_axes(x.shape))


def _view_windows_along(x, window_shape, axis):
    return _view_windows(x, _to_checked_shape(window_shape), _to_tuple(axis))


@compiled
def _move_item(extents, source, destination, left):
    """A shape or strides with the item at ``source`` moved to ``destination``."""
    if len(left) == 0:
        return ()
    i = len(extents) - len(left)
    place = i
    if i == destination:
        place = source
    elif source < destination:
        if i >= source and i < destination:
            place = i + 1
    elif i > destination and i <= source:
        place = i - 1
    return (extents[place], *_move_item(extents, source, destination, left[1:]))


@implements("numpy.broadcast_to")
def _choose_broadcast_to_implementation(array, shape):
    if is_number_or_bool(array):
        return _broadcast_number
    return None if is_array(array) else lambda array, shape: np.broadcast_to(np.array(array), shape)


def _broadcast_number(array, shape):
    return np.broadcast_to(np.asarray(array), shape)


@implements("numpy.lib.stride_tricks.as_strided")
def _choose_as_strided_implementation(x, shape=None, strides=None):
    if not is_absent_or_none(shape) and not is_absent_or_none(strides):
        return None
    if is_absent_or_none(shape) and is_absent_or_none(strides):
        return lambda x, shape=None, strides=None: x
    return _as_strided_with_own_shape if is_absent_or_none(shape) else _as_strided_with_own_strides


def _as_strided_with_own_shape(x, shape=None, strides=None):
    return np.lib.stride_tricks.as_strided(x, x.shape, strides)


def _as_strided_with_own_strides(x, shape=None, strides=None):
    return np.lib.stride_tricks.as_strided(x, shape, x.strides)


@implements_with_integers("numpy.transpose")
def _choose_transpose_implementation(a, axes=None):
    return _transpose if is_array(a) and is_integer_tuple(axes) else None


@implements_with_integers("array.transpose")
def _choose_transpose_method_implementation(a, *axes):
    if len(axes) == 1:
        return _transpose if is_integer_tuple(axes[0]) else None
    varying = any(is_integer_or_bool(axis) for axis in axes)
    return (lambda a, *axes: _transpose(a, axes)) if varying else None


@compiled
def _transpose(a, axes):
    if len(axes) != a.ndim:
        raise ValueError("the axes do not match the array's dimensions")
    for i in range(len(axes)):
        for j in range(i):
            if normalize_axis(axes[i], a.ndim) == normalize_axis(axes[j], a.ndim):
                raise ValueError("an axis is named twice")
    return np.lib.stride_tricks.as_strided(
        a, _select_items_at_axes(a.shape, axes), _select_items_at_axes(a.strides, axes)
    )


@implements_with_integers("numpy.swapaxes")
def _choose_swapaxes_implementation(a, axis1, axis2):
    varying = is_array(a) and (is_integer_or_bool(axis1) or is_integer_or_bool(axis2))
    return _swap_axes if varying else None


def _swap_axes(a, axis1, axis2):
    first, second = normalize_axis(axis1, a.ndim), normalize_axis(axis2, a.ndim)
    shape = replace_extent(replace_extent(a.shape, first, a.shape[second]), second, a.shape[first])
    ours, theirs = a.strides[first], a.strides[second]
    strides = replace_extent(replace_extent(a.strides, first, theirs), second, ours)
    return np.lib.stride_tricks.as_strided(a, shape, strides)


@implements_with_integers("numpy.expand_dims")
def _choose_expand_dims_implementation(a, axis):
    if not is_array(a) or not is_integer_or_bool(axis):
        return None
    return _expand_dims if a.ndim > 0 else _expand_scalar


def _expand_scalar(a, axis):
    normalize_axis(axis, 1)
    return a.reshape(1)


def _expand_dims(a, axis):
    place = normalize_axis(axis, a.ndim + 1)
    shape = _insert_item(a.shape, place, 1, (1, *a.shape))
    strides = _insert_item(a.strides, place, 0, (1, *a.shape))
    return np.lib.stride_tricks.as_strided(a, shape, strides)


@compiled
def _insert_item(extents, place, one, left):
    if len(left) == 0:
        return ()
    i = len(extents) + 1 - len(left)
    own = one if i == place else extents[i - (i > place)]
    return (own, *_insert_item(extents, place, one, left[1:]))


@implements("numpy.moveaxis")
def _choose_moveaxis_implementation(a, source, destination):
    if not is_array(a):
        return None
    if is_integer_or_bool(source) and is_integer_or_bool(destination):
        return _move_axis
    axes = source, destination
    known = all(isinstance(of, types.UniTuple) and is_integer_or_bool(of.dtype) for of in axes)
    return _move_axes if known and len(source.types) == len(destination.types) else None


def _move_axis(a, source, destination):
    first, last = normalize_axis(source, a.ndim), normalize_axis(destination, a.ndim)
    shape = _move_item(a.shape, first, last, a.shape)
    return np.lib.stride_tricks.as_strided(a, shape, _move_item(a.strides, first, last, a.strides))


def _move_axes(a, source, destination):
    places = np.full(a.ndim, -1)  # the axis at each place of the result
    moved = np.zeros(a.ndim, np.bool_)
    for i in range(len(source)):
        axis, place = normalize_axis(source[i], a.ndim), normalize_axis(destination[i], a.ndim)
        if moved[axis] or places[place] >= 0:
            raise ValueError("an axis is named twice")
        places[place], moved[axis] = axis, True
    axis = 0
    for place in range(a.ndim):
        if places[place] < 0:
            while moved[axis]:
                axis += 1
            places[place] = axis
            axis += 1
    shape, strides = (
        _permute_items(a.shape, places, a.shape),
        _permute_items(a.strides, places, a.strides),
    )
    return np.lib.stride_tricks.as_strided(a, shape, strides)


@compiled
def _permute_items(extents, places, left):
    if len(left) == 0:
        return ()
    return (extents[places[len(extents) - len(left)]], *_permute_items(extents, places, left[1:]))


def _implement_at_least(name):
    """Implements np.atleast_1d and similar functions for several arrays, where they return a tuple."""
    own = getattr(np, name)

    @compiled
    def convert_tuple_items(arrays):
        if len(arrays) == 0:
            return ()
        return (own(arrays[0]), *convert_tuple_items(arrays[1:]))

    def convert_several_arrays(*arrays):
        return convert_tuple_items(arrays)

    @implements(f"numpy.{name}")
    def choose_implementation(*arrays):
        several = len(arrays) > 1 and all(is_array(a) or is_number_or_bool(a) for a in arrays)
        return convert_several_arrays if several else None


_implement_at_least("atleast_1d")
_implement_at_least("atleast_2d")
_implement_at_least("atleast_3d")

make_builtins_accept_numbers("numpy.atleast_1d", "numpy.atleast_2d", "numpy.atleast_3d")

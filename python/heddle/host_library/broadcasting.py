"""Arrays with other dimensions over the same elements, and those that are broadcast against each other."""

import numpy as np

from heddle import types
from heddle.host_library.registry import (
    compiled,
    implements,
    implements_varying,
    is_absent,
    is_array,
    is_integer,
    is_number,
    is_shape,
    take_numbers,
)
from heddle.host_library.shapes import axis_of, joint_shape, shape_of_all, shape_with


@compiled
def _as_tuple(value):
    return value if isinstance(value, tuple) else (value,)


@compiled
def _as_shape(extent):
    shape = _as_tuple(extent)
    for i in range(len(shape)):
        if shape[i] < 0:
            raise ValueError("negative dimensions are not allowed")
    return shape


@compiled
def _joint_of(shapes):
    if len(shapes) == 0:
        return ()
    return joint_shape(_as_shape(shapes[0]), _joint_of(shapes[1:]))


@implements("numpy.broadcast_shapes")
def _broadcast_shapes(*shapes):
    return _shape_of_shapes


def _shape_of_shapes(*shapes):
    return _joint_of(shapes)


@compiled
def _each_broadcast(arrays, shape):
    if len(arrays) == 0:
        return ()
    return (
        np.broadcast_to(np.asarray(arrays[0]), shape),
        *_each_broadcast(arrays[1:], shape),
    )


@implements("numpy.broadcast_arrays")
def _broadcast_arrays(*arrays):
    return _broadcast_each if all(is_array(a) or is_number(a) for a in arrays) else _broadcast_items


@implements("numpy.nditer")
def _nditer(op):
    """Of numbers, and of arrays of several ranks."""
    if is_number(op):
        return lambda op: np.nditer(np.asarray(op))
    if not isinstance(op, types.BaseTuple) or not all(
        is_array(a) or is_number(a) for a in op.types
    ):
        return None
    alike = all(is_array(a) for a in op.types) and len({a.ndim for a in op.types}) < 2
    return None if alike else _iterate_broadcast


def _iterate_broadcast(op):
    return np.nditer(_each_broadcast(op, shape_of_all(op)))


def _broadcast_items(*arrays):
    return np.broadcast_arrays(*_as_arrays(arrays))


@compiled
def _as_arrays(values):
    if len(values) == 0:
        return ()
    return (np.asarray(values[0]), *_as_arrays(values[1:]))


def _broadcast_each(*arrays):
    return _each_broadcast(arrays, shape_of_all(arrays))


@compiled
def _counted(shape):
    """(0, 1, 2 ...), as many."""
    if len(shape) == 0:
        return ()
    return (*_counted(shape[1:]), len(shape) - 1)


@compiled
def _shortened(shape, window, axes):
    if len(window) == 0:
        return shape
    axis = axis_of(axes[0], len(shape))
    if window[0] < 0:
        raise ValueError("window_shape cannot contain negative values")
    if window[0] > shape[axis]:
        raise ValueError("window_shape cannot be larger than input array shape")
    shorter = shape_with(shape, axis, shape[axis] - window[0] + 1)
    return _shortened(shorter, window[1:], axes[1:])


@compiled
def _at_axes(strides, axes):
    if len(axes) == 0:
        return ()
    return (strides[axis_of(axes[0], len(strides))], *_at_axes(strides, axes[1:]))


@compiled
def _windows(x, window, axes):
    shape = _shortened(x.shape, window, axes)
    strides = (*x.strides, *_at_axes(x.strides, axes))
    return np.lib.stride_tricks.as_strided(x, (*shape, *window), strides)


def _length(extents):
    return len(extents.types) if isinstance(extents, types.BaseTuple) else 1


@implements("numpy.lib.stride_tricks.sliding_window_view", "numpy.sliding_window_view")
def _sliding_window_view(x, window_shape, axis=None):
    if not is_array(x):
        return None
    if is_absent(axis):
        return _windows_of_all if _length(window_shape) == x.ndim else None
    return _windows_along if _length(window_shape) == _length(axis) else None


def _windows_of_all(x, window_shape, axis=None):
    return _windows(x, _as_shape(window_shape), _counted(x.shape))


def _windows_along(x, window_shape, axis):
    return _windows(x, _as_shape(window_shape), _as_tuple(axis))


@compiled
def _moved(extents, source, destination, left):
    """The extents with the one at ``source`` at ``destination``."""
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
    return (extents[place], *_moved(extents, source, destination, left[1:]))


@implements("numpy.broadcast_to")
def _broadcast_to(array, shape):
    if is_number(array):
        return _number_broadcast
    return None if is_array(array) else lambda array, shape: np.broadcast_to(np.array(array), shape)


def _number_broadcast(array, shape):
    return np.broadcast_to(np.asarray(array), shape)


@implements("numpy.lib.stride_tricks.as_strided")
def _as_strided(x, shape=None, strides=None):
    if not is_absent(shape) and not is_absent(strides):
        return None
    if is_absent(shape) and is_absent(strides):
        return lambda x, shape=None, strides=None: x
    return _strided_alike if is_absent(shape) else _shaped_alike


def _strided_alike(x, shape=None, strides=None):
    return np.lib.stride_tricks.as_strided(x, x.shape, strides)


def _shaped_alike(x, shape=None, strides=None):
    return np.lib.stride_tricks.as_strided(x, shape, x.strides)


@implements_varying("numpy.transpose")
def _transpose(a, axes=None):
    return _transposed if is_array(a) and is_shape(axes) else None


@implements_varying("array.transpose")
def _transpose_method(a, *axes):
    if len(axes) == 1:
        return _transposed if is_shape(axes[0]) else None
    varying = any(is_integer(axis) for axis in axes)
    return (lambda a, *axes: _transposed(a, axes)) if varying else None


@compiled
def _transposed(a, axes):
    if len(axes) != a.ndim:
        raise ValueError("the axes do not match the array's dimensions")
    for i in range(len(axes)):
        for j in range(i):
            if axis_of(axes[i], a.ndim) == axis_of(axes[j], a.ndim):
                raise ValueError("an axis is named twice")
    return np.lib.stride_tricks.as_strided(a, _at_axes(a.shape, axes), _at_axes(a.strides, axes))


@implements_varying("numpy.swapaxes")
def _swapaxes(a, axis1, axis2):
    varying = is_array(a) and (is_integer(axis1) or is_integer(axis2))
    return _swapped if varying else None


def _swapped(a, axis1, axis2):
    first, second = axis_of(axis1, a.ndim), axis_of(axis2, a.ndim)
    shape = shape_with(shape_with(a.shape, first, a.shape[second]), second, a.shape[first])
    ours, theirs = a.strides[first], a.strides[second]
    strides = shape_with(shape_with(a.strides, first, theirs), second, ours)
    return np.lib.stride_tricks.as_strided(a, shape, strides)


@implements_varying("numpy.expand_dims")
def _expand_dims(a, axis):
    return _expanded if is_array(a) and a.ndim > 0 and is_integer(axis) else None


def _expanded(a, axis):
    place = axis_of(axis, a.ndim + 1)
    shape = _with_one_more(a.shape, place, 1, (1, *a.shape))
    strides = _with_one_more(a.strides, place, 0, (1, *a.shape))
    return np.lib.stride_tricks.as_strided(a, shape, strides)


@compiled
def _with_one_more(extents, place, one, left):
    if len(left) == 0:
        return ()
    i = len(extents) + 1 - len(left)
    own = one if i == place else extents[i - (i > place)]
    return (own, *_with_one_more(extents, place, one, left[1:]))


@implements("numpy.moveaxis")
def _moveaxis(a, source, destination):
    if not is_array(a):
        return None
    if is_integer(source) and is_integer(destination):
        return _axis_moved
    axes = source, destination
    known = all(isinstance(of, types.UniTuple) and is_integer(of.dtype) for of in axes)
    return _axes_moved if known and len(source.types) == len(destination.types) else None


def _axis_moved(a, source, destination):
    first, last = axis_of(source, a.ndim), axis_of(destination, a.ndim)
    shape = _moved(a.shape, first, last, a.shape)
    return np.lib.stride_tricks.as_strided(a, shape, _moved(a.strides, first, last, a.strides))


def _axes_moved(a, source, destination):
    places = np.full(a.ndim, -1)  # the axis at each place of the result
    moved = np.zeros(a.ndim, np.bool_)
    for i in range(len(source)):
        axis, place = axis_of(source[i], a.ndim), axis_of(destination[i], a.ndim)
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
    shape, strides = _at_places(a.shape, places, a.shape), _at_places(a.strides, places, a.strides)
    return np.lib.stride_tricks.as_strided(a, shape, strides)


@compiled
def _at_places(extents, places, left):
    if len(left) == 0:
        return ()
    return (extents[places[len(extents) - len(left)]], *_at_places(extents, places, left[1:]))


def _each_at_least(name):
    """np.atleast_1d and its kin of several arrays: a tuple."""
    own = getattr(np, name)

    @compiled
    def each(arrays):
        if len(arrays) == 0:
            return ()
        return (own(arrays[0]), *each(arrays[1:]))

    def of_several(*arrays):
        return each(arrays)

    @implements(f"numpy.{name}")
    def choose(*arrays):
        several = len(arrays) > 1 and all(is_array(a) or is_number(a) for a in arrays)
        return of_several if several else None


_each_at_least("atleast_1d")
_each_at_least("atleast_2d")
_each_at_least("atleast_3d")

take_numbers("numpy.atleast_1d", "numpy.atleast_2d", "numpy.atleast_3d")

"""Shapes that are made of others, and arrays as blocks around one of their dimensions."""

import functools

import numpy as np

from heddle.host_library.registry import compiled


@functools.cache
def copied_in_rows(element):
    """The function that copies an array to a C-contiguous one of elements of that dtype."""

    @compiled
    def copied(a):
        out = np.empty(a.shape, element)
        out[...] = a
        return out

    return copied


@compiled
def axis_of(axis, ndim):
    """A dimension's number, which counts from the end where it is negative."""
    place = axis + ndim if axis < 0 else axis
    if place < 0 or place >= ndim:
        _refuse_axis(axis, ndim)
    return place


@compiled
def checked_index(index, extent):
    """An index of a dimension, which counts from the end where it is negative. Raises IndexError past either end."""
    place = np.int64(index)
    if place < 0:
        place += extent
    if place < 0 or place >= extent:
        raise IndexError("index out of bounds for an array")
    return place


@compiled
def _refuse_axis(axis, ndim):
    raise np.exceptions.AxisError(f"axis {axis} is out of bounds for array of dimension {ndim}")


@compiled
def shape_without(shape, axis):
    return _others(shape, axis, shape)


@compiled
def _others(shape, axis, left):
    if len(left) == 1:
        return ()
    i = len(shape) - len(left)
    return (shape[i + (i >= axis)], *_others(shape, axis, left[1:]))


@compiled
def shape_with(shape, axis, extent):
    """The shape with another extent of one dimension."""
    return _changed(shape, axis, extent, shape)


@compiled
def _changed(shape, axis, extent, left):
    if len(left) == 0:
        return ()
    i = len(shape) - len(left)
    own = extent if i == axis else shape[i]
    return (own, *_changed(shape, axis, extent, left[1:]))


@compiled
def shape_between(shape, axis, extent):
    """The shape with one more dimension."""
    return _longer(shape, axis, extent, (*shape, 0))


@compiled
def _longer(shape, axis, extent, left):
    if len(left) == 0:
        return ()
    i = len(shape) + 1 - len(left)
    own = extent
    if i != axis and len(shape) > 0:
        own = shape[min(i, len(shape) - 1)] if i < axis else shape[max(i - 1, 0)]
    return (own, *_longer(shape, axis, extent, left[1:]))


@compiled
def product(extents, begin, end):
    if len(extents) == 0:
        return 1
    total = 1
    for i in range(begin, end):
        total *= extents[i]
    return total


@compiled
def blocks(a, axis):
    """A C-contiguous array of three dimensions with the same elements; the second is ``axis``."""
    outer = product(a.shape, 0, axis)
    inner = product(a.shape, axis + 1, a.ndim)
    return np.ascontiguousarray(a).reshape((outer, a.shape[axis], inner))


@compiled
def _lengthened(shape, other):
    """The shape with as many dimensions as another has, at least; new ones are the first, of one element."""
    if len(shape) >= len(other):
        return shape
    return _lengthened((1, *shape), other)


@compiled
def _joint(first, second):
    if len(first) == 0:
        return ()
    extent = second[0] if first[0] == 1 else first[0]
    if second[0] != 1 and second[0] != extent:
        raise ValueError("shape mismatch: objects cannot be broadcast to a single shape")
    return (extent, *_joint(first[1:], second[1:]))


@compiled
def joint_shape(first, second):
    """The shape to which arrays of both shapes are broadcast."""
    return _joint(_lengthened(first, second), _lengthened(second, first))


@compiled
def _shape_of(value):
    return value.shape if isinstance(value, np.ndarray) else ()


@compiled
def shape_of_all(values):
    """The shape to which a tuple of arrays and numbers is broadcast."""
    if len(values) == 0:
        return ()
    return joint_shape(_shape_of(values[0]), shape_of_all(values[1:]))

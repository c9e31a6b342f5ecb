"""Shapes derived from others, and arrays viewed as blocks around one dimension."""

import functools

import numpy as np

from heddle.compiler.library_registry import compiled


@functools.cache
def make_converting_copier(element):
    """The function that copies an array to a C-contiguous one with that dtype."""

    @compiled
    def make_copy(a):
        out = np.empty(a.shape, element)
        out[...] = a
        return out

    return make_copy


@compiled
def normalize_axis(axis, ndim):
    """The axis as a non-negative number; a negative one counts from the end. Raises AxisError."""
    place = axis + ndim if axis < 0 else axis
    if place < 0 or place >= ndim:
        _refuse_axis(axis, ndim)
    return place


@compiled
def normalize_index(index, extent):
    """The index as a non-negative number; a negative one counts from the end. Raises IndexError if out of bounds."""
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
def remove_dimension(shape, axis):
    return _drop_extent(shape, axis, shape)


@compiled
def _drop_extent(shape, axis, left):
    if len(left) == 1:
        return ()
    i = len(shape) - len(left)
    return (shape[i + (i >= axis)], *_drop_extent(shape, axis, left[1:]))


@compiled
def replace_extent(shape, axis, extent):
    """The shape with the extent of one dimension replaced."""
    return _replace_extent(shape, axis, extent, shape)


@compiled
def _replace_extent(shape, axis, extent, left):
    if len(left) == 0:
        return ()
    i = len(shape) - len(left)
    own = extent if i == axis else shape[i]
    return (own, *_replace_extent(shape, axis, extent, left[1:]))


@compiled
def insert_dimension(shape, axis, extent):
    """The shape with a dimension inserted."""
    return _insert_extent(shape, axis, extent, (*shape, 0))


@compiled
def _insert_extent(shape, axis, extent, left):
    if len(left) == 0:
        return ()
    i = len(shape) + 1 - len(left)
    own = extent
    if i != axis and len(shape) > 0:
        own = shape[min(i, len(shape) - 1)] if i < axis else shape[max(i - 1, 0)]
    return (own, *_insert_extent(shape, axis, extent, left[1:]))


@compiled
def multiply_extents(extents, begin, end):
    if len(extents) == 0:
        return 1
    total = 1
    for i in range(begin, end):
        total *= extents[i]
    return total


@compiled
def to_contiguous_3d_around_axis(a, axis):
    """A C-contiguous three-dimensional array with the same elements, in which ``axis`` is the second dimension."""
    outer = multiply_extents(a.shape, 0, axis)
    inner = multiply_extents(a.shape, axis + 1, a.ndim)
    return np.ascontiguousarray(a).reshape((outer, a.shape[axis], inner))


@compiled
def _prepend_dimensions(shape, other):
    """The shape with leading dimensions of extent 1 added, up to the length of ``other``."""
    if len(shape) >= len(other):
        return shape
    return _prepend_dimensions((1, *shape), other)


@compiled
def _broadcast_equal_length_shapes(first, second):
    if len(first) == 0:
        return ()
    extent = second[0] if first[0] == 1 else first[0]
    if second[0] != 1 and second[0] != extent:
        raise ValueError("shape mismatch: objects cannot be broadcast to a single shape")
    return (extent, *_broadcast_equal_length_shapes(first[1:], second[1:]))


@compiled
def find_broadcast_shape_of_two(first, second):
    """The shape to which arrays of both shapes broadcast. Raises ValueError."""
    return _broadcast_equal_length_shapes(
        _prepend_dimensions(first, second), _prepend_dimensions(second, first)
    )


@compiled
def _shape_of(value):
    return value.shape if isinstance(value, np.ndarray) else ()


@compiled
def find_broadcast_shape(values):
    """The shape to which a tuple of arrays and numbers broadcasts."""
    if len(values) == 0:
        return ()
    return find_broadcast_shape_of_two(_shape_of(values[0]), find_broadcast_shape(values[1:]))

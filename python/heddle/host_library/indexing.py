"""Selecting elements with index arrays: ``a[mask]``, ``a[indices]``, ``a[i, indices, 1:]``, and assignments to them.

The compiler passes each function a view without the dimensions that integers select, and a text with one character per
item of the index: ``i`` for such an integer, ``:`` for a dimension that remains, ``*`` for an index array.
"""

import functools

import numpy as np

from heddle.compiler.library_registry import compiled, implements, is_array
from heddle.host_library.shapes import normalize_index


@implements("array.__getitem__")
def _choose_getitem_implementation(view, pattern, *indices):
    if _is_one_full_mask(view, indices):
        return _make_masked_selection(view.ndim)
    axes, result_axis = _find_selected_dimensions(pattern.literal_value, indices)
    if _is_one_integer_vector(indices) and axes == (result_axis,):
        return _gather_vector_elements if view.ndim == 1 else _make_gather_along(axes[0], view.ndim)
    return _make_gather(axes, result_axis, _find_broadcast_ndim(indices), view.ndim)


@implements("array.__setitem__")
def _choose_setitem_implementation(view, pattern, value, *indices):
    if is_array(value) and value.ndim == 0:
        return _assign_zero_dim_value
    if _is_one_full_mask(view, indices):
        return (
            _make_masked_assignment(view.ndim) if is_array(value) else _make_masked_fill(view.ndim)
        )
    axes, result_axis = _find_selected_dimensions(pattern.literal_value, indices)
    if _is_one_integer_vector(indices) and axes == (result_axis,):
        along = _make_array_scatter_along if is_array(value) else _make_number_scatter_along
        return along(axes[0], view.ndim)
    if is_array(value):
        return _make_array_scatter(axes, result_axis, _find_broadcast_ndim(indices), view.ndim)
    return _make_number_scatter(axes, view.ndim)


def _assign_zero_dim_value(view, pattern, value, *indices):
    view[indices] = value.item()


def _is_one_full_mask(view, indices):
    return len(indices) == 1 and indices[0].dtype.name == "bool" and indices[0].ndim == view.ndim


def _is_one_integer_vector(indices):
    return len(indices) == 1 and indices[0].dtype.name != "bool" and indices[0].ndim == 1


def _find_selected_dimensions(pattern, indices):
    """(the view's dimensions that the index arrays select from, the position of the selected dimensions in the
    result)"""
    arrays = iter(indices)
    axes, axis, selecting = [], 0, []
    for place, item in enumerate(pattern):
        if item == ":":
            axis += 1
        else:
            selecting.append((place, axis))
        if item == "*":
            index = next(arrays)
            count = index.ndim if index.dtype.name == "bool" else 1
            axes.extend(range(axis, axis + count))
            axis += count
    places = [place for place, _ in selecting]
    together = places == list(range(places[0], places[0] + len(places)))
    return tuple(axes), selecting[0][1] if together else 0


def _find_broadcast_ndim(indices):
    return max(1 if index.dtype.name == "bool" else index.ndim for index in indices)


# One mask with the array's shape


@functools.cache
def _make_loop_over_rows(loop, ndim):
    """Makes ``loop(view, mask, values, count)``, which takes one-dimensional views and returns the new ``count``, take
    views of ``ndim`` dimensions."""
    if ndim == 1:
        return compiled(loop)
    inner = _make_loop_over_rows(loop, ndim - 1)

    @compiled
    def loop_over_rows(view, mask, values, count):
        for i in range(view.shape[0]):
            count = inner(view[i], mask[i], values, count)
        return count

    return loop_over_rows


@functools.cache
def _make_masked_selection(ndim):
    gather = _make_loop_over_rows(_gather_masked, ndim)

    def select_masked(view, pattern, mask):
        if mask.shape != view.shape:
            raise IndexError("boolean index did not match indexed array")
        out = np.empty(np.count_nonzero(mask), view.dtype)
        gather(view, mask, out, 0)
        return out

    return select_masked


def _gather_masked(view, mask, out, count):
    """Appends the selected elements to ``out``, which has ``count`` elements."""
    # Without a branch on the mask, which the processor cannot predict.
    for i in range(view.size):
        if count == out.size:
            break
        out[count] = view[i]
        count += 1 if mask[i] else 0
    return count


@functools.cache
def _make_masked_fill(ndim):
    fill = _make_loop_over_rows(_fill_masked, ndim)

    def fill_masked(view, pattern, value, mask):
        if mask.shape != view.shape:
            raise IndexError("boolean index did not match indexed array")
        fill(view, mask, value, 0)

    return fill_masked


def _fill_masked(view, mask, value, count):
    for i in range(view.size):
        if mask[i]:
            view[i] = value
    return count


@functools.cache
def _make_masked_assignment(ndim):
    assign = _make_loop_over_rows(_assign_masked, ndim)

    def assign_masked(view, pattern, value, mask):
        if mask.shape != view.shape:
            raise IndexError("boolean index did not match indexed array")
        values = value.ravel()
        if values.size != 1 and values.size != np.count_nonzero(mask):
            raise ValueError(
                "NumPy boolean array indexing assignment needs as many values as the mask selects"
            )
        assign(view, mask, values, 0)

    return assign_masked


def _assign_masked(view, mask, values, count):
    """Assigns values from number ``count`` on."""
    step = values.size != 1
    for i in range(view.size):
        if mask[i]:
            view[i] = values[count * step]
            count += 1
    return count


# One one-dimensional array of integers


def _gather_vector_elements(view, pattern, indices):
    out = np.empty(indices.size, view.dtype)
    # Check the indices first, as vectors, instead of one by one between the loads.
    lowest, highest = 0, -1
    for k in range(indices.size):
        lowest, highest = min(lowest, np.int64(indices[k])), max(highest, np.int64(indices[k]))
    if lowest < -view.size or highest >= view.size:
        raise IndexError("index out of bounds for an array")
    if lowest < 0:
        for k in range(indices.size):
            out[k] = view[np.int64(indices[k])]
    else:
        for k in range(indices.size):
            out[k] = view[np.uint64(indices[k])]
    return out


@functools.cache
def _make_gather_along(axis, ndim):
    order = _make_order_with_axes_first((axis,), ndim)

    def gather_along_axis(view, pattern, indices):
        moved = view.transpose(order)
        out = np.empty(view.shape[:axis] + indices.shape + view.shape[axis + 1 :], view.dtype)
        rows = out.transpose(order)
        for k in range(indices.size):
            rows[k] = moved[normalize_index(indices[k], moved.shape[0])]
        return out

    return gather_along_axis


@functools.cache
def _make_number_scatter_along(axis, ndim):
    order = _make_order_with_axes_first((axis,), ndim)

    def store_number_along_axis(view, pattern, value, indices):
        moved = view.transpose(order)
        for k in range(indices.size):
            moved[normalize_index(indices[k], moved.shape[0])] = value

    return store_number_along_axis


@functools.cache
def _make_array_scatter_along(axis, ndim):
    order = _make_order_with_axes_first((axis,), ndim)

    def store_array_along_axis(view, pattern, value, indices):
        moved = view.transpose(order)
        shape = view.shape[:axis] + indices.shape + view.shape[axis + 1 :]
        rows = np.broadcast_to(value, shape).transpose(order)
        for k in range(indices.size):
            moved[normalize_index(indices[k], moved.shape[0])] = rows[k]

    return store_array_along_axis


# Any index arrays, and masks of some dimensions


@compiled
def _zeros_of_broadcast_shape(*indices):
    if len(indices) == 1:
        return np.zeros(indices[0].shape, np.int8)
    return np.zeros(indices[0].shape, np.int8) + _zeros_of_broadcast_shape(*indices[1:])


@compiled
def _broadcast_indices(zeros, *indices):
    """Each index array broadcast to the joint shape and flattened."""
    if len(indices) == 0:
        return ()
    places = np.asarray(indices[0] + zeros).ravel()
    return (places, *_broadcast_indices(zeros, *indices[1:]))


@compiled
def _check_masks(shape, *indices):
    """Raises IndexError if a mask's shape differs from that of the dimensions it selects from."""
    if len(indices) == 0:
        return
    count = indices[0].ndim if indices[0].dtype == np.bool_ else 1
    if indices[0].dtype == np.bool_ and indices[0].shape != shape[:count]:
        raise IndexError("boolean index did not match indexed array")
    _check_masks(shape[count:], *indices[1:])


@compiled
def _replace_masks_by_indices(*indices):
    """The index arrays, with masks replaced by the indices that they select."""
    if len(indices) == 0:
        return ()
    if indices[0].dtype == np.bool_:
        return np.nonzero(indices[0]) + _replace_masks_by_indices(*indices[1:])
    return (indices[0], *_replace_masks_by_indices(*indices[1:]))


@compiled
def _get_index_tuple(places, k, shape):
    if len(places) == 0:
        return ()
    return (normalize_index(places[0][k], shape[0]), *_get_index_tuple(places[1:], k, shape[1:]))


def _make_order_with_axes_first(axes, ndim):
    """The order of dimensions with ``axes`` first."""
    return axes + tuple(axis for axis in range(ndim) if axis not in axes)


def _make_order_with_axes_moved_back(count, result_axis, ndim):
    """The order of dimensions that moves the first ``count`` to ``result_axis``."""
    rest = tuple(range(count, ndim))
    return rest[:result_axis] + tuple(range(count)) + rest[result_axis:]


@functools.cache
def _make_gather(axes, result_axis, joint_ndim, ndim):
    if ndim == 1:
        return _gather_vector_elements_in_shape
    count = len(axes)
    order = _make_order_with_axes_first(axes, ndim)
    back = _make_order_with_axes_moved_back(joint_ndim, result_axis, joint_ndim + ndim - count)

    def gather_elements(view, pattern, *indices):
        moved = view.transpose(order)
        _check_masks(moved.shape, *indices)
        arrays = _replace_masks_by_indices(*indices)
        zeros = _zeros_of_broadcast_shape(*arrays)
        places = _broadcast_indices(zeros, *arrays)
        rest = moved.shape[count:]
        out = np.empty((zeros.size, *rest), view.dtype)
        for k in range(zeros.size):
            out[k] = moved[_get_index_tuple(places, k, moved.shape)]
        out = out.reshape(zeros.shape + rest)
        return np.ascontiguousarray(out.transpose(back)) if result_axis else out

    return gather_elements


def _gather_vector_elements_in_shape(view, pattern, indices):
    out = np.empty(indices.shape, view.dtype)
    flat = out.reshape(out.size)
    for k, i in enumerate(indices.flat):
        flat[k] = view[normalize_index(i, view.size)]
    return out


@functools.cache
def _make_number_scatter(axes, ndim):
    order = _make_order_with_axes_first(axes, ndim)

    def store_number(view, pattern, value, *indices):
        moved = view.transpose(order)
        _check_masks(moved.shape, *indices)
        arrays = _replace_masks_by_indices(*indices)
        zeros = _zeros_of_broadcast_shape(*arrays)
        places = _broadcast_indices(zeros, *arrays)
        for k in range(zeros.size):
            moved[_get_index_tuple(places, k, moved.shape)] = value

    return store_number


@functools.cache
def _make_array_scatter(axes, result_axis, joint_ndim, ndim):
    count = len(axes)
    order = _make_order_with_axes_first(axes, ndim)
    selecting = tuple(range(result_axis, result_axis + joint_ndim))
    front = _make_order_with_axes_first(selecting, joint_ndim + ndim - count)

    def store_array(view, pattern, value, *indices):
        moved = view.transpose(order)
        _check_masks(moved.shape, *indices)
        arrays = _replace_masks_by_indices(*indices)
        zeros = _zeros_of_broadcast_shape(*arrays)
        places = _broadcast_indices(zeros, *arrays)
        rest = moved.shape[count:]
        shape = rest[:result_axis] + zeros.shape + rest[result_axis:]
        values = np.ascontiguousarray(np.broadcast_to(value, shape).transpose(front))
        items = values.reshape((zeros.size, *rest))
        for k in range(zeros.size):
            moved[_get_index_tuple(places, k, moved.shape)] = items[k]

    return store_array

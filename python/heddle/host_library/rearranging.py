"""Arrays with repeated, moved, removed or inserted elements, and coordinate grids."""

import numpy as np

from heddle import types
from heddle.compiler.library_registry import (
    compiled,
    implements,
    is_absent_or_none,
    is_array,
    is_integer_or_bool,
    is_number_or_bool,
    is_slice,
    make_builtins_accept_numbers,
)
from heddle.host_library.shapes import (
    find_broadcast_shape_of_two,
    multiply_extents,
    normalize_axis,
    normalize_index,
    replace_extent,
    to_contiguous_3d_around_axis,
)

# Repeating


@implements("numpy.repeat", "array.repeat")
def _choose_repeat_implementation(a, repeats):
    if is_number_or_bool(a):
        return lambda a, repeats: np.full(repeats, a)
    if not is_array(a):
        return None
    return _repeat_each if is_array(repeats) else _repeat if is_integer_or_bool(repeats) else None


def _repeat(a, repeats):
    flat = a.ravel()
    out = np.empty((flat.size, repeats), a.dtype)
    for i in range(flat.size):
        out[i] = flat[i]
    return out.ravel()


def _repeat_each(a, repeats):
    flat = a.ravel()
    if repeats.size == 1:
        return np.repeat(flat, repeats[0])
    if repeats.size != flat.size:
        raise ValueError("operands could not be broadcast together")
    if repeats.size > 0 and repeats.min() < 0:
        raise ValueError("negative dimensions are not allowed")
    out = np.empty(repeats.sum(), a.dtype)
    k = 0
    for i in range(flat.size):
        for _ in range(repeats[i]):
            out[k] = flat[i]
            k += 1
    return out


@implements("numpy.tile")
def _choose_tile_implementation(A, reps):
    if not is_array(A):
        return None
    if is_integer_or_bool(reps):
        return _tile_last_axis if A.ndim > 1 else _tile
    if not isinstance(reps, types.BaseTuple):
        return None
    if len(reps.types) == 1:
        return lambda A, reps: np.tile(A, reps[0])
    return _tile_two_axes if len(reps.types) == 2 and A.ndim <= 2 else None


def _tile(A, reps):
    out = np.empty((reps, A.size), A.dtype)
    out[...] = A
    return out.ravel()


def _tile_last_axis(A, reps):
    last = A.ndim - 1
    out = np.empty(replace_extent(A.shape, last, A.shape[last] * reps), A.dtype)
    parts = out.reshape((multiply_extents(A.shape, 0, last), reps, A.shape[last]))
    parts[...] = to_contiguous_3d_around_axis(A, last).reshape((parts.shape[0], 1, A.shape[last]))
    return out


def _tile_two_axes(A, reps):
    rows = np.atleast_2d(A)
    out = np.empty((reps[0], rows.shape[0], reps[1], rows.shape[1]), A.dtype)
    for i in range(reps[0]):
        for j in range(reps[1]):
            out[i, :, j] = rows
    return out.reshape((reps[0] * rows.shape[0], reps[1] * rows.shape[1]))


# Moving


@implements("numpy.roll")
def _choose_roll_implementation(a, shift, axis=None):
    if not is_array(a):
        return None
    return _roll if is_absent_or_none(axis) else _roll_along_axis


def _roll(a, shift, axis=None):
    out = np.empty(a.shape, a.dtype)
    flat, source = out.reshape(out.size), a.ravel()
    first = shift % max(flat.size, 1)
    flat[first:] = source[: flat.size - first]
    flat[:first] = source[flat.size - first :]
    return out


def _roll_along_axis(a, shift, axis):
    out = np.empty(a.shape, a.dtype)
    place = normalize_axis(axis, a.ndim)
    parts, source = to_contiguous_3d_around_axis(out, place), to_contiguous_3d_around_axis(a, place)
    extent = a.shape[place]
    first = shift % max(extent, 1)
    parts[:, first:] = source[:, : extent - first]
    parts[:, :first] = source[:, extent - first :]
    return out


@implements("numpy.rot90")
def _choose_rot90_implementation(m, k=None):
    return _rot90 if is_array(m) and m.ndim >= 2 else None


def _rot90(m, k=1):
    quarters = k % 4
    if quarters == 0:
        return m.copy()
    if quarters == 2:
        return m[::-1, ::-1].copy()
    if quarters == 1:
        return np.swapaxes(m[:, ::-1], 0, 1).copy()
    return np.swapaxes(m, 0, 1)[:, ::-1].copy()


# Removing and inserting


@implements("numpy.delete")
def _choose_delete_implementation(arr, obj):
    if not is_array(arr):
        return None
    if is_integer_or_bool(obj):
        return _delete_one
    return _delete_several if is_array(obj) or is_slice(obj) else None


def _delete_one(arr, obj):
    flat = arr.ravel()
    place = obj + flat.size if obj < 0 else obj
    if place < 0 or place >= flat.size:
        raise IndexError("index out of bounds for an array")
    return np.concatenate((flat[:place], flat[place + 1 :]))


def _delete_several(arr, obj):
    flat = arr.ravel()
    kept = np.ones(flat.size, np.bool_)
    kept[obj] = False
    return flat[kept]


@implements("numpy.insert")
def _choose_insert_implementation(arr, obj, values):
    if not is_array(arr) or not (is_number_or_bool(values) or is_array(values, 1)):
        return None
    if is_array(obj, 1) and is_integer_or_bool(obj.dtype):
        return _insert_each
    if not is_integer_or_bool(obj):
        return None
    return _insert_several if is_array(values) else _insert_one


def _insert_each(arr, obj, values):
    flat = arr.ravel()
    places = obj.astype(np.int64)
    for i in range(places.size):
        if places[i] < -flat.size or places[i] > flat.size:
            raise IndexError("index out of bounds for an array")
        if places[i] < 0:
            places[i] += flat.size
    if places.size == 1:
        return np.insert(arr, places[0], values)
    order = np.argsort(places)
    places[order] += np.arange(places.size)
    out = np.empty(flat.size + places.size, arr.dtype)
    is_old = np.ones(out.size, np.bool_)
    is_old[places] = False
    out[places] = values
    out[is_old] = flat
    return out


def _insert_several(arr, obj, values):
    flat = arr.ravel()
    place = obj + flat.size if obj < 0 else obj
    if place < 0 or place > flat.size:
        raise IndexError("index out of bounds for an array")
    return np.concatenate((flat[:place], values.astype(arr.dtype), flat[place:]))


def _insert_one(arr, obj, values):
    return np.insert(arr, obj, np.array((values,)))


@implements("numpy.trim_zeros")
def _choose_trim_zeros_implementation(filt, trim=None):
    return _trim_zeros if is_array(filt, 1) else None


def _trim_zeros(filt, trim="fb"):
    first, last = 0, filt.size
    sides = trim.lower()
    if "f" in sides:
        while first < last and filt[first] == 0:
            first += 1
    if "b" in sides:
        while last > first and filt[last - 1] == 0:
            last -= 1
    return filt[first:last].copy()


# Coordinate grids


@implements("numpy.meshgrid")
def _choose_meshgrid_implementation(*xi, indexing=None):
    if not xi or not all(is_array(x) for x in xi) or len(xi) > 3:
        return None
    rows_first = isinstance(indexing, types.StringLiteral) and indexing.literal_value == "ij"
    return _meshes[len(xi), rows_first or len(xi) == 1]


@compiled
def _broadcast_vector(x, shape, axis):
    out = np.empty(shape, x.dtype)
    parts = to_contiguous_3d_around_axis(out, axis)
    parts[...] = x.reshape((x.size, 1))
    return out


def _mesh_of_one(x, *, indexing="xy"):
    return (x.ravel().copy(),)


def _mesh_of_two(x, y, *, indexing="xy"):
    shape = (y.size, x.size)
    return (_broadcast_vector(x.ravel(), shape, 1), _broadcast_vector(y.ravel(), shape, 0))


def _mesh_of_two_with_ij_indexing(x, y, *, indexing="ij"):
    shape = (x.size, y.size)
    return (_broadcast_vector(x.ravel(), shape, 0), _broadcast_vector(y.ravel(), shape, 1))


def _mesh_of_three(x, y, z, *, indexing="xy"):
    shape = (y.size, x.size, z.size)
    return (
        _broadcast_vector(x.ravel(), shape, 1),
        _broadcast_vector(y.ravel(), shape, 0),
        _broadcast_vector(z.ravel(), shape, 2),
    )


def _mesh_of_three_with_ij_indexing(x, y, z, *, indexing="ij"):
    shape = (x.size, y.size, z.size)
    return (
        _broadcast_vector(x.ravel(), shape, 0),
        _broadcast_vector(y.ravel(), shape, 1),
        _broadcast_vector(z.ravel(), shape, 2),
    )


_meshes = {
    (1, True): _mesh_of_one,
    (2, False): _mesh_of_two,
    (2, True): _mesh_of_two_with_ij_indexing,
    (3, False): _mesh_of_three,
    (3, True): _mesh_of_three_with_ij_indexing,
}


@implements("numpy.copyto")
def _choose_copyto_implementation(dst, src):
    return _copy_to if is_array(dst) else None


def _copy_to(dst, src):
    dst[...] = src


@implements("numpy.fill_diagonal")
def _choose_fill_diagonal_implementation(a, val, wrap=None):
    if not is_array(a) or a.ndim < 2:
        return None
    if a.ndim > 2:
        return (
            _fill_nd_diagonal
            if is_number_or_bool(val)
            else _fill_nd_diagonal_with_values
            if is_array(val)
            else None
        )
    return (
        _fill_diagonal
        if is_number_or_bool(val)
        else _fill_diagonal_with_values
        if is_array(val)
        else None
    )


def _fill_diagonal(a, val, wrap=False):
    rows, columns = a.shape
    for i in range(rows if wrap else min(rows, columns)):
        if i % (columns + 1) < columns:
            a[i, i % (columns + 1)] = val


def _fill_diagonal_with_values(a, val, wrap=False):
    rows, columns = a.shape
    values, k = val.ravel(), 0
    for i in range(rows if wrap else min(rows, columns)):
        if i % (columns + 1) < columns:
            a[i, i % (columns + 1)] = values[k % values.size]
            k += 1


@compiled
def _diagonal_index(i, shape):
    if len(shape) == 0:
        return ()
    return (i, *_diagonal_index(i, shape[1:]))


@compiled
def _require_equal_extents(shape):
    for i in range(len(shape)):
        if shape[i] != shape[0]:
            raise ValueError("all dimensions of the array must be of equal length")
    return shape[0]


def _fill_nd_diagonal(a, val, wrap=False):
    for i in range(_require_equal_extents(a.shape)):
        a[_diagonal_index(i, a.shape)] = val


def _fill_nd_diagonal_with_values(a, val, wrap=False):
    values = val.ravel()
    for i in range(_require_equal_extents(a.shape)):
        a[_diagonal_index(i, a.shape)] = values[i % values.size]


@implements("numpy.resize")
def _choose_resize_implementation(a, new_shape):
    if isinstance(a, types.BaseTuple) or getattr(a, "kind", "") == "list":
        return lambda a, new_shape: np.resize(np.array(a), new_shape)
    return _resize if is_array(a) or is_number_or_bool(a) else None


def _resize(a, new_shape):
    out, source = np.empty(new_shape, np.asarray(a).dtype), np.asarray(a).ravel()
    flat = out.reshape(out.size)
    for i in range(flat.size):
        flat[i] = source[i % source.size] if source.size > 0 else 0
    return out


@implements("numpy.take_along_axis")
def _choose_take_along_axis_implementation(arr, indices, axis):
    if not is_array(arr) or not is_array(indices):
        return None
    if is_absent_or_none(axis):
        return lambda arr, indices, axis: arr.ravel()[indices]
    return _take_along_axis if arr.ndim == indices.ndim and is_integer_or_bool(axis) else None


def _take_along_axis(arr, indices, axis):
    place = normalize_axis(axis, arr.ndim)
    for i in range(arr.ndim):
        if i != place and arr.shape[i] != indices.shape[i]:
            if arr.shape[i] == 1 or indices.shape[i] == 1:
                shape = find_broadcast_shape_of_two(
                    replace_extent(arr.shape, place, 1), replace_extent(indices.shape, place, 1)
                )
                wide = np.broadcast_to(arr, replace_extent(shape, place, arr.shape[place]))
                wide_indices = np.broadcast_to(
                    indices, replace_extent(shape, place, indices.shape[place])
                )
                return _take_along_axis_of_same_shape(wide.copy(), wide_indices.copy(), place)
            raise ValueError("dimensions don't match")
    return _take_along_axis_of_same_shape(arr, indices, place)


@compiled
def _take_along_axis_of_same_shape(arr, indices, place):
    parts, places = (
        to_contiguous_3d_around_axis(arr, place),
        to_contiguous_3d_around_axis(indices, place),
    )
    out = np.empty(places.shape, arr.dtype)
    for i in range(places.shape[0]):
        for k in range(places.shape[1]):
            for j in range(places.shape[2]):
                out[i, k, j] = parts[i, normalize_index(places[i, k, j], parts.shape[1]), j]
    return out.reshape(indices.shape)


make_builtins_accept_numbers("numpy.roll")

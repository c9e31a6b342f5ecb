"""Products of vectors and matrices other than dot."""

import functools

import numpy as np

from heddle.compiler.library_registry import (
    compiled,
    find_common_dtype,
    implements,
    is_array,
    is_number_or_bool,
)
from heddle.host_library.shapes import find_broadcast_shape_of_two


@implements("numpy.outer")
def _choose_outer_implementation(a, b, out=None):
    if is_array(out, 2):
        return _outer_into
    if out is not None:
        return None
    if is_array(a, 1) and is_array(b, 1):
        return _outer_product
    known = all(is_array(x) or is_number_or_bool(x) for x in (a, b))
    return (lambda a, b: np.outer(_as_vector(a), _as_vector(b))) if known else None


@compiled
def _as_vector(value):
    return value.ravel() if isinstance(value, np.ndarray) else np.array((value,))


def _outer_product(a, b):
    return a[:, None] * b[None, :]


def _outer_into(a, b, out):
    product = np.outer(a, b)
    if out.shape != product.shape:
        raise ValueError("np.outer: the output does not have the shape of the result")
    out[:] = product
    return out


@implements("numpy.vdot")
def _choose_vdot_implementation(a, b):
    return _vdot if is_array(a) and is_array(b) else None


def _vdot(a, b):
    if a.size != b.size:
        raise ValueError("incompatible array sizes for np.vdot(a, b)")
    return np.dot(np.conj(a.ravel()), b.ravel())


@implements("numpy.inner")
def _choose_inner_implementation(a, b):
    if is_array(a, 1) and is_array(b, 1):
        return lambda a, b: np.dot(a, b)
    return (lambda a, b: np.dot(a, b.T)) if is_array(a, 2) and is_array(b, 2) else None


@implements("numpy.kron")
def _choose_kron_implementation(a, b):
    if any(is_number_or_bool(x) or is_array(x, 0) for x in (a, b)):
        return lambda a, b: np.asarray(a) * np.asarray(b)
    if is_array(a, 1) and is_array(b, 1):
        return lambda a, b: np.outer(a, b).ravel()
    if is_array(a, 2) and is_array(b, 2):
        return _specialize_kron(find_common_dtype(a, b))
    known = all(is_array(x) and x.ndim in (1, 2) for x in (a, b))
    return (lambda a, b: np.kron(np.atleast_2d(a), np.atleast_2d(b))) if known else None


@functools.cache
def _specialize_kron(element):
    def kron(a, b):
        out = np.empty((a.shape[0], b.shape[0], a.shape[1], b.shape[1]), element)
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                out[i, :, j] = a[i, j] * b
        return out.reshape((a.shape[0] * b.shape[0], a.shape[1] * b.shape[1]))

    return kron


@implements("numpy.cross")
def _choose_cross_implementation(a, b):
    if is_array(a, 1) and is_array(b, 1):
        return _specialize_cross_of_vectors(find_common_dtype(a, b))
    vectors = all(is_array(x) and x.ndim > 0 for x in (a, b))
    return _specialize_cross_of_arrays(find_common_dtype(a, b)) if vectors else None


@functools.cache
def _specialize_cross_of_vectors(element):
    zero = element.type(0)

    def cross(a, b):
        if max(a.size, b.size) != 3 or min(a.size, b.size) < 2:
            raise ValueError("np.cross takes vectors of 3 elements, one of the two may have 2")
        a2 = a[2] if a.size == 3 else zero
        b2 = b[2] if b.size == 3 else zero
        out = np.empty(3, element)
        out[0] = a[1] * b2 - a2 * b[1]
        out[1] = a2 * b[0] - a[0] * b2
        out[2] = a[0] * b[1] - a[1] * b[0]
        return out

    return cross


@functools.cache
def _specialize_cross_of_arrays(element):
    def cross(a, b):
        shape = find_broadcast_shape_of_two(a.shape[:-1], b.shape[:-1])
        out = np.empty((*shape, 3), element)
        first = np.broadcast_to(a, (*shape, a.shape[-1]))
        second = np.broadcast_to(b, (*shape, b.shape[-1]))
        for index in np.ndindex(shape):
            out[index] = np.cross(first[index], second[index])
        return out

    return cross

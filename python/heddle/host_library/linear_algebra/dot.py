"""np.dot and @; floats and complex numbers use the BLAS that comes with NumPy, if there is one."""

import functools

import numpy as np

from heddle.compiler.library_registry import (
    compiled,
    find_common_dtype,
    get_element_dtype,
    implements,
    is_array,
)
from heddle.host_library.linear_algebra import lapack
from heddle.host_library.shapes import make_converting_copier


@implements("numpy.dot", "array.dot", "numpy.matmul")
def _choose_dot_implementation(a, b, out=None):
    if is_array(out):
        return _dot_into
    if out is not None or not (is_array(a) and is_array(b)):
        return None
    element = find_common_dtype(a, b)
    if lapack.has_routines(element) and lapack.is_library_found():
        makers = _by_blas
        orders = (_find_blas_order(a, element), _find_blas_order(b, element))
    else:
        makers, orders = _by_loops, ()
    make = makers.get((a.ndim, b.ndim))
    return make(element, *orders) if make else None


def _dot_into(a, b, out):
    product = np.dot(a, b)
    if out.shape != product.shape:
        raise ValueError("incompatible output array size for np.dot(a, b, out)")
    out[:] = product
    return out


@functools.cache
def _specialize_matrix_matrix_product(element):
    def dot(a, b):
        if a.shape[1] != b.shape[0]:
            raise ValueError("incompatible array sizes for np.dot(a, b)")
        out = np.zeros((a.shape[0], b.shape[1]), element)
        for i in range(a.shape[0]):
            for k in range(a.shape[1]):
                factor = a[i, k]
                for j in range(b.shape[1]):
                    out[i, j] += factor * b[k, j]
        return out

    return dot


@functools.cache
def _specialize_matrix_vector_product(element):
    def dot(a, b):
        if a.shape[1] != b.size:
            raise ValueError("incompatible array sizes for np.dot(a, b)")
        out = np.zeros(a.shape[0], element)
        for i in range(a.shape[0]):
            for k in range(b.size):
                out[i] += a[i, k] * b[k]
        return out

    return dot


@functools.cache
def _specialize_vector_matrix_product(element):
    def dot(a, b):
        if a.size != b.shape[0]:
            raise ValueError("incompatible array sizes for np.dot(a, b)")
        out = np.zeros(b.shape[1], element)
        for k in range(a.size):
            for j in range(b.shape[1]):
                out[j] += a[k] * b[k, j]
        return out

    return dot


_by_loops = {
    (1, 2): _specialize_vector_matrix_product,
    (2, 1): _specialize_matrix_vector_product,
    (2, 2): _specialize_matrix_matrix_product,
}


# The same with BLAS, which stores matrices by columns: to BLAS, an array in C order is the transposed matrix.


# For products of so few multiplications, a call takes longer than the loops.
_fewest_products = 64


def _find_blas_order(a, element):
    """How a matrix is passed to BLAS: as it is, in "C" or "F" order, or as a "copy" in C order."""
    return a.layout if get_element_dtype(a) == element and a.layout in "CF" else "copy"


@functools.cache
def _make_blas_argument_converter(element, order):
    if order == "copy":
        return make_converting_copier(element)
    return compiled(lambda a: a)


@functools.cache
def _specialize_blas_matrix_matrix_product(element, order_of_a, order_of_b):
    by_loops, gemm = (
        compiled(_specialize_matrix_matrix_product(element)),
        lapack.register_routine("gemm", element),
    )
    left, right = (
        _make_blas_argument_converter(element, order_of_a),
        _make_blas_argument_converter(element, order_of_b),
    )
    turn_a, turn_b = ("T" if order == "F" else "N" for order in (order_of_a, order_of_b))
    one, zero = element.type(1), element.type(0)

    def dot(a, b):
        (m, k), n = a.shape, b.shape[1]
        if k != b.shape[0] or m * n * k <= _fewest_products:
            return by_loops(a, b)
        out = np.empty((m, n), element)
        x, y = left(a), right(b)
        step_x, step_y = m if turn_a == "T" else k, k if turn_b == "T" else n
        lapack.call(gemm, turn_b, turn_a, n, m, k, one, y, step_y, x, step_x, zero, out, n)
        return out

    return dot


@functools.cache
def _specialize_blas_matrix_vector_product(element, order_of_a, order_of_b):
    by_loops, gemv = (
        compiled(_specialize_matrix_vector_product(element)),
        lapack.register_routine("gemv", element),
    )
    left, right = (
        _make_blas_argument_converter(element, order_of_a),
        _make_blas_argument_converter(element, order_of_b),
    )
    by_columns = order_of_a == "F"
    one, zero = element.type(1), element.type(0)

    def dot(a, b):
        m, k = a.shape
        if k != b.size or m * k <= _fewest_products:
            return by_loops(a, b)
        out = np.empty(m, element)
        x, y = left(a), right(b)
        if by_columns:
            lapack.call(gemv, "N", m, k, one, x, m, y, 1, zero, out, 1)
        else:
            lapack.call(gemv, "T", k, m, one, x, k, y, 1, zero, out, 1)
        return out

    return dot


@functools.cache
def _specialize_blas_vector_matrix_product(element, order_of_a, order_of_b):
    by_loops, gemv = (
        compiled(_specialize_vector_matrix_product(element)),
        lapack.register_routine("gemv", element),
    )
    left, right = (
        _make_blas_argument_converter(element, order_of_a),
        _make_blas_argument_converter(element, order_of_b),
    )
    by_columns = order_of_b == "F"
    one, zero = element.type(1), element.type(0)

    def dot(a, b):
        k, n = b.shape
        if k != a.size or n * k <= _fewest_products:
            return by_loops(a, b)
        out = np.empty(n, element)
        x, y = left(a), right(b)
        if by_columns:
            lapack.call(gemv, "T", k, n, one, y, k, x, 1, zero, out, 1)
        else:
            lapack.call(gemv, "N", n, k, one, y, n, x, 1, zero, out, 1)
        return out

    return dot


# The compiler has its own loop for two vectors, which is faster than a call.
_by_blas = {
    (1, 2): _specialize_blas_vector_matrix_product,
    (2, 1): _specialize_blas_matrix_vector_product,
    (2, 2): _specialize_blas_matrix_matrix_product,
}

"""Products of vectors and matrices."""

import functools

import numpy as np

from heddle.host_library.registry import implements, is_array, joint_dtype


@implements("numpy.dot", "array.dot", "numpy.matmul")
def _dot(a, b):
    shapes = {(1, 2): _vector_matrix, (2, 1): _matrix_vector, (2, 2): _matrix_matrix}
    if not (is_array(a) and is_array(b)) or (a.ndim, b.ndim) not in shapes:
        return None
    return shapes[a.ndim, b.ndim](joint_dtype(a, b))


@functools.cache
def _matrix_matrix(element):
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
def _matrix_vector(element):
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
def _vector_matrix(element):
    def dot(a, b):
        if a.size != b.shape[0]:
            raise ValueError("incompatible array sizes for np.dot(a, b)")
        out = np.zeros(b.shape[1], element)
        for k in range(a.size):
            for j in range(b.shape[1]):
                out[j] += a[k] * b[k, j]
        return out

    return dot


@implements("numpy.outer")
def _outer(a, b):
    return _outer_product if is_array(a, 1) and is_array(b, 1) else None


def _outer_product(a, b):
    return a[:, None] * b[None, :]

"""NumPy's functions for functions of the host that are written in Python, upon ``np.empty`` and ``np.zeros``.

``implementations`` has for a name ("numpy.cumsum", "array.copy") what chooses an implementation by the types of the
arguments. Where none is chosen, the compiler's own row of that name is called.
"""

import functools

import numpy as np

from heddle import _heddle, types
from heddle.compiler.dispatcher import Dispatcher

implementations = {}


class _Choices:
    """The functions that implement one name."""

    def __init__(self, name, choose):
        self.name = self.__name__ = name
        self._choose = choose

    def choose(self, arguments, named):
        try:
            function = self._choose(*arguments, **named)
        except TypeError:  # arguments that no implementation has
            return None
        return None if function is None else _compiled(function)


def implements(*names):
    """A decorator of a function that gets the types of the arguments and returns the implementation, or None."""

    def register(choose):
        for name in names:
            implementations[name] = _Choices(name, choose)
        return choose

    return register


@functools.cache
def _compiled(function):
    return Dispatcher(function, {"device": True})


def _is_array(value, ndim=None):
    return isinstance(value, types.Array) and (ndim is None or value.ndim == ndim)


def _elements_dtype(values):
    """The dtype of an array of the numbers of a tuple, which may be nested."""
    kinds = list(values.types)
    if all(isinstance(kind, types.BaseTuple) for kind in kinds):
        return np.result_type(*(_elements_dtype(kind) for kind in kinds))
    return np.result_type(*(_heddle.element_dtype(kind) for kind in kinds))


# Arrays of one value


@implements("numpy.ones")
def _ones(shape, dtype=None):
    if dtype is None:
        return _ones_of_float64
    return _ones_of_dtype


def _ones_of_float64(shape):
    out = np.empty(shape)
    out[...] = 1
    return out


def _ones_of_dtype(shape, dtype):
    out = np.empty(shape, dtype)
    out[...] = 1
    return out


@implements("numpy.full")
def _full(shape, fill_value, dtype=None):
    if dtype is None:
        return _full_of(_heddle.element_dtype(fill_value))
    return _full_of_dtype


@functools.cache
def _full_of(element):
    def full(shape, fill_value):
        out = np.empty(shape, element)
        out[...] = fill_value
        return out

    return full


def _full_of_dtype(shape, fill_value, dtype):
    out = np.empty(shape, dtype)
    out[...] = fill_value
    return out


@implements("numpy.empty_like")
def _empty_like(a, dtype=None):
    if not _is_array(a):
        return None
    return (lambda a: np.empty(a.shape, a.dtype)) if dtype is None else _empty_like_of_dtype


def _empty_like_of_dtype(a, dtype):
    return np.empty(a.shape, dtype)


@implements("numpy.zeros_like")
def _zeros_like(a, dtype=None):
    if not _is_array(a):
        return None
    return _zeros_like_itself if dtype is None else _zeros_like_of_dtype


def _zeros_like_itself(a):
    return np.zeros(a.shape, a.dtype)


def _zeros_like_of_dtype(a, dtype):
    return np.zeros(a.shape, dtype)


@implements("numpy.ones_like")
def _ones_like(a, dtype=None):
    if not _is_array(a):
        return None
    return _ones_like_itself if dtype is None else _ones_like_of_dtype


def _ones_like_itself(a):
    return np.ones(a.shape, a.dtype)


def _ones_like_of_dtype(a, dtype):
    return np.ones(a.shape, dtype)


@implements("numpy.full_like")
def _full_like(a, fill_value, dtype=None):
    if not _is_array(a):
        return None
    return _full_like_itself if dtype is None else _full_like_of_dtype


def _full_like_itself(a, fill_value):
    return np.full(a.shape, fill_value, a.dtype)


def _full_like_of_dtype(a, fill_value, dtype):
    return np.full(a.shape, fill_value, dtype)


# Sequences of numbers


@implements("numpy.arange")
def _arange(start, stop=None, step=None, dtype=None):
    given = [value for value in (start, stop, step) if value is not None]
    element = np.result_type(*(_heddle.element_dtype(value) for value in given))
    if dtype is not None:
        return _arange_of_dtype
    element = np.dtype(np.int64) if element.kind in "iub" else np.result_type(element, np.float64)
    return _arange_up_to(element) if len(given) == 1 else _arange_of(element)


@functools.cache
def _arange_up_to(element):
    def arange(start):
        return np.arange(0, start, 1, element)

    return arange


@functools.cache
def _arange_of(element):
    def arange(start, stop, step=1):
        return np.arange(start, stop, step, element)

    return arange


def _arange_of_dtype(start, stop=None, step=1, dtype=None):
    first = 0 if stop is None else start
    last = start if stop is None else stop
    if step == 0:
        raise ValueError("Maximum allowed size exceeded")
    out = np.empty(max(int(np.ceil((last - first) / step)), 0), dtype)
    for i in range(out.size):
        out[i] = first + i * step
    return out


@implements("numpy.linspace")
def _linspace(start, stop, num=None):
    return _linspace_of(
        np.dtype(np.complex128 if types.complex128 in (start, stop) else np.float64)
    )


@functools.cache
def _linspace_of(element):
    def linspace(start, stop, num=50):
        out = np.empty(num, element)
        step = (stop - start) / max(num - 1, 1)
        for i in range(num):
            out[i] = start + i * step
        if num > 1:
            out[num - 1] = stop
        return out

    return linspace


@implements("numpy.eye")
def _eye(N, M=None, k=None, dtype=None):
    return _eye_of_float64 if dtype is None else _eye_of_dtype


def _eye_of_float64(N, M=None, k=0):
    return np.eye(N, M, k, np.float64)


def _eye_of_dtype(N, M=None, k=0, dtype=np.float64):
    out = np.zeros((N, N if M is None else M), dtype)
    for i in range(max(0, -k), min(out.shape[0], out.shape[1] - k)):
        out[i, i + k] = 1
    return out


@implements("numpy.identity")
def _identity(n, dtype=None):
    return _identity_of_float64 if dtype is None else _identity_of_dtype


def _identity_of_float64(n):
    return np.eye(n, n, 0, np.float64)


def _identity_of_dtype(n, dtype):
    return np.eye(n, n, 0, dtype)


@implements("numpy.array", "numpy.asarray")
def _array(a, dtype=None):
    if _is_array(a):
        return _copied if dtype is None else _as_type
    if not isinstance(a, types.BaseTuple):
        return None
    rows = isinstance(a.types[0], types.BaseTuple)
    if dtype is not None:
        return _rows_of_dtype if rows else _numbers_of_dtype
    return (_rows_of if rows else _numbers_of)(_elements_dtype(a))


@functools.cache
def _numbers_of(element):
    def array(a):
        out = np.empty(len(a), element)
        out[:] = a
        return out

    return array


@functools.cache
def _rows_of(element):
    def array(a):
        out = np.empty((len(a), len(a[0])), element)
        for i, row in enumerate(a):
            out[i] = row
        return out

    return array


def _numbers_of_dtype(a, dtype):
    out = np.empty(len(a), dtype)
    out[:] = a
    return out


def _rows_of_dtype(a, dtype):
    out = np.empty((len(a), len(a[0])), dtype)
    for i, row in enumerate(a):
        out[i] = row
    return out


# Copies


@implements("array.copy", "numpy.copy")
def _copy(a):
    return _copied if _is_array(a) else None


def _copied(a):
    out = np.empty(a.shape, a.dtype)
    out[...] = a
    return out


@implements("array.astype")
def _astype(a, dtype):
    return _as_type if _is_array(a) else None


def _as_type(a, dtype):
    out = np.empty(a.shape, dtype)
    out[...] = a
    return out


@implements("array.flatten")
def _flatten(a):
    return _flattened if _is_array(a) else None


def _flattened(a):
    return a.copy().reshape(a.size)


@implements("array.ravel", "numpy.ravel")
def _ravel(a):
    return _flattened if _is_array(a) and a.layout != "C" else None


@implements("numpy.ascontiguousarray")
def _ascontiguousarray(a):
    return _copied if _is_array(a) and a.layout != "C" else None


@implements("array.reshape", "numpy.reshape")
def _reshape(a, *shape):
    if not _is_array(a) or a.layout == "C":
        return None
    if len(shape) == 1:
        return lambda a, shape: a.copy().reshape(shape)
    return lambda a, *shape: a.copy().reshape(shape)


@implements("numpy.concatenate")
def _concatenate(arrays, axis=None):
    if not isinstance(arrays, types.BaseTuple) or not all(
        _is_array(a, arrays.types[0].ndim) for a in arrays.types
    ):
        return None
    element = np.result_type(*(_heddle.element_dtype(a.dtype) for a in arrays.types))
    if arrays.types[0].ndim == 1:
        return _concatenated(element)
    return _concatenated_rows(element) if arrays.types[0].ndim == 2 else None


@functools.cache
def _concatenated(element):
    def concatenate(arrays, axis=0):
        size = 0
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
def _concatenated_rows(element):
    def concatenate(arrays, axis=0):
        total = 0
        along = axis if axis >= 0 else axis + 2
        for a in arrays:
            if a.shape[1 - along] != arrays[0].shape[1 - along]:
                raise ValueError(
                    "all the input array dimensions except for the concatenation axis must match exactly"
                )
            total += a.shape[along]
        other = arrays[0].shape[1 - along]
        out = np.empty((total, other) if along == 0 else (other, total), element)
        begin = 0
        for a in arrays:
            end = begin + a.shape[along]
            if along == 0:
                out[begin:end, :] = a
            else:
                out[:, begin:end] = a
            begin = end
        return out

    return concatenate


# Sums along the way


def _dtype_of_sum(a):
    element = _heddle.element_dtype(a.dtype)
    if element.kind in "b":
        return np.dtype(np.int64)
    return np.dtype(element.kind + "8") if element.kind in "iu" else element


@implements("array.cumsum", "numpy.cumsum")
def _cumsum(a):
    return _running_total(_dtype_of_sum(a), "sum") if _is_array(a) else None


@implements("array.cumprod", "numpy.cumprod")
def _cumprod(a):
    return _running_total(_dtype_of_sum(a), "product") if _is_array(a) else None


@functools.cache
def _running_total(element, what):
    first = element.type(0 if what == "sum" else 1)
    adds = what == "sum"

    def running_total(a):
        out = np.empty(a.size, element)
        total = first
        for i, v in enumerate(np.nditer(a)):
            if adds:
                total += v.item()
            else:
                total *= v.item()
            out[i] = total
        return out

    return running_total


@implements("numpy.diff")
def _diff(a):
    return _differences if _is_array(a, 1) else None


def _differences(a):
    return a[1:] - a[:-1]


# Reductions along an axis of arrays of two dimensions


def _of_float(a):
    return np.dtype(np.float64)


def _own_dtype(a):
    return _heddle.element_dtype(a.dtype)


@functools.cache
def _along_axis(total, element):
    total = _compiled(total)

    def reduced(a, axis):
        if axis < -2 or axis > 1:
            raise ValueError("axis is out of bounds for array of dimension 2")
        rows = a.T if axis in (0, -2) else a
        out = np.empty(rows.shape[0], element)
        for i in range(out.size):
            out[i] = total(rows[i])
        return out

    return reduced


def _reduces(name, total, dtype_of):
    """Implements np.name(a, axis) and a.name(axis): ``total`` reduces a row, to an element of ``dtype_of(a)``."""

    @implements(f"numpy.{name}", f"array.{name}")
    def choose(a, axis=None):
        if not _is_array(a, 2) or not isinstance(axis, types.Integer):
            return None
        return _along_axis(total, dtype_of(a))


_reduces("sum", lambda row: row.sum(), _dtype_of_sum)
_reduces("prod", lambda row: row.prod(), _dtype_of_sum)
_reduces("mean", lambda row: row.mean(), _of_float)
_reduces("std", lambda row: row.std(), _of_float)
_reduces("var", lambda row: row.var(), _of_float)
_reduces("min", lambda row: row.min(), _own_dtype)
_reduces("max", lambda row: row.max(), _own_dtype)


# Products


@implements("numpy.dot", "array.dot", "numpy.matmul")
def _dot(a, b):
    shapes = {(1, 2): _vector_matrix, (2, 1): _matrix_vector, (2, 2): _matrix_matrix}
    if not (_is_array(a) and _is_array(b)) or (a.ndim, b.ndim) not in shapes:
        return None
    return shapes[a.ndim, b.ndim](np.result_type(*(_heddle.element_dtype(x.dtype) for x in (a, b))))


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
    return _outer_product if _is_array(a, 1) and _is_array(b, 1) else None


def _outer_product(a, b):
    return a[:, None] * b[None, :]

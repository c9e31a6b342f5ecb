"""New arrays: from one value, from sequences of numbers, from the program's literals, and copies."""

import functools

import numpy as np

from heddle import _heddle, types
from heddle._heddle import fewest_shared
from heddle.compiler.intrinsics import find_intrinsic
from heddle.compiler.library_registry import (
    compiled,
    define_function_from_text,
    find_common_dtype,
    get_element_dtype,
    implements,
    is_absent_or_none,
    is_array,
    is_none,
    is_number_or_bool,
)
from heddle.host_library.lists import choose_list_converter, is_list

prange = find_intrinsic("heddle.prange")


def _find_elements_dtype(values):
    """The dtype of an array made from a tuple of numbers, which may contain tuples, lists and arrays."""
    return np.result_type(*map(_find_leaf_dtype, values.types))


def _find_leaf_dtype(part):
    if isinstance(part, types.BaseTuple):
        return _find_elements_dtype(part)
    return _find_leaf_dtype(part.dtype) if _is_list_or_array(part) else _heddle.element_dtype(part)


def _is_list_or_array(part):
    return is_list(part) or is_array(part)


# Arrays filled with one value


@implements("numpy.asfortranarray")
def _choose_asfortranarray_implementation(a):
    if is_number_or_bool(a):
        return lambda a: np.array((a,))
    if is_array(a, 0):
        return lambda a: a.reshape(1)
    return _fortran_copy if is_array(a) and a.ndim > 1 and a.layout != "F" else None


def _fortran_copy(a):
    out = np.empty(a.shape[::-1], a.dtype).T
    out[...] = a
    return out


@implements("numpy.imag")
def _choose_imag_implementation(val):
    return (
        (lambda val: np.zeros_like(val))
        if is_array(val) and get_element_dtype(val).kind in "biuf"
        else None
    )


@implements("numpy.ones")
def _choose_ones_implementation(shape, dtype=None):
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
def _choose_full_implementation(shape, fill_value, dtype=None):
    if dtype is None:
        return _specialize_full(_heddle.element_dtype(fill_value))
    return _full_of_dtype


@functools.cache
def _specialize_full(element):
    def full(shape, fill_value):
        out = np.empty(shape, element)
        out[...] = fill_value
        return out

    return full


def _full_of_dtype(shape, fill_value, dtype):
    out = np.empty(shape, dtype)
    out[...] = fill_value
    return out


def _is_number_or_record(a):
    """True if it is the type of the single element of a 0-dimensional array."""
    return is_number_or_bool(a) or isinstance(a, types.Record)


@implements("numpy.empty_like")
def _choose_empty_like_implementation(prototype, dtype=None):
    if _is_number_or_record(prototype):
        element = get_element_dtype(prototype)
        return (
            (lambda prototype: np.empty((), element))
            if dtype is None
            else lambda prototype, dtype: np.empty((), dtype)
        )
    if not is_array(prototype):
        return None
    if prototype.layout == "F" and prototype.ndim > 1:
        return _empty_fortran_like_of_same_dtype if dtype is None else _empty_fortran_like_of_dtype
    return (
        (lambda prototype: np.empty(prototype.shape, prototype.dtype))
        if dtype is None
        else _empty_like_of_dtype
    )


def _empty_like_of_dtype(prototype, dtype):
    return np.empty(prototype.shape, dtype)


def _empty_fortran_like_of_same_dtype(prototype):
    return np.empty(prototype.shape[::-1], prototype.dtype).T


def _empty_fortran_like_of_dtype(prototype, dtype):
    return np.empty(prototype.shape[::-1], dtype).T


@implements("numpy.zeros_like")
def _choose_zeros_like_implementation(a, dtype=None):
    if _is_number_or_record(a):
        element = get_element_dtype(a)
        return (
            (lambda a: np.zeros((), element))
            if dtype is None
            else lambda a, dtype: np.zeros((), dtype)
        )
    if not is_array(a):
        return None
    if a.layout == "F":
        return _zeros_fortran if dtype is None else _zeros_fortran_of_dtype
    return _zeros_like_of_same_dtype if dtype is None else _zeros_like_of_dtype


def _zeros_like_of_same_dtype(a):
    return np.zeros(a.shape, a.dtype)


def _zeros_like_of_dtype(a, dtype):
    return np.zeros(a.shape, dtype)


def _zeros_fortran(a):
    return np.zeros(a.shape[::-1], a.dtype).T


def _zeros_fortran_of_dtype(a, dtype):
    return np.zeros(a.shape[::-1], dtype).T


@implements("numpy.ones_like")
def _choose_ones_like_implementation(a, dtype=None):
    if _is_number_or_record(a):
        element = get_element_dtype(a)
        return (
            (lambda a: np.ones((), element))
            if dtype is None
            else lambda a, dtype: np.ones((), dtype)
        )
    if not is_array(a):
        return None
    return _ones_like_of_same_dtype if dtype is None else _ones_like_of_dtype


def _ones_like_of_same_dtype(a):
    out = np.empty_like(a)
    out[...] = 1
    return out


def _ones_like_of_dtype(a, dtype):
    out = np.empty_like(a, dtype)
    out[...] = 1
    return out


@implements("numpy.full_like")
def _choose_full_like_implementation(a, fill_value, dtype=None):
    if _is_number_or_record(a):
        return (
            _specialize_zero_dim_full(get_element_dtype(a))
            if dtype is None
            else _zero_dim_full_of_dtype
        )
    if not is_array(a):
        return None
    return _full_like_of_same_dtype if dtype is None else _full_like_of_dtype


@functools.cache
def _specialize_zero_dim_full(element):
    return lambda a, fill_value: np.full((), fill_value, element)


def _zero_dim_full_of_dtype(a, fill_value, dtype):
    return np.full((), fill_value, dtype)


def _full_like_of_same_dtype(a, fill_value):
    out = np.empty_like(a)
    out[...] = fill_value
    return out


def _full_like_of_dtype(a, fill_value, dtype):
    out = np.empty_like(a, dtype)
    out[...] = fill_value
    return out


# Sequences of numbers


@implements("numpy.arange")
def _choose_arange_implementation(start, stop=None, step=None, dtype=None):
    bounds = start, stop, step
    if any(is_none(value) for value in (*bounds, dtype)):
        names = ["start", "stop", "step", "dtype"]
        given = [
            name
            for name, value in zip(names, (*bounds, dtype), strict=True)
            if not is_absent_or_none(value)
        ]
        values = ", ".join(f"{name}={name}" if name != "start" else name for name in given)
        text = f"def applied(start, stop=None, step=None, dtype=None):\n    return np.arange({values})\n"
        return define_function_from_text(text, {"np": np})
    given = [value for value in bounds if value is not None]
    element = np.result_type(*(_heddle.element_dtype(value) for value in given))
    if dtype is not None:
        return _arange_of_dtype
    element = np.dtype(np.int64) if element.kind in "iub" else np.result_type(element, np.float64)
    return _specialize_arange_up_to(element) if stop is None else _specialize_arange(element)


@functools.cache
def _specialize_arange_up_to(element):
    def arange(start, stop=None, step=1):
        return np.arange(0, start, step, element)

    return arange


@functools.cache
def _specialize_arange(element):
    def arange(start, stop, step=1):
        return np.arange(start, stop, step, element)

    return arange


def _arange_of_dtype(start, stop=None, step=1, dtype=None):
    first = 0 if stop is None else start
    last = start if stop is None else stop
    if step == 0:
        raise ValueError("Maximum allowed size exceeded")
    out = np.empty(_ceil_step_count((last - first) / step), dtype)
    _fill_with_steps(out, first, step)
    return out


@compiled
def _fill_with_steps(out, first, step):
    if out.size < fewest_shared:
        for i in range(out.size):
            out[i] = first + i * step
    else:
        for i in prange(out.size):
            out[i] = first + i * step


@compiled
def _ceil_step_count(steps):
    """The length of a range with ``steps`` steps; for complex ``steps``, the smaller one of its two parts' lengths."""
    if isinstance(steps, complex):
        return max(int(min(np.ceil(steps.real), np.ceil(steps.imag))), 0)
    return max(int(np.ceil(steps)), 0)


@implements("numpy.linspace")
def _choose_linspace_implementation(start, stop, num=None):
    return _specialize_linspace(np.result_type(np.float64, find_common_dtype(start, stop)))


@functools.cache
def _specialize_linspace(element):
    def linspace(start, stop, num=50):
        out = np.empty(num, element)
        step = (stop - start) / max(num - 1, 1)
        _fill_with_steps(out, start, step)
        if num > 1:
            out[num - 1] = stop
        return out

    return linspace


@implements("numpy.eye")
def _choose_eye_implementation(N, M=None, k=None, dtype=None):
    return _eye_of_float64 if dtype is None else _eye_of_dtype


def _eye_of_float64(N, M=None, k=0):
    return np.eye(N, M, k, np.float64)


def _eye_of_dtype(N, M=None, k=0, dtype=np.float64):
    out = np.zeros((N, N if M is None else M), dtype)
    for i in range(max(0, -k), min(out.shape[0], out.shape[1] - k)):
        out[i, i + k] = 1
    return out


@implements("numpy.identity")
def _choose_identity_implementation(n, dtype=None):
    return _identity_of_float64 if dtype is None else _identity_of_dtype


def _identity_of_float64(n):
    return np.eye(n, n, 0, np.float64)


def _identity_of_dtype(n, dtype):
    return np.eye(n, n, 0, dtype)


@implements("numpy.asarray")
def _choose_asarray_implementation(a, dtype=None):
    if not is_array(a):
        return _choose_array_implementation(a, dtype)
    return None if dtype is None else _convert_if_needed


def _convert_if_needed(a, dtype):
    return np.asarray(a) if a.dtype == np.dtype(dtype) else a.astype(dtype)


@implements("numpy.array")
def _choose_array_implementation(a, dtype=None):
    if is_array(a):
        return _copy_in_c_order if dtype is None else _convert_array
    if is_list(a) and isinstance(a.dtype, types.BaseTuple):
        shape = _find_nested_shape(a.dtype)
        return shape and _make_converter_of_list_of_tuples(
            _find_elements_dtype(a.dtype) if dtype is None else None, shape
        )
    if is_list(a):
        return choose_list_converter(a, dtype)
    if isinstance(a, (types.Number, types.Boolean)):
        return _zero_dim_array if dtype is None else _zero_dim_array_of_dtype
    if not isinstance(a, types.BaseTuple):
        return None
    if 0 in (_find_nested_shape(a) or ()):
        return _make_empty_array_function(_find_nested_shape(a))
    if any(map(_is_list_or_array, a.types)):
        return (
            _make_converter_of_tuple_of_parts(_find_elements_dtype(a))
            if dtype is None
            else _array_of_parts_of_dtype
        )
    rows = isinstance(a.types[0], types.BaseTuple)
    nested = rows and isinstance(a.types[0].types[0], types.BaseTuple)
    if dtype is not None and nested:
        return lambda a, dtype: np.array(a).astype(dtype)
    if dtype is not None:
        return _array_of_rows_of_dtype if rows else _array_of_numbers_of_dtype
    return (
        _make_converter_of_tuple_of_rows(_find_elements_dtype(a), nested)
        if rows
        else _make_converter_of_tuple_of_numbers(_find_elements_dtype(a))
    )


def _find_nested_shape(part):
    """The shape of an array made from a number or a nested tuple of numbers; None for other tuples."""
    if not isinstance(part, types.BaseTuple):
        return () if is_number_or_bool(part) else None
    shapes = {_find_nested_shape(item) for item in part.types} or {()}
    return None if len(shapes) != 1 or None in shapes else (len(part.types), *shapes.pop())


@functools.cache
def _make_converter_of_list_of_tuples(element, shape):
    """The function that makes an array from a list of tuples. element: None if the call passes a dtype."""

    def convert_list_of_tuples(a, dtype=None):
        out = np.empty((len(a), *shape), dtype if element is None else element)
        for i, row in enumerate(a):
            out[i] = np.array(row)
        return out

    return convert_list_of_tuples


@functools.cache
def _make_empty_array_function(shape):
    return lambda a, dtype=np.float64: np.empty(shape, dtype)


def _zero_dim_array(a):
    return np.full((), a)


def _zero_dim_array_of_dtype(a, dtype):
    return np.full((), a, dtype)


@functools.cache
def _make_converter_of_tuple_of_numbers(element):
    def convert_tuple_of_numbers(a):
        out = np.empty(len(a), element)
        out[:] = a
        return out

    return convert_tuple_of_numbers


@functools.cache
def _make_converter_of_tuple_of_rows(element, nested):
    """The function that makes an array from a tuple of rows. nested: whether the rows consist of rows themselves."""

    def convert_tuple_of_rows(a):
        out = np.empty((len(a), len(a[0])), element)
        for i, row in enumerate(a):
            out[i] = row
        return out

    def make_array_of_rows(a):
        out = np.empty((len(a), *np.array(a[0]).shape), element)
        for i, rows in enumerate(a):
            out[i] = np.array(rows)
        return out

    return make_array_of_rows if nested else convert_tuple_of_rows


@functools.cache
def _make_converter_of_tuple_of_parts(element):
    def convert_tuple_of_parts(a):
        first = np.array(a[0])
        out = np.empty((len(a), *first.shape), element)
        for i, row in enumerate(a):
            part = np.array(row)
            if part.shape != first.shape:
                raise ValueError("the parts that an array is made of have different shapes")
            out[i] = part
        return out

    return convert_tuple_of_parts


def _array_of_parts_of_dtype(a, dtype):
    return np.array(a).astype(dtype)


def _array_of_numbers_of_dtype(a, dtype):
    out = np.empty(len(a), dtype)
    out[:] = a
    return out


def _array_of_rows_of_dtype(a, dtype):
    out = np.empty((len(a), len(a[0])), dtype)
    for i, row in enumerate(a):
        out[i] = row
    return out


# Copies


@implements("numpy.copy")
def _choose_numpy_copy_implementation(a):
    if is_array(a) and a.layout == "F":
        return _copy_in_same_order
    return _choose_copy_implementation(a)


def _copy_in_same_order(a):
    out = np.empty_like(a)
    out[...] = a
    return out


@implements("array.copy")
def _choose_copy_implementation(a):
    if is_number_or_bool(a):
        return _zero_dim_array
    return _copy_in_c_order if is_array(a) else None


def _copy_in_c_order(a):
    out = np.empty(a.shape, a.dtype)
    out[...] = a
    return out


@implements("array.astype")
def _choose_astype_implementation(a, dtype):
    return _convert_array if is_array(a) else None


def _convert_array(a, dtype):
    out = np.empty_like(a, dtype)
    out[...] = a
    return out


@implements("array.flatten")
def _choose_flatten_implementation(a):
    return _copy_flattened if is_array(a) else None


def _copy_flattened(a):
    return a.copy().reshape(a.size)


@implements("array.ravel", "numpy.ravel")
def _choose_ravel_implementation(a):
    return _copy_flattened if is_array(a) and a.layout != "C" else None


@implements("numpy.ascontiguousarray")
def _choose_ascontiguousarray_implementation(a):
    if is_number_or_bool(a):
        return lambda a: np.array((a,))
    if is_array(a, 0):
        return lambda a: a.reshape(1)
    return _copy_in_c_order if is_array(a) and a.layout != "C" else None


@implements("array.reshape", "numpy.reshape")
def _choose_reshape_implementation(a, *shape):
    if not is_array(a) or a.layout == "C":
        return None
    if len(shape) == 1:
        return lambda a, shape: a.copy().reshape(shape)
    return lambda a, *shape: a.copy().reshape(shape)


@implements("numpy.logspace")
def _choose_logspace_implementation(start, stop, num=None):
    return lambda start, stop, num=50: 10.0 ** np.linspace(start, stop, num)


@implements("numpy.geomspace")
def _choose_geomspace_implementation(start, stop, num=None):
    if not (is_number_or_bool(start) and is_number_or_bool(stop)):
        return None
    return _geomspace_complex if find_common_dtype(start, stop).kind == "c" else _geomspace


def _geomspace(start, stop, num=50):
    if start == 0 or stop == 0:
        raise ValueError("Geometric sequence cannot include zero")
    sign = -1.0 if start < 0 and stop < 0 else 1.0
    out = sign * 10.0 ** np.linspace(np.log10(sign * start), np.log10(sign * stop), num)
    if num > 0:
        out[0] = start
    if num > 1:
        out[num - 1] = stop
    return out


def _geomspace_complex(start, stop, num=50):
    """A spiral around 0 from ``start`` to ``stop``, computed with ``start`` rotated to the positive real axis."""
    first, last = np.complex128(start), np.complex128(stop)
    if first == 0 or last == 0:
        raise ValueError("Geometric sequence cannot include zero")
    size = abs(first)
    sign = first / size
    ratio = last / sign
    end = complex(np.log10(abs(ratio)), np.angle(ratio) / np.log(10.0))
    out = 10.0 ** np.linspace(complex(np.log10(size), 0.0), end, num) * sign
    if num > 0:
        out[0] = first
    if num > 1:
        out[num - 1] = last
    return out


@implements("numpy.indices")
def _choose_indices_implementation(dimensions):
    return _index_grid if isinstance(dimensions, types.BaseTuple) else None


def _index_grid(dimensions):
    out = np.empty((len(dimensions), *dimensions), np.int64)
    flat = out.reshape((len(dimensions), out.size // max(len(dimensions), 1)))
    for k, index in enumerate(np.ndindex(dimensions)):
        for axis in range(len(dimensions)):
            flat[axis, k] = index[axis]
    return out


@implements("numpy.asarray_chkfinite")
def _choose_asarray_chkfinite_implementation(a, dtype=None):
    if dtype is not None:
        return lambda a, dtype: np.asarray_chkfinite(np.asarray(a, dtype))
    return _check_finite if is_array(a) else None


def _check_finite(a):
    for v in np.nditer(a):
        if not np.isfinite(v.item()):
            raise ValueError("array must not contain infs or NaNs")
    return a

"""Rounding, clipping and approximate comparison of numbers and arrays; comparison of string arrays."""

import numpy as np

from heddle.compiler.library_registry import (
    compiled,
    find_common_dtype,
    get_element_dtype,
    implements,
    is_absent_or_none,
    is_array,
    is_bytes,
    is_number_or_bool,
    is_text_array,
)
from heddle.host_library.shapes import find_broadcast_shape_of_two


def _choose_clip_without_out_implementation(a, a_min=None, a_max=None, out=None):
    if not is_absent_or_none(out):
        return None
    keeps = _clips_without_conversion(a, a_min) and _clips_without_conversion(a, a_max)
    if is_absent_or_none(a_min):
        return _clip_above
    if is_absent_or_none(a_max):
        return _clip_below
    return _clip if keeps else _clip_and_convert


def _clips_without_conversion(a, bound):
    """True if clipping to ``bound`` gives elements of the array's own type, so that none has to be converted."""
    wide = (np.dtype(np.float64), np.dtype(np.int64))
    return (
        get_element_dtype(a) in wide
        and is_number_or_bool(bound)
        and find_common_dtype(a, bound) == get_element_dtype(a)
    )


@implements("numpy.clip", "array.clip")
def _choose_clip_implementation(a, a_min=None, a_max=None, out=None):
    if not (is_array(a) or is_number_or_bool(a)):
        return None
    if is_absent_or_none(a_min) and is_absent_or_none(a_max):
        return _refuse_clip_without_bounds
    if is_array(a) and is_array(out):
        return _clip_into_out
    return _choose_clip_without_out_implementation(a, a_min, a_max, out)


def _clip_into_out(a, a_min, a_max, out):
    out[...] = np.clip(a, a_min, a_max)
    return out


@compiled
def _cast_to_dtype_of(a, values):
    return values.astype(a.dtype) if isinstance(a, np.ndarray) else values


def _clip_and_convert(a, a_min, a_max, out=None):
    return _cast_to_dtype_of(a, np.minimum(np.maximum(a, a_min), a_max))


def _clip(a, a_min, a_max, out=None):
    return np.minimum(np.maximum(a, a_min), a_max)


def _refuse_clip_without_bounds(a, a_min=None, a_max=None, out=None):
    raise ValueError("array_clip: must set either max or min")


def _clip_above(a, a_min, a_max, out=None):
    return _cast_to_dtype_of(a, np.minimum(a, a_max))


def _clip_below(a, a_min, a_max=None, out=None):
    return _cast_to_dtype_of(a, np.maximum(a, a_min))


@implements("numpy.round", "numpy.around", "array.round")
def _choose_round_implementation(a, decimals=None, out=None):
    if not is_absent_or_none(out):
        return _round_into if is_array(a) and is_array(out) else None
    if not (is_array(a) or is_number_or_bool(a)) or get_element_dtype(a).kind not in "iufc":
        return None
    if get_element_dtype(a).kind in "iu":
        return _round_integers if is_array(a) else _round_integer
    if get_element_dtype(a).kind == "c":
        return _round_complex_array if is_array(a) else _round_complex_number
    return _round_to_integers if is_absent_or_none(decimals) else _round_to_decimals


def _round_into(a, decimals, out):
    out[:] = np.round(a, decimals)
    return out


def _round_integers(a, decimals=0):
    if decimals >= 0:
        return np.positive(a)
    scale = 10.0**-decimals
    return np.multiply(np.rint(a / scale), scale).astype(a.dtype)


def _round_integer(a, decimals=0):
    if decimals >= 0:
        return a
    scale = 10.0**-decimals
    return type(a)(np.rint(a / scale) * scale)


def _round_complex_number(a, decimals=0):
    return type(a)(complex(np.round(a.real, decimals), np.round(a.imag, decimals)))


def _round_complex_array(a, decimals=0):
    out = np.empty(a.shape, a.dtype)
    for index in np.ndindex(a.shape):
        out[index] = np.round(a[index], decimals)
    return out


def _round_to_integers(a):
    return np.rint(a)


@compiled
def _power_of_ten(a, decimals):
    if isinstance(a, np.ndarray):
        return a.dtype.type(10.0**decimals)
    return type(a)(10.0**decimals)


def _round_to_decimals(a, decimals):
    # A float of the operand's type, so that the result has that type too.
    scale = _power_of_ten(a, abs(decimals))
    if decimals >= 0:
        return np.rint(a * scale) / scale
    return np.rint(a / scale) * scale


@implements("numpy.isclose")
def _choose_isclose_implementation(a, b, rtol=None, atol=None, equal_nan=None):
    return _are_close if all(is_array(x) or is_number_or_bool(x) for x in (a, b)) else None


def _are_close(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    near = np.isfinite(b) & (np.absolute(a - b) <= atol + rtol * np.absolute(b))
    both_nan = np.logical_and(equal_nan, np.isnan(a) & np.isnan(b))
    return near | (a == b) | both_nan


@implements("numpy.allclose")
def _choose_allclose_implementation(a, b, rtol=None, atol=None, equal_nan=None):
    return _all_close if all(is_array(x) or is_number_or_bool(x) for x in (a, b)) else None


def _all_close(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    return bool(np.all(np.isclose(a, b, rtol, atol, equal_nan)))


# Arrays of strings


@compiled
def order_text_and_bytes(text, data):
    """A number less than, equal to or greater than 0, as a fixed-length text is less than, equal to or greater than a
    bytes object, which ends before its trailing zeros."""
    size = len(data)
    while size > 0 and data[size - 1] == 0:
        size -= 1
    for i in range(min(len(text), size)):
        if text[i] != data[i]:
            return 1 if text[i] > data[i] else -1
    return len(text) - size


def _implement_text_comparison(name, compare):
    compare = compiled(compare)

    def compare_arrays(a, b):
        out = np.empty(find_broadcast_shape_of_two(a.shape, b.shape), np.bool_)
        all_a, all_b = np.broadcast_to(a, out.shape), np.broadcast_to(b, out.shape)
        for index in np.ndindex(out.shape):
            out[index] = compare(all_a[index], all_b[index])
        return out

    def compare_array_with_text(a, b):
        out = np.empty(a.shape, np.bool_)
        for index in np.ndindex(a.shape):
            out[index] = compare(a[index], b)
        return out

    def compare_text_with_array(a, b):
        out = np.empty(b.shape, np.bool_)
        for index in np.ndindex(b.shape):
            out[index] = compare(a, b[index])
        return out

    def compare_array_with_bytes(a, b):
        out = np.empty(a.shape, np.bool_)
        for index in np.ndindex(a.shape):
            out[index] = compare(order_text_and_bytes(a[index], b), 0)
        return out

    def compare_bytes_with_array(a, b):
        out = np.empty(b.shape, np.bool_)
        for index in np.ndindex(b.shape):
            out[index] = compare(0, order_text_and_bytes(b[index], a))
        return out

    @implements(f"text_array.{name}")
    def choose_implementation(a, b):
        if is_text_array(a) and is_text_array(b):
            return compare_arrays
        if is_bytes(a) or is_bytes(b):
            return compare_bytes_with_array if is_bytes(a) else compare_array_with_bytes
        return compare_array_with_text if is_text_array(a) else compare_text_with_array


_implement_text_comparison("equals", lambda a, b: a == b)
_implement_text_comparison("differs", lambda a, b: a != b)
_implement_text_comparison("less", lambda a, b: a < b)
_implement_text_comparison("less_equal", lambda a, b: a <= b)
_implement_text_comparison("greater", lambda a, b: a > b)
_implement_text_comparison("greater_equal", lambda a, b: a >= b)

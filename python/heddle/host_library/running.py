"""Running totals and differences."""

import functools

import numpy as np

from heddle import types
from heddle.compiler.library_registry import (
    compiled,
    find_common_dtype,
    find_sum_dtype,
    implements,
    is_absent_or_none,
    is_array,
    is_number_or_bool,
    make_builtins_accept_numbers,
)
from heddle.host_library.shapes import (
    make_converting_copier,
    normalize_axis,
    to_contiguous_3d_around_axis,
)

_running = {
    "cumsum": lambda a, axis=None: a.cumsum(axis),
    "cumprod": lambda a, axis=None: a.cumprod(axis),
}


def _implement_cumulative_reduction(name, what, skips_nan=False):
    """Implements np.name(a, axis) and a.name(axis)."""

    def convert_and_accumulate(a, axis, dtype):
        return along(a.astype(dtype), axis).astype(dtype)

    def convert_and_accumulate_flat(a, axis=None, dtype=None):
        return along(a.astype(dtype)).astype(dtype)

    along = compiled(_running[name]) if name in _running else None

    def choose_implementation(a, axis=None, dtype=None):
        if not is_array(a):
            return None
        if dtype is not None:
            if along is None:
                return None
            return (
                convert_and_accumulate_flat if is_absent_or_none(axis) else convert_and_accumulate
            )
        if is_absent_or_none(axis):
            return _make_flat_cumulative_reduction(find_sum_dtype(a), what, skips_nan)
        if not isinstance(axis, types.Integer):
            return None
        return _make_cumulative_reduction_along_axis(find_sum_dtype(a), what, skips_nan)

    implements(f"numpy.{name}", *([] if skips_nan else [f"array.{name}"]))(choose_implementation)


@functools.cache
def _make_flat_cumulative_reduction(element, what, skips_nan):
    first = element.type(0 if what == "sum" else 1)
    adds = what == "sum"

    def accumulate_flat(a, axis=None):
        out = np.empty(a.size, element)
        total = first
        for i, item in enumerate(np.nditer(a)):
            v = item.item()
            if not skips_nan or v == v:
                if adds:
                    total += v
                else:
                    total *= v
            out[i] = total
        return out

    return accumulate_flat


@functools.cache
def _make_cumulative_reduction_along_axis(element, what, skips_nan):
    first = element.type(0 if what == "sum" else 1)
    adds = what == "sum"

    def accumulate_along_axis(a, axis):
        place = normalize_axis(axis, a.ndim)
        source = to_contiguous_3d_around_axis(a, place)
        out = np.empty(a.shape, element)
        totals = to_contiguous_3d_around_axis(out, place)
        for i in range(source.shape[0]):
            for j in range(source.shape[1]):
                for k in range(source.shape[2]):
                    before = totals[i, j - 1, k] if j > 0 else first
                    v = source[i, j, k]
                    if skips_nan and v != v:
                        totals[i, j, k] = before
                    else:
                        totals[i, j, k] = before + v if adds else before * v
        return out

    return accumulate_along_axis


_implement_cumulative_reduction("cumsum", "sum")
_implement_cumulative_reduction("cumprod", "product")
_implement_cumulative_reduction("nancumsum", "sum", skips_nan=True)
_implement_cumulative_reduction("nancumprod", "product", skips_nan=True)


@implements("array.conj", "array.conjugate")
def _choose_conj_implementation(a):
    return (lambda a: np.conj(a)) if is_array(a) else None


@implements("numpy.diff")
def _choose_diff_implementation(a, n=None, axis=None):
    if not is_array(a) or a.ndim == 0 or not is_absent_or_none(axis):
        return None
    return _diff if is_absent_or_none(n) else _diff_repeatedly


def _diff(a):
    if a.dtype == np.bool_:
        return a[..., 1:] != a[..., :-1]
    return a[..., 1:] - a[..., :-1]


def _diff_repeatedly(a, n):
    if n < 0:
        raise ValueError("order must be non-negative")
    out = a.copy()
    for _ in range(n):
        out = np.diff(out)
    return out


@implements("numpy.ediff1d")
def _choose_ediff1d_implementation(ary, to_end=None, to_begin=None):
    if not is_array(ary) or not all(
        is_absent_or_none(x) or is_array(x) or is_number_or_bool(x) for x in (to_end, to_begin)
    ):
        return None
    return _ediff1d


@compiled
def _as_vector(value):
    return value.ravel() if isinstance(value, np.ndarray) else np.array((value,))


def _ediff1d(ary, to_end=None, to_begin=None):
    out = np.diff(ary.ravel())
    if to_begin is not None:
        out = np.append(_as_vector(to_begin).astype(ary.dtype), out)
    if to_end is not None:
        out = np.append(out, _as_vector(to_end).astype(ary.dtype))
    return out


@implements("numpy.gradient")
def _choose_gradient_implementation(f, h=None):
    return _gradient if is_array(f, 1) and (is_absent_or_none(h) or is_number_or_bool(h)) else None


def _gradient(f, h=1.0):
    n = f.size
    if n < 2:
        raise ValueError(
            "Shape of array too small to calculate a numerical gradient, at least 2 elements are required."
        )
    f = np.asarray(f, np.float64)  # differences of unsigned integers may be negative
    out = np.empty(n, np.float64)
    out[0] = (f[1] - f[0]) / h
    for i in range(1, n - 1):
        out[i] = (f[i + 1] - f[i - 1]) / (2.0 * h)
    out[n - 1] = (f[n - 1] - f[n - 2]) / h
    return out


@implements("numpy.trapezoid", "numpy.trapz")
def _choose_trapezoid_implementation(y, x=None, dx=None):
    if is_array(y, 2) and is_array(x, 2):
        return _integrate_rows_over_rows_of_positions
    if is_array(y, 2) and (is_absent_or_none(x) or is_array(x, 1)):
        return _integrate_rows_by_trapezoids
    return (
        _integrate_by_trapezoids
        if is_array(y, 1) and (is_absent_or_none(x) or is_array(x, 1))
        else None
    )


def _integrate_by_trapezoids(y, x=None, dx=1.0):
    if x is not None and x.size != y.size:
        raise ValueError("operands could not be broadcast together")
    total = 0.0
    for i in range(1, y.size):
        width = dx if x is None else x[i] - x[i - 1]
        total += width * (y[i] + y[i - 1]) / 2.0
    return total


def _integrate_rows_by_trapezoids(y, x=None, dx=1.0):
    out = np.empty(y.shape[0], np.float64)
    for i in range(y.shape[0]):
        out[i] = np.trapezoid(y[i], x, dx)
    return out


def _integrate_rows_over_rows_of_positions(y, x, dx=1.0):
    if x.shape != y.shape:
        raise ValueError("operands could not be broadcast together")
    out = np.empty(y.shape[0], np.float64)
    for i in range(y.shape[0]):
        out[i] = np.trapezoid(y[i], x[i])
    return out


@implements("numpy.unwrap")
def _choose_unwrap_implementation(p, discont=None, axis=None, period=None):
    if not is_array(p) or p.ndim == 0:
        return None
    return _specialize_unwrap(
        find_common_dtype(p, types.float64 if is_absent_or_none(period) else period)
    )


@functools.cache
def _specialize_unwrap(element):
    whole, copied = element.kind in "biu", make_converting_copier(element)

    def unwrap(p, discont=None, axis=-1, period=6.283185307179586):
        if axis != -1:
            raise ValueError('Value for argument "axis" is not supported')
        half = period // 2 if whole else period / 2
        limit = period / 2 if discont is None else max(discont, period / 2)
        out = copied(p)
        rows = (
            to_contiguous_3d_around_axis(out, p.ndim - 1).reshape((-1, p.shape[-1]))
            if p.size
            else out.reshape((0, 1))
        )
        for row in rows:
            shift, before = element.type(0), row[0]
            for i in range(1, row.size):
                step = row[i] - before
                before = row[i]
                turned = (step + half) % period - half
                if turned == -half and step > 0 and half * 2 == period:
                    turned = half
                if abs(step) >= limit:
                    shift += turned - step
                row[i] += shift
        return out

    return unwrap


make_builtins_accept_numbers("numpy.cumsum", "numpy.cumprod")

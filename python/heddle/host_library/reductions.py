"""Reductions along an axis. Reductions of all elements are rows of the compiler."""

import functools

import numpy as np

from heddle import types
from heddle.compiler.library_registry import (
    compiled,
    define_function_from_text,
    find_common_float_dtype,
    find_sum_dtype,
    get_element_dtype,
    implements,
    is_array,
    is_date_or_timedelta,
    is_integer_or_bool,
    make_builtins_accept_numbers,
)
from heddle.host_library.shapes import (
    normalize_axis,
    remove_dimension,
    to_contiguous_3d_around_axis,
)


@functools.cache
def _make_axis_reduction(total, reduce_columns, element):
    """Makes the reduction along an axis: by ``total`` for contiguous rows, otherwise by ``reduce_columns``, which
    handles many rows at once."""
    total, reduce_columns = compiled(total), compiled(reduce_columns)

    def reduce_along(a, axis):
        place = normalize_axis(axis, a.ndim)
        parts = to_contiguous_3d_around_axis(a, place)
        out = np.empty((parts.shape[0], parts.shape[2]), element)
        if parts.shape[2] == 1:
            rows = parts.reshape(parts.shape[:2])
            for i in range(rows.shape[0]):
                out[i, 0] = total(rows[i])
        else:
            for i in range(parts.shape[0]):
                reduce_columns(parts[i], out[i])
        return out.reshape(remove_dimension(a.shape, place))

    return reduce_along


@functools.cache
def _make_vector_reduction(total):
    total = compiled(total)

    def reduce_along(a, axis):
        normalize_axis(axis, 1)
        return total(a)

    return reduce_along


# Along several axes


@compiled
def _normalize_axes(axes, ndim):
    if len(axes) == 0:
        return ()
    return (normalize_axis(axes[0], ndim), *_normalize_axes(axes[1:], ndim))


@compiled
def _find_largest_axis(places):
    if len(places) == 1:
        return places[0]
    return max(places[0], _find_largest_axis(places[1:]))


@compiled
def _remove_axis(places, gone):
    """The axes without ``gone``, which is among them. Raises ValueError if it appears twice."""
    if len(places) == 1:
        return ()
    if places[0] == gone:
        return _check_not_repeated(places[1:], gone)
    return (places[0], *_remove_axis(places[1:], gone))


@compiled
def _check_not_repeated(places, gone):
    if len(places) == 0:
        return ()
    if places[0] == gone:
        raise ValueError("duplicate value in 'axis'")
    return (places[0], *_check_not_repeated(places[1:], gone))


@compiled
def _sum_over_axes(a, places):
    if len(places) == 0:
        return a
    last = _find_largest_axis(places)
    return _sum_over_axes(a.sum(last), _remove_axis(places, last))


def _sum_over_some_axes(a, axis):
    return _sum_over_axes(a, _normalize_axes(axis, a.ndim)).copy()


def _sum_over_all_axes(a, axis):
    return _sum_over_axes(a, _normalize_axes(axis, a.ndim))


def _refuse_too_many_axes(a, axis):
    """Raises the error for too many axes: one is out of bounds or appears twice."""
    _normalize_axes(axis, a.ndim)
    raise ValueError("duplicate value in 'axis'")


def _choose_sum_over_axes_implementation(ndim, count):
    if count > ndim:
        return _refuse_too_many_axes
    return _sum_over_all_axes if count == ndim else _sum_over_some_axes


_along = {
    "sum": lambda a, axis: a.sum(axis),
    "prod": lambda a, axis: a.prod(axis),
    "mean": lambda a, axis: a.mean(axis),
}


def _implement_reduction(name, element, total, reduce_columns, *others):
    """Implements np.name(a, axis) and a.name(axis). element: a function from the array type to the result's dtype.
    total: reduces one row. reduce_columns(rows, out): the same along the first of two dimensions."""

    def convert_and_reduce(a, axis, dtype):
        return total_along(a.astype(dtype), axis).astype(dtype)

    def reduce_as_type(a, axis, dtype):
        normalize_axis(axis, 1)
        return dtype(total_along(a.astype(dtype), axis))

    total_along = compiled(_along[name]) if name in _along else None

    @implements(f"numpy.{name}", f"array.{name}", *(f"numpy.{other}" for other in others))
    def choose_implementation(a, axis=None, dtype=None):
        if is_date_or_timedelta(a) and axis is None and dtype is None:
            return (lambda a: a) if name in ("min", "max", "mean") else None
        if not is_array(a):
            return None
        if get_element_dtype(a).kind == "m" and name == "mean" and axis is None and dtype is None:
            return _mean_of_times
        if get_element_dtype(a).kind in "mM" and axis is None and dtype is None:
            return _of_times.get(name)
        if name == "sum" and isinstance(axis, types.BaseTuple) and dtype is None:
            return _choose_sum_over_axes_implementation(a.ndim, len(axis.types))
        if axis is None and dtype is not None and name in _along:
            return _make_reduction_to_dtype(name)
        if not isinstance(axis, types.Integer):
            return None
        if dtype is not None:
            return (
                None
                if name not in _along
                else reduce_as_type
                if a.ndim == 1
                else convert_and_reduce
            )
        if a.ndim == 1:
            return _make_vector_reduction(total)
        return _make_axis_reduction(total, reduce_columns, element(a))


@functools.cache
def _make_reduction_to_dtype(name):
    text = f"def applied(a, axis=None, dtype=None):\n    return dtype(a.astype(dtype).{name}())\n"
    return define_function_from_text(text, {"np": np})


@implements("numpy.ptp")
def _choose_ptp_implementation(a):
    is_complex = is_array(a) and get_element_dtype(a).kind == "c"
    return (lambda a: a.max() - a.min()) if is_complex else None


# Dates and time spans: a NaT makes the result NaT


def _reduce_to_min_time(a):
    return a.ravel()[_find_index_of_extreme_time(a, True)]


def _reduce_to_max_time(a):
    return a.ravel()[_find_index_of_extreme_time(a, False)]


@compiled
def _find_index_of_extreme_time(a, earliest):
    values, best = a.ravel(), 0
    if values.size == 0:
        raise ValueError("zero-size array to reduction operation which has no identity")
    for i in range(values.size):
        if np.isnat(values[i]):
            return i
        if values[i] < values[best] if earliest else values[i] > values[best]:
            best = i
    return best


def _sum_times(a):
    total = a.dtype.type(0)
    for value in a.ravel():
        total += value
    return total


def _mean_of_times(a):
    return a.sum() / a.size if a.size > 0 else a.dtype.type("NaT")


_of_times = {
    "min": _reduce_to_min_time,
    "max": _reduce_to_max_time,
    "argmin": lambda a: _find_index_of_extreme_time(a, True),
    "argmax": lambda a: _find_index_of_extreme_time(a, False),
    "sum": _sum_times,
}


def _reduce_columns_by_sum(rows, out):
    out[:] = 0
    for k in range(rows.shape[0]):
        out += rows[k]


def _reduce_columns_by_product(rows, out):
    out[:] = 1
    for k in range(rows.shape[0]):
        out *= rows[k]


def _reduce_columns_by_mean(rows, out):
    _compiled_sum(rows, out)
    out /= rows.shape[0]


def _reduce_columns_by_min(rows, out):
    if rows.shape[0] == 0:
        raise ValueError("zero-size array to reduction operation minimum which has no identity")
    out[:] = rows[0]
    for k in range(1, rows.shape[0]):
        np.minimum(out, rows[k], out)


def _reduce_columns_by_max(rows, out):
    if rows.shape[0] == 0:
        raise ValueError("zero-size array to reduction operation maximum which has no identity")
    out[:] = rows[0]
    for k in range(1, rows.shape[0]):
        np.maximum(out, rows[k], out)


def _reduce_columns_by_any(rows, out):
    out[:] = False
    for k in range(rows.shape[0]):
        for i in range(out.size):
            out[i] |= rows[k, i] != 0


def _reduce_columns_by_all(rows, out):
    out[:] = True
    for k in range(rows.shape[0]):
        for i in range(out.size):
            out[i] &= rows[k, i] != 0


def _make_column_reduction(total):
    """Makes a ``reduce_columns`` that reduces one column after another with ``total``."""
    total = compiled(total)

    def reduce_columns(rows, out):
        for i in range(out.size):
            out[i] = total(rows[:, i])

    return reduce_columns


def _var(row):
    return row.var()


def _std(row):
    return row.std()


def _argmin(row):
    return row.argmin()


def _argmax(row):
    return row.argmax()


def _int64_dtype(a):
    return np.dtype(np.int64)


def _bool_dtype(a):
    return np.dtype(np.bool_)


def _float64_dtype(a):
    return np.dtype(np.float64)


_compiled_sum = compiled(_reduce_columns_by_sum)
_implement_reduction("sum", find_sum_dtype, lambda row: row.sum(), _reduce_columns_by_sum)
_implement_reduction("prod", find_sum_dtype, lambda row: row.prod(), _reduce_columns_by_product)
_implement_reduction(
    "mean", find_common_float_dtype, lambda row: row.mean(), _reduce_columns_by_mean
)
_implement_reduction("var", _float64_dtype, _var, _make_column_reduction(_var))
_implement_reduction("std", _float64_dtype, _std, _make_column_reduction(_std))
_implement_reduction(
    "min", get_element_dtype, lambda row: row.min(), _reduce_columns_by_min, "amin"
)
_implement_reduction(
    "max", get_element_dtype, lambda row: row.max(), _reduce_columns_by_max, "amax"
)
_implement_reduction("any", _bool_dtype, lambda row: row.any(), _reduce_columns_by_any)
_implement_reduction("all", _bool_dtype, lambda row: row.all(), _reduce_columns_by_all)
_implement_reduction("argmin", _int64_dtype, _argmin, _make_column_reduction(_argmin))
_implement_reduction("argmax", _int64_dtype, _argmax, _make_column_reduction(_argmax))


def _implement_nan_argextreme(name, larger):
    @compiled
    def find_index_of_min_or_max(a):
        best, found, known = 0, a.ravel(), False
        for i in range(found.size):
            v = found[i]
            known |= v == v
            # A NaN counts as the infinity that loses against every number.
            most = found[best] if found[best] == found[best] else -np.inf if larger else np.inf
            if (v > most) if larger else (v < most):
                best = i
        if not known:
            raise ValueError("All-NaN slice encountered")
        return best

    along_axis = _make_axis_reduction(
        find_index_of_min_or_max,
        _make_column_reduction(find_index_of_min_or_max),
        np.dtype(np.int64),
    )
    of_one_dimension = _make_vector_reduction(find_index_of_min_or_max)

    @implements(f"numpy.{name}")
    def choose_implementation(a, axis=None):
        if not is_array(a) or get_element_dtype(a).kind not in "biuf":
            return None
        if axis is None:
            return find_index_of_min_or_max
        if not is_integer_or_bool(axis):
            return None
        return of_one_dimension if a.ndim == 1 else along_axis


_implement_nan_argextreme("nanargmin", False)
_implement_nan_argextreme("nanargmax", True)


@implements("numpy.nanvar")
def _choose_nanvar_implementation(a, ddof=None):
    return _variance_without_nans if is_array(a) and is_integer_or_bool(ddof) else None


def _variance_without_nans(a, ddof):
    mean, total, count = np.nanmean(a), 0.0, 0
    for v in a.ravel():
        if v == v:
            total += abs(v - mean) ** 2
            count += 1
    return total / (count - ddof) if count > ddof else np.nan


@implements("numpy.nanstd")
def _choose_nanstd_implementation(a, ddof=None):
    if not is_array(a) or not is_integer_or_bool(ddof):
        return None
    return lambda a, ddof: np.sqrt(_compiled_variance(a, ddof))


_compiled_variance = compiled(_variance_without_nans)

make_builtins_accept_numbers(
    *(
        f"numpy.{name}"
        for name in ("sum", "prod", "mean", "std", "var", "min", "max", "amin", "amax")
    ),
    *(f"numpy.{name}" for name in ("ptp", "all", "any", "size", "shape", "ndim", "count_nonzero")),
    *(f"numpy.nan{name}" for name in ("sum", "prod", "mean", "std", "var", "min", "max")),
    *(f"numpy.{name}" for name in ("argmin", "argmax", "ravel")),
)

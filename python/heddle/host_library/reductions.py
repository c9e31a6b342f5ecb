"""Reductions along an axis. Those of all elements are rows of the compiler."""

import functools

import numpy as np

from heddle import types
from heddle.host_library.registry import (
    compiled,
    define_function,
    dtype_of,
    float_dtype,
    implements,
    is_array,
    is_integer,
    is_time,
    sum_dtype,
    take_numbers,
)
from heddle.host_library.shapes import axis_of, blocks, shape_without


@functools.cache
def _along_axis(total, fold, element):
    """Reduces by ``total`` where a row is contiguous, otherwise by ``fold``, which goes over many rows at once."""
    total, fold = compiled(total), compiled(fold)

    def reduced(a, axis):
        place = axis_of(axis, a.ndim)
        parts = blocks(a, place)
        out = np.empty((parts.shape[0], parts.shape[2]), element)
        if parts.shape[2] == 1:
            rows = parts.reshape(parts.shape[:2])
            for i in range(rows.shape[0]):
                out[i, 0] = total(rows[i])
        else:
            for i in range(parts.shape[0]):
                fold(parts[i], out[i])
        return out.reshape(shape_without(a.shape, place))

    return reduced


@functools.cache
def _of_one_dimension(total):
    total = compiled(total)

    def reduced(a, axis):
        axis_of(axis, 1)
        return total(a)

    return reduced


# Along several axes


@compiled
def _places(axes, ndim):
    if len(axes) == 0:
        return ()
    return (axis_of(axes[0], ndim), *_places(axes[1:], ndim))


@compiled
def _greatest(places):
    if len(places) == 1:
        return places[0]
    return max(places[0], _greatest(places[1:]))


@compiled
def _without(places, gone):
    """Without that one, which is among them; where it comes first, the others are what is left."""
    if len(places) == 1:
        return ()
    if places[0] == gone:
        return _same(places[1:], gone)
    return (places[0], *_without(places[1:], gone))


@compiled
def _same(places, gone):
    if len(places) == 0:
        return ()
    if places[0] == gone:
        raise ValueError("duplicate value in 'axis'")
    return (places[0], *_same(places[1:], gone))


@compiled
def _summed(a, places):
    if len(places) == 0:
        return a
    last = _greatest(places)
    return _summed(a.sum(last), _without(places, last))


def _sum_over_some(a, axis):
    return _summed(a, _places(axis, a.ndim)).copy()


def _sum_over_all(a, axis):
    return _summed(a, _places(axis, a.ndim))


def _sum_over_too_many(a, axis):
    """Raises what is wrong with the axes: one is out of bounds, or comes twice."""
    _places(axis, a.ndim)
    raise ValueError("duplicate value in 'axis'")


def _sum_over_axes(ndim, count):
    if count > ndim:
        return _sum_over_too_many
    return _sum_over_all if count == ndim else _sum_over_some


_along = {
    "sum": lambda a, axis: a.sum(axis),
    "prod": lambda a, axis: a.prod(axis),
    "mean": lambda a, axis: a.mean(axis),
}


def _reduces(name, element, total, fold, *others):
    """Implements np.name(a, axis) and a.name(axis): ``total(row)`` is an element of ``element(a)``; ``fold(rows, out)``
    the same along the first of two dimensions."""

    def converted(a, axis, dtype):
        return total_along(a.astype(dtype), axis).astype(dtype)

    def total_as(a, axis, dtype):
        axis_of(axis, 1)
        return dtype(total_along(a.astype(dtype), axis))

    total_along = compiled(_along[name]) if name in _along else None

    @implements(f"numpy.{name}", f"array.{name}", *(f"numpy.{other}" for other in others))
    def choose(a, axis=None, dtype=None):
        if is_time(a) and axis is None and dtype is None:
            return (lambda a: a) if name in ("min", "max", "mean") else None
        if not is_array(a):
            return None
        if dtype_of(a).kind == "m" and name == "mean" and axis is None and dtype is None:
            return _mean_time
        if dtype_of(a).kind in "mM" and axis is None and dtype is None:
            return _of_times.get(name)
        if name == "sum" and isinstance(axis, types.BaseTuple) and dtype is None:
            return _sum_over_axes(a.ndim, len(axis.types))
        if axis is None and dtype is not None and name in _along:
            return _total_of_dtype(name)
        if not isinstance(axis, types.Integer):
            return None
        if dtype is not None:
            return None if name not in _along else total_as if a.ndim == 1 else converted
        if a.ndim == 1:
            return _of_one_dimension(total)
        return _along_axis(total, fold, element(a))


@functools.cache
def _total_of_dtype(name):
    text = f"def applied(a, axis=None, dtype=None):\n    return dtype(a.astype(dtype).{name}())\n"
    return define_function(text, {"np": np})


@implements("numpy.ptp")
def _ptp(a):
    is_complex = is_array(a) and dtype_of(a).kind == "c"
    return (lambda a: a.max() - a.min()) if is_complex else None


# Of dates and spans of time, where one that is none makes the result none


def _earliest(a):
    return a.ravel()[_place_in_time(a, True)]


def _latest(a):
    return a.ravel()[_place_in_time(a, False)]


@compiled
def _place_in_time(a, earliest):
    values, best = a.ravel(), 0
    if values.size == 0:
        raise ValueError("zero-size array to reduction operation which has no identity")
    for i in range(values.size):
        if np.isnat(values[i]):
            return i
        if values[i] < values[best] if earliest else values[i] > values[best]:
            best = i
    return best


def _time_sum(a):
    total = a.dtype.type(0)
    for value in a.ravel():
        total += value
    return total


def _mean_time(a):
    return a.sum() / a.size if a.size > 0 else a.dtype.type("NaT")


_of_times = {
    "min": _earliest,
    "max": _latest,
    "argmin": lambda a: _place_in_time(a, True),
    "argmax": lambda a: _place_in_time(a, False),
    "sum": _time_sum,
}


def _fold_sum(rows, out):
    out[:] = 0
    for k in range(rows.shape[0]):
        out += rows[k]


def _fold_product(rows, out):
    out[:] = 1
    for k in range(rows.shape[0]):
        out *= rows[k]


def _fold_mean(rows, out):
    _compiled_sum(rows, out)
    out /= rows.shape[0]


def _fold_min(rows, out):
    if rows.shape[0] == 0:
        raise ValueError("zero-size array to reduction operation minimum which has no identity")
    out[:] = rows[0]
    for k in range(1, rows.shape[0]):
        np.minimum(out, rows[k], out)


def _fold_max(rows, out):
    if rows.shape[0] == 0:
        raise ValueError("zero-size array to reduction operation maximum which has no identity")
    out[:] = rows[0]
    for k in range(1, rows.shape[0]):
        np.maximum(out, rows[k], out)


def _fold_any(rows, out):
    out[:] = False
    for k in range(rows.shape[0]):
        for i in range(out.size):
            out[i] |= rows[k, i] != 0


def _fold_all(rows, out):
    out[:] = True
    for k in range(rows.shape[0]):
        for i in range(out.size):
            out[i] &= rows[k, i] != 0


def _fold_each(total):
    """For what is computed of one column after the other."""
    total = compiled(total)

    def fold(rows, out):
        for i in range(out.size):
            out[i] = total(rows[:, i])

    return fold


def _var(row):
    return row.var()


def _std(row):
    return row.std()


def _argmin(row):
    return row.argmin()


def _argmax(row):
    return row.argmax()


def _numbers(a):
    return np.dtype(np.int64)


def _bools(a):
    return np.dtype(np.bool_)


def _reals(a):
    return np.dtype(np.float64)


_compiled_sum = compiled(_fold_sum)
_reduces("sum", sum_dtype, lambda row: row.sum(), _fold_sum)
_reduces("prod", sum_dtype, lambda row: row.prod(), _fold_product)
_reduces("mean", float_dtype, lambda row: row.mean(), _fold_mean)
_reduces("var", _reals, _var, _fold_each(_var))
_reduces("std", _reals, _std, _fold_each(_std))
_reduces("min", dtype_of, lambda row: row.min(), _fold_min, "amin")
_reduces("max", dtype_of, lambda row: row.max(), _fold_max, "amax")
_reduces("any", _bools, lambda row: row.any(), _fold_any)
_reduces("all", _bools, lambda row: row.all(), _fold_all)
_reduces("argmin", _numbers, _argmin, _fold_each(_argmin))
_reduces("argmax", _numbers, _argmax, _fold_each(_argmax))


def _extreme_place(name, larger):
    @compiled
    def place(a):
        best, found, known = 0, a.ravel(), False
        for i in range(found.size):
            v = found[i]
            known |= v == v
            # A NaN counts as the infinity that no number is beyond.
            most = found[best] if found[best] == found[best] else -np.inf if larger else np.inf
            if (v > most) if larger else (v < most):
                best = i
        if not known:
            raise ValueError("All-NaN slice encountered")
        return best

    along_axis = _along_axis(place, _fold_each(place), np.dtype(np.int64))
    of_one_dimension = _of_one_dimension(place)

    @implements(f"numpy.{name}")
    def choose(a, axis=None):
        if not is_array(a) or dtype_of(a).kind not in "biuf":
            return None
        if axis is None:
            return place
        if not is_integer(axis):
            return None
        return of_one_dimension if a.ndim == 1 else along_axis


_extreme_place("nanargmin", False)
_extreme_place("nanargmax", True)


@implements("numpy.nanvar")
def _nanvar(a, ddof=None):
    return _variance_of_numbers if is_array(a) and is_integer(ddof) else None


def _variance_of_numbers(a, ddof):
    mean, total, count = np.nanmean(a), 0.0, 0
    for v in a.ravel():
        if v == v:
            total += abs(v - mean) ** 2
            count += 1
    return total / (count - ddof) if count > ddof else np.nan


@implements("numpy.nanstd")
def _nanstd(a, ddof=None):
    if not is_array(a) or not is_integer(ddof):
        return None
    return lambda a, ddof: np.sqrt(_compiled_variance(a, ddof))


_compiled_variance = compiled(_variance_of_numbers)

take_numbers(
    *(
        f"numpy.{name}"
        for name in ("sum", "prod", "mean", "std", "var", "min", "max", "amin", "amax")
    ),
    *(f"numpy.{name}" for name in ("ptp", "all", "any", "size", "shape", "ndim", "count_nonzero")),
    *(f"numpy.nan{name}" for name in ("sum", "prod", "mean", "std", "var", "min", "max")),
    *(f"numpy.{name}" for name in ("argmin", "argmax", "ravel")),
)

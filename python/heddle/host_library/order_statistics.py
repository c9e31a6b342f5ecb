"""Medians, percentiles and quantiles of all elements, with linear interpolation."""

import numpy as np

from heddle import types
from heddle.compiler.library_registry import (
    compiled,
    get_element_dtype,
    implements,
    is_array,
    is_number_or_bool,
    make_builtins_accept_numbers,
)
from heddle.host_library.partitioning import quickselect


@compiled
def _flatten_to_float64(a):
    return a.astype(np.float64).ravel()  # this order copies any array only once


@compiled
def _flatten_without_nans(a):
    values = a.ravel().astype(np.float64)
    return values[values == values]


def _is_real_array(a):
    return is_array(a) and get_element_dtype(a).kind in "biuf"


@compiled
def _compute_median_in_place(values):
    if values.size == 0 or np.any(np.isnan(values)):
        return np.nan
    half = values.size // 2
    upper = quickselect(values, 0, values.size - 1, half)
    return upper if values.size % 2 else (values[:half].max() + upper) / 2


@implements("numpy.median")
def _choose_median_implementation(a):
    if is_array(a) and get_element_dtype(a).kind == "m":
        return _median_of_timedeltas
    return (
        (lambda a: _compute_median_in_place(_flatten_to_float64(a))) if _is_real_array(a) else None
    )


def _median_of_timedeltas(a):
    values = np.sort(a.ravel())
    if values.size == 0 or np.isnat(values[-1]):
        return a.dtype.type("NaT")
    half = values.size // 2
    return values[half] if values.size % 2 else (values[half - 1] + values[half]) / 2


@implements("numpy.nanmedian")
def _choose_nanmedian_implementation(a):
    return (
        (lambda a: _compute_median_in_place(_flatten_without_nans(a)))
        if _is_real_array(a)
        else None
    )


@compiled
def _compute_quantile_in_place(values, q):
    n = values.size
    if n == 0 or np.any(np.isnan(values)):
        return np.nan
    place = q * (n - 1)
    below = min(int(place), n - 1)
    part = place - below
    low = quickselect(values, 0, n - 1, below)
    high = values[below + 1 :].min() if below + 1 < n else low
    if part >= 0.5:
        return high - (high - low) * (1 - part)
    return low + (high - low) * part


def _implement_quantiles(name, elements_of, whole):
    """Implements np.name(a, q). whole: the largest ``q``, 1 for quantiles or 100 for percentiles."""
    problem = (
        "Percentiles must be in the range [0, 100]"
        if whole == 100
        else "Quantiles must be in the range [0, 1]"
    )

    @compiled
    def check_and_scale(q):
        if not (0 <= q <= whole):
            raise ValueError(problem)
        return q / whole

    def compute_for_number(a, q):
        return _compute_quantile_in_place(elements_of(a), check_and_scale(q))

    def compute_for_array(a, q):
        values = elements_of(a)
        out = np.empty(q.shape, np.float64)
        for index in np.ndindex(q.shape):
            out[index] = _compute_quantile_in_place(values, check_and_scale(q[index]))
        return out

    def compute_for_zero_dim_array(a, q):
        return _compute_quantile_in_place(elements_of(a), check_and_scale(q[()]))

    def compute_for_tuple(a, q):
        return compiled_several(a, np.array(q))

    compiled_several = compiled(compute_for_array)

    @implements(f"numpy.{name}")
    def choose_implementation(a, q):
        if not _is_real_array(a):
            return None
        if isinstance(q, types.BaseTuple):
            return compute_for_tuple
        if is_array(q):
            return compute_for_array if q.ndim else compute_for_zero_dim_array
        return compute_for_number if is_number_or_bool(q) else None

    make_builtins_accept_numbers(f"numpy.{name}")


_implement_quantiles("percentile", _flatten_to_float64, 100)
_implement_quantiles("quantile", _flatten_to_float64, 1)
_implement_quantiles("nanpercentile", _flatten_without_nans, 100)
_implement_quantiles("nanquantile", _flatten_without_nans, 1)


make_builtins_accept_numbers("numpy.median")

"""Counts, averages, correlations, interpolation and convolution."""

import functools
import math

import numpy as np

from heddle import types
from heddle.compiler.library_registry import (
    compiled,
    find_common_dtype,
    get_element_dtype,
    implements,
    is_absent_or_none,
    is_array,
    is_integer_or_bool,
    is_number_or_bool,
)


@implements("numpy.bincount")
def _choose_bincount_implementation(x, weights=None, minlength=None):
    if not is_array(x, 1) or not is_integer_or_bool(x.dtype):
        return None
    return (
        _bincount
        if is_absent_or_none(weights)
        else _bincount_weighted
        if is_array(weights, 1)
        else None
    )


@compiled
def _compute_bin_count(x, minlength):
    if minlength < 0:
        raise ValueError("'minlength' must not be negative")
    if x.size == 0:
        return max(0, minlength)
    if x.min() < 0:
        raise ValueError("first argument must be non-negative")
    return max(np.int64(x.max()) + 1, minlength)


def _bincount(x, weights=None, minlength=0):
    out = np.zeros(_compute_bin_count(x, minlength), np.int64)
    for v in x:
        out[v] += 1
    return out


def _bincount_weighted(x, weights, minlength=0):
    if weights.size != x.size:
        raise ValueError("The weights and list don't have the same length.")
    out = np.zeros(_compute_bin_count(x, minlength), np.float64)
    for i in range(x.size):
        out[x[i]] += weights[i]
    return out


@implements("numpy.histogram")
def _choose_histogram_implementation(a, bins=None, range=None):
    if not is_array(a) or isinstance(bins, types.BaseTuple) or getattr(bins, "kind", "") == "list":
        return None
    if is_array(bins, 1):
        return _histogram_with_edges
    return _histogram_over_data_range if is_absent_or_none(range) else _histogram_in_range


# The bins of so many elements are computed as vectors before they are counted.
_block = 128
# Adding this to a float64 puts the nearest integer into its low 32 bits, since the last bit is then worth 1.
_rounding = 1.5 * 2.0**52


@compiled
def _assign_bins_and_count_doubts(values, rounded, low, scale, bins, sure):
    """Stores each value's bin, in a rounded form; values outside get an extra bin. Returns how many values are so close
    to an edge that their bin may be wrong."""
    doubts = 0
    for i in range(values.size):
        place = (values[i] - low) * scale
        number = np.floor(place) + _rounding
        is_near = abs(place - (number - _rounding) - 0.5) >= sure
        doubts += is_near & (place > -0.5) & (place < bins + 0.5) | (place == bins)
        rounded[i] = number if (place >= 0) & (place < bins) else bins + _rounding
    return doubts


@compiled
def _correct_bins(values, places, edges, low, high, bins):
    """Corrects the bins of values whose bin was rounded across an edge."""
    for i in range(values.size):
        v = values[i]
        place = min(np.int64(places[i]), bins - 1)
        before = v < edges[place]
        behind = (v >= edges[place + 1]) & (place != bins - 1)
        places[i] = place - before + behind if (v >= low) & (v <= high) else bins


@compiled
def _histogram_between(a, bins, low, high):
    if bins < 1:
        raise ValueError("`bins` must be positive, when an integer")
    if low > high:
        raise ValueError("max must be larger than min in range parameter.")
    if low == high:
        low, high = low - 0.5, high + 0.5
    edges = np.linspace(low, high, bins + 1)
    counts = np.zeros(bins + 1, np.int64)
    scale = bins / (high - low)
    # The possible rounding error of places and edges, in bin widths. Ranges that start at 0 with steps of a power of
    # two, such as gray levels of an image, are computed without rounding.
    error = 8 * np.finfo(np.float64).eps * (bins + max(abs(low), abs(high)) * scale)
    sure = 1.0 if low == 0 and math.frexp(scale)[0] == 0.5 else 0.5 - error
    rounded = np.empty(_block, np.float64)
    lower_halves = rounded.view(np.uint32)[::2]
    values = a.ravel()
    for first in range(0, values.size, _block):
        block = values[first : first + _block]
        if _assign_bins_and_count_doubts(block, rounded, low, scale, float(bins), sure) > 0:
            _correct_bins(block, lower_halves, edges, low, high, bins)
        for i in range(block.size):
            counts[lower_halves[i]] += 1
    return counts[:bins], edges


def _histogram_over_data_range(a, bins=10, range=None):
    if a.size == 0:
        return _histogram_between(a, bins, 0.0, 1.0)
    return _histogram_between(a, bins, float(a.min()), float(a.max()))


def _histogram_in_range(a, bins=10, range=(0.0, 1.0)):
    return _histogram_between(a, bins, float(range[0]), float(range[1]))


def _histogram_with_edges(a, bins, range=None):
    for i in np.arange(1, bins.size):
        if bins[i - 1] > bins[i]:
            raise ValueError("`bins` must increase monotonically, when an array")
    counts = np.zeros(max(bins.size - 1, 0), np.int64)
    for item in np.nditer(a):
        v = item.item()
        if bins.size > 1 and v >= bins[0] and v <= bins[bins.size - 1]:
            i = np.searchsorted(bins, v, "right") - 1
            counts[min(i, counts.size - 1)] += 1
    return counts, bins


@implements("numpy.average")
def _choose_average_implementation(a, axis=None, weights=None):
    if is_array(a) and is_absent_or_none(weights) and is_integer_or_bool(axis):
        return _mean_along_axis
    if not is_array(a) or not is_absent_or_none(axis):
        return None
    return _mean if is_absent_or_none(weights) else _weighted_mean if is_array(weights) else None


def _mean(a, axis=None, weights=None):
    return a.mean()


def _mean_along_axis(a, axis, weights=None):
    return a.mean(axis)


def _weighted_mean(a, axis=None, weights=None):
    if a.shape != weights.shape:
        raise ValueError("Shape of weights must be consistent with shape of a")
    total = weights.sum()
    if total == 0:
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    return (a * weights).sum() / total


@implements("numpy.cov")
def _choose_cov_implementation(m, y=None, rowvar=None, bias=None, ddof=None):
    if not is_array(m) or m.ndim not in (1, 2) or not (is_absent_or_none(y) or is_array(y)):
        return None
    if not (
        is_absent_or_none(ddof)
        or (is_number_or_bool(ddof) and get_element_dtype(ddof).kind in "biuf")
    ):
        return None
    return _specialize_cov(m.ndim == 1 and is_absent_or_none(y), _dtype_of_covariances(m, y))


def _dtype_of_covariances(m, y):
    return np.result_type(np.float64, *(get_element_dtype(of) for of in (m, y) if is_array(of)))


@functools.cache
def _make_converter_to_variable_rows(element):
    @compiled
    def make_variable_rows(m, rowvar):
        rows = np.atleast_2d(m).astype(element)
        return rows if rowvar or rows.shape[0] == 1 else rows.T.copy()

    return make_variable_rows


@compiled
def _require_integral_ddof(ddof):
    if not math.isfinite(ddof):
        raise ValueError("Cannot convert non-finite ddof to integer")
    if ddof != math.floor(ddof):
        raise ValueError("ddof must be integral value")
    return int(ddof)


@functools.cache
def _specialize_cov(is_variance, element):
    _as_variables = _make_converter_to_variable_rows(element)
    is_complex = element.kind == "c"

    def cov(m, y=None, rowvar=True, bias=False, ddof=None):
        rows = _as_variables(m, rowvar)
        if y is not None:
            rows = np.concatenate((rows, _as_variables(y, rowvar)), 0)
        n = rows.shape[1]
        degrees = n - _require_integral_ddof(ddof) if ddof is not None else n if bias else n - 1
        rows -= rows.sum(1).reshape((rows.shape[0], 1)) / n
        out = np.dot(rows, rows.T.conj() if is_complex else rows.T) / max(degrees, 0)
        return np.array(out[0, 0]) if is_variance else out

    return cov


@implements("numpy.corrcoef")
def _choose_corrcoef_implementation(x, y=None, rowvar=None):
    if not is_array(x) or x.ndim not in (1, 2) or not (is_absent_or_none(y) or is_array(y)):
        return None
    if x.ndim == 1 and is_absent_or_none(y):
        return _correlate_with_itself
    return _specialize_corrcoef(_dtype_of_covariances(x, y).kind == "c")


def _correlate_with_itself(x, y=None, rowvar=True):
    return np.cov(x) / np.cov(x)


@compiled
def _clamp_to_unit_range(x):
    return x if x != x else min(max(x, -1.0), 1.0)  # keeps NaN


@functools.cache
def _specialize_corrcoef(is_complex):
    def compute_correlations(x, y=None, rowvar=True):
        out = np.cov(x, y, rowvar)
        deviations = np.sqrt(np.diag(out).real)
        out /= deviations.reshape((deviations.size, 1))
        out /= deviations
        for i in range(out.shape[0]):
            for j in range(out.shape[1]):
                if is_complex:
                    out[i, j] = complex(
                        _clamp_to_unit_range(out[i, j].real), _clamp_to_unit_range(out[i, j].imag)
                    )
                else:
                    out[i, j] = _clamp_to_unit_range(out[i, j])
        return out

    return compute_correlations


# Interpolation


@implements("numpy.interp")
def _choose_interp_implementation(x, xp, fp):
    known = all(is_array(of) or is_number_or_bool(of) for of in (x, xp, fp))
    if not known or any(get_element_dtype(of).kind not in "biuf" for of in (x, xp)):
        return None
    if not is_array(xp, 1) or not is_array(fp, 1):
        return None
    is_complex = get_element_dtype(fp).kind == "c"
    interpolated = _specialize_interp(np.dtype(np.complex128 if is_complex else np.float64))
    return interpolated if is_array(x) else _make_number_interp(compiled(interpolated))


# NumPy looks this far around the previous index.
_near = 8


@compiled
def _find_interval(key, places, guess):
    """The index of the interval that contains ``key``: -1 before the first place, the number of places after the last.
    Searches in the same steps as NumPy, which matter if the places do not ascend. guess: the previous result."""
    size = places.size
    if key > places[size - 1]:
        return size
    if key < places[0]:
        return -1
    low, high = 0, size
    if size <= 4:
        low = 1
        while low < size and key >= places[low]:
            low += 1
        return low - 1
    near = max(min(guess, size - 3), 1)
    if key < places[near]:
        if not key < places[near - 1]:
            return near - 1
        high = near - 1
        if near > _near and key >= places[near - _near]:
            low = near - _near
    elif key < places[near + 1]:
        return near
    elif key < places[near + 2]:
        return near + 1
    else:
        low = near + 2
        if near < size - _near - 1 and key < places[near + _near]:
            high = near + _near
    while low < high:
        middle = low + (high - low) // 2
        if key >= places[middle]:
            low = middle + 1
        else:
            high = middle
    return low - 1


@compiled
def _interpolate_on_line(x, first, last, y, end):
    slope = (end - y) / (last - first)
    out = slope * (x - first) + y
    if out != out:
        out = slope * (x - last) + end
        if out != out and y == end:
            out = y
    return out


@compiled
def _interpolate(x, first, last, y, end):
    if isinstance(y, complex):
        real = _interpolate_on_line(x, first, last, y.real, end.real)
        return complex(real, _interpolate_on_line(x, first, last, y.imag, end.imag))
    return _interpolate_on_line(x, first, last, y, end)


@functools.cache
def _specialize_interp(element):
    def interp(x, xp, fp):
        if xp.size == 0:
            raise ValueError("array of sample points is empty")
        if xp.size != fp.size:
            raise ValueError("fp and xp are not of the same size.")
        places, values = xp.astype(np.float64), fp.astype(element)
        last = places.size - 1
        out = np.empty(x.shape, element)
        k = 0
        for index in np.ndindex(x.shape):
            key = np.float64(x[index])
            if key != key and last > 0:
                out[index] = key
                continue
            k = _find_interval(key, places, k)
            if k < 0:
                out[index] = values[0]
            elif k >= last:
                out[index] = values[last]
            elif places[k] == key:
                out[index] = values[k]
            else:
                out[index] = _interpolate(key, places[k], places[k + 1], values[k], values[k + 1])
        return out

    return interp


@functools.cache
def _make_number_interp(interpolated):
    return lambda x, xp, fp: interpolated(np.array((x,)), xp, fp)[0]


@implements("numpy.polyval")
def _choose_polyval_implementation(p, x):
    if not is_array(p, 1) or not (is_array(x) or is_number_or_bool(x)):
        return None
    return (
        _evaluate_polynomial_at_array
        if is_array(x)
        else _specialize_polyval_of_number(find_common_dtype(p, x))
    )


@functools.cache
def _specialize_polyval_of_number(element):
    def polyval(p, x):
        out = element.type(0)
        for c in p:
            out = out * x + c
        return out

    return polyval


def _evaluate_polynomial_at_array(p, x):
    out = x * 0 + p[:1].sum() * 0
    for c in p:
        out = out * x + c
    return out


# Convolutions


@implements("numpy.convolve")
def _choose_convolve_implementation(a, v, mode=None):
    if not (is_array(a, 1) and is_array(v, 1)):
        return None
    return _make_convolution_or_correlation(
        _get_mode_or_full(mode), find_common_dtype(a, v), turned=True, full="full"
    )


@implements("numpy.correlate")
def _choose_correlate_implementation(a, v, mode=None):
    if not (is_array(a, 1) and is_array(v, 1)):
        return None
    name = "valid" if is_absent_or_none(mode) else _get_mode_or_full(mode)
    return _make_convolution_or_correlation(
        name, find_common_dtype(a, v), turned=False, full="valid"
    )


def _get_mode_or_full(mode):
    return mode.literal_value if isinstance(mode, types.StringLiteral) else "full"


@functools.cache
def _make_convolution_or_correlation(mode, element, turned, full):
    @compiled
    def convolve_all_shifts(a, v):
        out = np.zeros(a.size + v.size - 1, element)
        for i in range(a.size):
            for j in range(v.size):
                other = v[j] if turned else np.conj(v[v.size - 1 - j])
                out[i + j] += a[i] * other
        return out

    def convolve(a, v, mode=full):
        if a.size == 0 or v.size == 0:
            raise ValueError("arrays cannot be empty")
        out = convolve_all_shifts(a, v)
        short, long = min(a.size, v.size), max(a.size, v.size)
        if mode == "valid":
            return out[short - 1 : long].copy()
        if mode == "same":
            begin = (short - 1) // 2 if turned or a.size >= v.size else short // 2
            return out[begin : begin + long].copy()
        return out

    return convolve

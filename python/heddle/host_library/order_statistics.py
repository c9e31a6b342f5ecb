"""Medians, percentiles and quantiles of all elements, with the linear method."""

import numpy as np

from heddle.host_library.registry import compiled, dtype_of, implements, is_array, is_number


@compiled
def _sorted_floats(a):
    return np.sort(a.ravel().astype(np.float64))


@compiled
def _without_nans(a):
    values = a.ravel().astype(np.float64)
    return np.sort(values[values == values])


def _is_real(a):
    return is_array(a) and dtype_of(a).kind in "biuf"


def _middle(ordered):
    if ordered.size == 0 or ordered[ordered.size - 1] != ordered[ordered.size - 1]:
        return np.nan
    half = ordered.size // 2
    if ordered.size % 2:
        return ordered[half]
    return (ordered[half - 1] + ordered[half]) / 2


_middle = compiled(_middle)


@implements("numpy.median")
def _median(a):
    return (lambda a: _middle(_sorted_floats(a))) if _is_real(a) else None


@implements("numpy.nanmedian")
def _nanmedian(a):
    return (lambda a: _middle(_without_nans(a))) if _is_real(a) else None


@compiled
def _quantile_of(ordered, q):
    n = ordered.size
    if n == 0 or ordered[n - 1] != ordered[n - 1]:
        return np.nan
    place = q * (n - 1)
    below = min(int(place), n - 1)
    above = min(below + 1, n - 1)
    part = place - below
    step = ordered[above] - ordered[below]
    if part >= 0.5:
        return ordered[above] - step * (1 - part)
    return ordered[below] + step * part


def _quantiles(name, ordered_elements, whole):
    """Implements np.name(a, q), where ``whole`` is what stands for all of the elements."""
    problem = (
        "Percentiles must be in the range [0, 100]"
        if whole == 100
        else "Quantiles must be in the range [0, 1]"
    )

    @compiled
    def checked(q):
        if not (0 <= q <= whole):
            raise ValueError(problem)
        return q / whole

    def one(a, q):
        return _quantile_of(ordered_elements(a), checked(q))

    def several(a, q):
        ordered = ordered_elements(a)
        out = np.empty(q.shape, np.float64)
        for index in np.ndindex(q.shape):
            out[index] = _quantile_of(ordered, checked(q[index]))
        return out

    @implements(f"numpy.{name}")
    def choose(a, q):
        if not _is_real(a):
            return None
        return several if is_array(q) else one if is_number(q) else None


_quantiles("percentile", _sorted_floats, 100)
_quantiles("quantile", _sorted_floats, 1)
_quantiles("nanpercentile", _without_nans, 100)
_quantiles("nanquantile", _without_nans, 1)

"""Set operations on arrays of numbers."""

import numpy as np

from heddle.compiler.library_registry import (
    get_element_dtype,
    implements,
    is_array,
    is_number_or_bool,
    is_text_array,
)
from heddle.host_library.sorting import is_radix_sortable


@implements("numpy.unique")
def _choose_unique_implementation(ar):
    if is_array(ar, 1) and get_element_dtype(ar).kind in "mM":
        return _unique_times
    if is_array(ar, 0):
        return lambda ar: ar.copy().reshape(1)
    return _unique if is_radix_sortable(ar) or is_text_array(ar) else None


def _unique_times(ar):
    # NaT, the smallest integer, must come last.
    first = np.uint64(2**63 + 1)
    return (np.unique(ar.view(np.uint64) - first) + first).view(ar.dtype)


def _unique(ar):
    ordered = np.sort(ar.ravel())
    count = 0
    for i in range(ordered.size):
        v = ordered[i]
        # Equal, or both NaN; NaNs come last.
        known = i > 0 and (v == ordered[count - 1] or (v != v and ordered[i - 1] != ordered[i - 1]))
        if not known:
            ordered[count] = v
            count += 1
    return ordered[:count].copy()


@implements("numpy.union1d")
def _choose_union1d_implementation(ar1, ar2):
    if is_radix_sortable(ar1) and is_radix_sortable(ar2):
        return lambda ar1, ar2: np.unique(np.concatenate((ar1.ravel(), ar2.ravel())))
    return None


@implements("numpy.isin", "numpy.in1d")
def _choose_isin_implementation(element, test_elements, assume_unique=None, invert=None):
    if is_number_or_bool(test_elements):
        return _isin_one_test_number
    if is_array(test_elements, 0):
        return _isin_zero_dim_test_array
    if not is_radix_sortable(test_elements):
        return None
    return (
        _elements_isin
        if is_array(element)
        else _number_isin
        if is_number_or_bool(element)
        else None
    )


def _isin_one_test_number(element, test_elements, assume_unique=False, invert=False):
    return np.isin(element, np.array((test_elements,)), assume_unique, invert)


def _isin_zero_dim_test_array(element, test_elements, assume_unique=False, invert=False):
    return np.isin(element, test_elements.ravel(), assume_unique, invert)


def _number_isin(element, test_elements, assume_unique=False, invert=False):
    return np.array(np.isin(np.array((element,)), test_elements, assume_unique, invert)[0])


def _elements_isin(element, test_elements, assume_unique=False, invert=False):
    known = np.sort(test_elements.ravel())
    out = np.empty(element.shape, np.bool_)
    for index in np.ndindex(element.shape):
        place = np.searchsorted(known, element[index])
        out[index] = (place < known.size and known[place] == element[index]) != invert
    return out


@implements("numpy.intersect1d")
def _choose_intersect1d_implementation(ar1, ar2, assume_unique=None):
    return _intersect if is_radix_sortable(ar1) and is_radix_sortable(ar2) else None


def _intersect(ar1, ar2, assume_unique=False):
    both = np.sort(np.concatenate((np.unique(ar1), np.unique(ar2))))
    return both[:-1][both[1:] == both[:-1]] if both.size else both


@implements("numpy.setdiff1d")
def _choose_setdiff1d_implementation(ar1, ar2, assume_unique=None):
    return _setdiff if is_radix_sortable(ar1) and is_radix_sortable(ar2) else None


def _setdiff(ar1, ar2, assume_unique=False):
    own = ar1.ravel() if assume_unique else np.unique(ar1)
    return own[~np.isin(own, ar2)]


@implements("numpy.setxor1d")
def _choose_setxor1d_implementation(ar1, ar2, assume_unique=None):
    return _symmetric_difference if is_radix_sortable(ar1) and is_radix_sortable(ar2) else None


def _symmetric_difference(ar1, ar2, assume_unique=False):
    one, other = np.unique(ar1), np.unique(ar2)
    alone = np.concatenate((one[~np.isin(one, other)], other[~np.isin(other, one)]))
    return np.sort(alone)

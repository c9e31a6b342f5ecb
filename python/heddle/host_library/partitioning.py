"""Partially sorted arrays, with some elements at their sorted positions, by Hoare's FIND, which takes linear time."""

import numpy as np

from heddle.compiler.library_registry import compiled, get_element_dtype, implements
from heddle.host_library.sorting import is_radix_sortable


@compiled
def quickselect(values, low, high, k, order=None):
    """Rearranges elements ``low`` to ``high``, none of them NaN, so that element ``k`` is the one that sorting
    would put there.

    order: an array whose elements are rearranged in the same way.
    """
    while low < high:
        first, middle, last = values[low], values[(low + high) // 2], values[high]
        pivot = max(min(first, middle), min(max(first, middle), last))
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                if order is not None:
                    order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if k <= j:
            high = j
        elif k >= i:
            low = i
        else:
            break
    return values[k]


@compiled
def _normalize_and_sort_kth(kth, a):
    """The sorted indices that ``kth``, a number or several, selects along the last dimension."""
    extent = a.shape[-1]
    places = np.atleast_1d(np.asarray(kth)).astype(np.int64)
    for i in range(places.size):
        if a.size > 0 and (places[i] >= extent or places[i] < -extent):
            raise ValueError("kth out of bounds")
        if places[i] < 0:
            places[i] += extent
    return np.sort(places)


@compiled
def _move_nans_last_and_count_others(values, order=None):
    """Moves NaNs to the end. Returns the number of other elements."""
    left = values.size
    i = 0
    while i < left:
        if values[i] == values[i]:
            i += 1
        else:
            left -= 1
            values[i], values[left] = values[left], values[i]
            if order is not None:
                order[i], order[left] = order[left], order[i]
    return left


@compiled
def _view_as_rows(a):
    return a.reshape((-1, a.shape[-1])) if a.size > 0 else a.reshape((0, 1))


@implements("numpy.partition")
def _choose_partition_implementation(a, kth):
    if not is_radix_sortable(a):
        return None
    return _partition_bools if get_element_dtype(a).kind == "b" else _partition


def _partition_bools(a, kth):
    return np.partition(a.view(np.uint8), kth).view(np.bool_)


def _partition(a, kth):
    places = _normalize_and_sort_kth(kth, a)
    out = a.copy()
    rows = _view_as_rows(out)
    for r in range(rows.shape[0]):
        row = rows[r]
        low, left = 0, _move_nans_last_and_count_others(row)
        for place in places:
            if place < left:
                quickselect(row, low, left - 1, place)
                low = place
    return out


@implements("numpy.argpartition")
def _choose_argpartition_implementation(a, kth):
    if not is_radix_sortable(a):
        return None
    return _argpartition_bools if get_element_dtype(a).kind == "b" else _argpartition


def _argpartition_bools(a, kth):
    return np.argpartition(a.view(np.uint8), kth)


def _argpartition(a, kth):
    places = _normalize_and_sort_kth(kth, a)
    out = np.empty(a.shape, np.int64)
    rows, orders = _view_as_rows(a.copy()), _view_as_rows(out)
    for r in range(rows.shape[0]):
        row, order = rows[r], orders[r]
        order[:] = np.arange(row.size)
        low, left = 0, _move_nans_last_and_count_others(row, order)
        for place in places:
            if place < left:
                quickselect(row, low, left - 1, place, order)
                low = place
    return out

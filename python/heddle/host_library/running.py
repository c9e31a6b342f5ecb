"""Totals along the way, and differences."""

import functools

import numpy as np

from heddle.host_library.registry import implements, is_array, sum_dtype


@implements("array.cumsum", "numpy.cumsum")
def _cumsum(a):
    return _running_total(sum_dtype(a), "sum") if is_array(a) else None


@implements("array.cumprod", "numpy.cumprod")
def _cumprod(a):
    return _running_total(sum_dtype(a), "product") if is_array(a) else None


@functools.cache
def _running_total(element, what):
    first = element.type(0 if what == "sum" else 1)
    adds = what == "sum"

    def running_total(a):
        out = np.empty(a.size, element)
        total = first
        for i, v in enumerate(np.nditer(a)):
            if adds:
                total += v.item()
            else:
                total *= v.item()
            out[i] = total
        return out

    return running_total


@implements("numpy.diff")
def _diff(a):
    return _differences if is_array(a, 1) else None


def _differences(a):
    return a[1:] - a[:-1]

"""Arrays of the elements of several."""

import functools

import numpy as np

from heddle import types
from heddle.host_library.registry import implements, is_array, joint_dtype


@implements("numpy.concatenate")
def _concatenate(arrays, axis=None):
    if not isinstance(arrays, types.BaseTuple) or not all(
        is_array(a, arrays.types[0].ndim) for a in arrays.types
    ):
        return None
    element = joint_dtype(*arrays.types)
    if arrays.types[0].ndim == 1:
        return _concatenated(element)
    return _concatenated_rows(element) if arrays.types[0].ndim == 2 else None


@functools.cache
def _concatenated(element):
    def concatenate(arrays, axis=0):
        size = 0
        for a in arrays:
            size += a.size
        out = np.empty(size, element)
        size = 0
        for a in arrays:
            out[size : size + a.size] = a
            size += a.size
        return out

    return concatenate


@functools.cache
def _concatenated_rows(element):
    def concatenate(arrays, axis=0):
        total = 0
        along = axis if axis >= 0 else axis + 2
        for a in arrays:
            if a.shape[1 - along] != arrays[0].shape[1 - along]:
                raise ValueError(
                    "all the input array dimensions except for the concatenation axis must match exactly"
                )
            total += a.shape[along]
        other = arrays[0].shape[1 - along]
        out = np.empty((total, other) if along == 0 else (other, total), element)
        begin = 0
        for a in arrays:
            end = begin + a.shape[along]
            if along == 0:
                out[begin:end, :] = a
            else:
                out[:, begin:end] = a
            begin = end
        return out

    return concatenate

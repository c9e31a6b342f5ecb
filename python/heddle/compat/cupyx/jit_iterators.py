"""Iterators of ``cupyx.jit.thrust``: array positions, and computed sequences.

array.begin(), array.end()                     in kernels; an array is also an iterator to its first element
first + n, last - first, first[i]              as for pointers
"""

import contextlib
import operator
import threading
from typing import Any, NamedTuple

import numpy as np

from heddle import types
from heddle.extension.overloads import overload, overload_method, register_attribute_finder


class Iterator(NamedTuple):
    """A position in a one-dimensional array: index ``place``."""

    array: Any
    place: Any
    __heddle_structure__ = True


class ConstantIterator(NamedTuple):
    """A constant sequence."""

    value: Any
    __heddle_structure__ = True


class CountingIterator(NamedTuple):
    """A sequence of consecutive numbers."""

    first: Any
    __heddle_structure__ = True


def _is_instance_of(a_type, iterator_class):
    return getattr(a_type, "instance_class", None) is iterator_class


def _is_1d_array(a_type):
    return isinstance(a_type, types.Array) and a_type.ndim == 1


@overload_method(types.Array, "begin")
def _choose_begin_implementation(array):
    return (lambda array: Iterator(array, np.int64(0))) if _is_1d_array(array) else None


@overload_method(types.Array, "end")
def _choose_end_implementation(array):
    return (lambda array: Iterator(array, np.int64(array.size))) if _is_1d_array(array) else None


def _advance_array(array, n):
    """``array + n``, only in cupyx.jit kernels."""


@overload(_advance_array)
def _choose_advance_array_implementation(array, n):
    if isinstance(n, types.Integer):
        return lambda array, n: Iterator(array, np.int64(n))
    return None


_compiling = threading.local()


@contextlib.contextmanager
def mark_kernel_compiling():
    """Context manager: kernels compiled inside have ``array + n``, and ``is_compiling()`` is true."""
    before = getattr(_compiling, "is_on", False)
    _compiling.is_on = True
    try:
        yield
    finally:
        _compiling.is_on = before


def is_compiling():
    """True if the thread is compiling a cupyx.jit kernel."""
    return getattr(_compiling, "is_on", False)


def _find_array_add_offset(object_type, name, target):
    is_asked = name == "__add__" and is_compiling()
    return (True, _advance_array) if is_asked and _is_1d_array(object_type) else None


register_attribute_finder(_find_array_add_offset, "__add__")


@overload(operator.add)
def _choose_add_implementation(a, n):
    if _is_instance_of(a, Iterator) and isinstance(n, types.Integer):
        return lambda a, n: Iterator(getattr(a, ".array"), getattr(a, ".place") + np.int64(n))
    if _is_instance_of(a, CountingIterator):
        return lambda a, n: CountingIterator(getattr(a, ".first") + n)
    return (lambda a, n: a) if _is_instance_of(a, ConstantIterator) else None


@overload(operator.sub)
def _choose_subtract_implementation(a, b):
    if not _is_instance_of(a, Iterator):
        return None
    if _is_instance_of(b, Iterator):
        return lambda a, b: getattr(a, ".place") - getattr(b, ".place")
    if _is_1d_array(b):
        return lambda a, b: getattr(a, ".place")
    if isinstance(b, types.Integer):
        return lambda a, b: Iterator(getattr(a, ".array"), getattr(a, ".place") - np.int64(b))
    return None


@overload(operator.getitem)
def _choose_getitem_implementation(a, i):
    if _is_instance_of(a, Iterator):
        return lambda a, i: getattr(a, ".array")[getattr(a, ".place") + np.int64(i)]
    if _is_instance_of(a, CountingIterator):
        return lambda a, i: getattr(a, ".first") + i
    return (lambda a, i: getattr(a, ".value")) if _is_instance_of(a, ConstantIterator) else None


@overload(operator.setitem)
def _choose_setitem_implementation(a, i, value):
    if not _is_instance_of(a, Iterator):
        return None

    def assign_element(a, i, value):
        getattr(a, ".array")[getattr(a, ".place") + np.int64(i)] = value

    return assign_element

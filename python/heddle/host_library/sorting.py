"""Sorting arrays.

Numbers are sorted digit by digit (radix sort): each number is mapped to an unsigned key with the same order, and each
pass, over 8 bits of the keys, keeps the order of the previous passes. The time depends only on the number of elements,
and equal elements keep their order.
"""

import functools

import numpy as np

from heddle import types
from heddle.compiler.library_registry import (
    compiled,
    get_element_dtype,
    implements,
    is_absent_or_none,
    is_array,
    is_text_array,
)

# Arrays of at most this many keys are sorted by insertion.
_few = 64


def is_radix_sortable(a):
    return (
        is_array(a)
        and a.ndim > 0
        and get_element_dtype(a).kind in "biuf"
        and get_element_dtype(a).itemsize <= 8
    )


@functools.cache
def _unsigned_type_of(element):
    return np.dtype(f"u{element.itemsize}").type


@functools.cache
def _make_key_functions(element):
    """(a function from an element's bits to its key, the inverse function)"""
    unsigned = _unsigned_type_of(element)
    top = unsigned(1 << (8 * element.itemsize - 1))
    if element.kind == "f":
        infinity = np.array([-np.inf], element).view(unsigned)[0]

        def to_key(bits):
            # The order of negative numbers is reversed; NaNs of either sign come last.
            return unsigned(~bits if bits & top and bits <= infinity else bits | top)

        def from_key(key):
            return unsigned(key ^ top if key & top else ~key)

    elif element.kind == "i":

        def to_key(bits):
            return unsigned(bits ^ top)

        from_key = to_key
    else:

        def to_key(bits):
            return bits

        from_key = to_key
    return compiled(to_key), compiled(from_key)


@compiled
def _insertion_sort(keys):
    for i in range(1, keys.size):
        key = keys[i]
        j = i
        while j > 0 and keys[j - 1] > key:
            keys[j] = keys[j - 1]
            j -= 1
        keys[j] = key


@compiled
def _insertion_sort_pairs(keys, numbers):
    for i in range(1, keys.size):
        key, number = keys[i], numbers[i]
        j = i
        while j > 0 and keys[j - 1] > key:
            keys[j] = keys[j - 1]
            numbers[j] = numbers[j - 1]
            j -= 1
        keys[j] = key
        numbers[j] = number


@functools.cache
def _make_digit_functions(element):
    """(a function that extracts a digit of a key, a function that counts the values of each digit)"""
    places, unsigned = element.itemsize, _unsigned_type_of(element)
    low = unsigned(255)

    @compiled
    def get_digit(key, place):
        return np.int64(key >> unsigned(8 * place) & low)

    @compiled
    def compute_digit_offsets(keys):
        firsts = np.zeros((places, 256), np.int64)
        for i in range(keys.size):
            for place in range(places):
                firsts[place, get_digit(keys[i], place)] += 1
        for place in range(places):
            total = 0
            for value in range(256):
                count = firsts[place, value]
                firsts[place, value] = total if count < keys.size else -1
                total += count
        return firsts

    return get_digit, compute_digit_offsets


@functools.cache
def _make_radix_sort(element):
    """A function that sorts a contiguous one-dimensional array in place."""
    places, unsigned = element.itemsize, _unsigned_type_of(element)
    to_key, from_key = _make_key_functions(element)
    digit_of, first_places = _make_digit_functions(element)

    @compiled
    def radix_sort(a):
        keys = a.view(unsigned)
        for i in range(keys.size):
            keys[i] = to_key(keys[i])
        if keys.size <= _few:
            _insertion_sort(keys)
        else:
            firsts = first_places(keys)
            source, target = keys, np.empty(keys.size, unsigned)
            moves = 0
            for place in range(places):
                first = firsts[place]
                if first[digit_of(source[0], place)] < 0:
                    continue  # all keys have the same digit here
                for i in range(source.size):
                    key = source[i]
                    digit = digit_of(key, place)
                    target[first[digit]] = key
                    first[digit] += 1
                source, target = target, source
                moves += 1
            if moves % 2:
                target[:] = source
        for i in range(keys.size):
            keys[i] = from_key(keys[i])

    return radix_sort


@functools.cache
def _make_radix_argsort(element):
    """A function that returns the indices that sort a one-dimensional array."""
    places, unsigned = element.itemsize, _unsigned_type_of(element)
    to_key, _ = _make_key_functions(element)
    digit_of, first_places = _make_digit_functions(element)
    negative_zero = unsigned(1 << (8 * element.itemsize - 1)) if element.kind == "f" else None

    @compiled
    def radix_sort_indices(a):
        keys = a.copy().view(unsigned)
        numbers = np.arange(keys.size)
        for i in range(keys.size):
            bits = keys[i]
            if negative_zero is not None and bits == negative_zero:
                bits = unsigned(0)  # both zeros are equal, and equal numbers keep their order
            keys[i] = to_key(bits)
        if keys.size <= _few:
            _insertion_sort_pairs(keys, numbers)
            return numbers
        firsts = first_places(keys)
        other_keys, others = np.empty(keys.size, unsigned), np.empty(keys.size, np.int64)
        for place in range(places):
            first = firsts[place]
            if first[digit_of(keys[0], place)] < 0:
                continue
            for i in range(keys.size):
                key = keys[i]
                digit = digit_of(key, place)
                to = first[digit]
                first[digit] = to + 1
                other_keys[to] = key
                others[to] = numbers[i]
            keys, other_keys = other_keys, keys
            numbers, others = others, numbers
        return numbers

    return radix_sort_indices


def _uses_argsort_to_sort(a):
    """True if np.sort of this type uses np.argsort of its rows."""
    return is_array(a) and a.ndim > 0 and get_element_dtype(a).kind in "cmMUS"


@implements("numpy.sort")
def _choose_sort_implementation(a, axis=None, kind=None):
    if _uses_argsort_to_sort(a) and is_absent_or_none(axis):
        return _sort_copy_by_argsort
    return (
        _make_copying_sort(get_element_dtype(a))
        if is_radix_sortable(a) and is_absent_or_none(axis)
        else None
    )


@functools.cache
def _make_copying_sort(element):
    sort = _make_radix_sort(element)

    def sort_copy(a, axis=-1, kind=None):
        out = a.copy()
        rows = out.reshape((-1, a.shape[a.ndim - 1])) if out.size else out.reshape((0, 1))
        for i in range(rows.shape[0]):
            sort(rows[i])
        return out

    return sort_copy


def _sort_copy_by_argsort(a, axis=-1, kind=None):
    out = a.copy()
    rows = out.reshape((-1, a.shape[a.ndim - 1])) if out.size else out.reshape((0, 1))
    for row in rows:
        row[:] = row[np.argsort(row)]
    return out


@implements("array.sort")
def _choose_sort_in_place_implementation(a, axis=None, kind=None):
    sortable = is_radix_sortable(a) or _uses_argsort_to_sort(a)
    return _sort_array_in_place if sortable and is_absent_or_none(axis) else None


def _sort_array_in_place(a, axis=-1, kind=None):
    a[...] = np.sort(a)


@implements("numpy.argsort", "array.argsort")
def _choose_argsort_implementation(a, kind=None):
    if not isinstance(kind, (type(None), types.StringLiteral)):
        return None
    if is_array(a, 1) and get_element_dtype(a).kind == "c":
        return _argsort_complex
    if is_array(a, 1) and get_element_dtype(a).kind in "mM":
        return _argsort_times
    if is_text_array(a, 1):
        return _make_text_argsort(get_element_dtype(a))
    if not is_radix_sortable(a) or a.ndim != 1:
        return None
    return _make_argsort(get_element_dtype(a))


@functools.cache
def _make_argsort(element):
    order = _make_radix_argsort(element)

    def argsort(a, kind="quicksort"):
        return order(a)

    return argsort


def _argsort_complex(a, kind="quicksort"):
    order = np.argsort(a.imag)
    order = order[np.argsort(a.real[order])]
    # Numbers with a NaN come last: first those with one NaN, the real part, then those with two.
    nans = 2 * np.isnan(a.real) + np.isnan(a.imag)
    return order[np.argsort(nans[order])]


@functools.cache
def _make_text_argsort(element):
    code = np.dtype(np.uint32 if element.kind == "U" else np.uint8)
    length = element.itemsize // code.itemsize
    code = code.type

    def argsort(a, kind="quicksort"):
        codes = a.copy().view(code).reshape((a.size, length))
        order = np.arange(a.size)
        for i in range(
            length - 1, -1, -1
        ):  # equal codes keep the order given by the codes after them
            order = order[np.argsort(codes[:, i][order])]
        return order

    return argsort


def _argsort_times(a, kind="quicksort"):
    # NaT, the smallest count, must come last.
    return np.argsort(a.view(np.int64).view(np.uint64) + np.uint64(2**63 - 1))

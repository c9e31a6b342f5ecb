"""``cupyx.jit.thrust``: Thrust's algorithms on ranges of arrays, by the thread that calls them.

    total = jit.thrust.reduce(jit.thrust.seq, array.begin(), array.end())

A range is given by its first and its last iterator (heddle.compat.cupyx.jit_iterators). Operations are Thrust's
defaults, as in CuPy: sums, ``==`` and ``<``.
"""

# ruff: noqa: SIM110 - kernels have no generator expressions

import numpy as np

from heddle import cuda, types
from heddle.compat.cupyx.jit_iterators import ConstantIterator, CountingIterator
from heddle.extending import overload
from heddle.missing_names import missing_name

# Policies: in a kernel each of them runs an algorithm in one thread.
host, device, seq = "thrust::host", "thrust::device", "thrust::seq"

_algorithm = cuda.jit(device=True)


@_algorithm
def adjacent_difference(exec_policy, first, last, result):
    """Each element minus the one before it; the first as it is."""
    before = first[0]
    result[0] = before
    for i in range(1, last - first):
        value = first[i]
        result[i] = value - before
        before = value
    return result + (last - first)


@_algorithm
def _lower_bound(first, last, value):
    low, high = np.int64(0), np.int64(last - first)
    while low < high:
        middle = (low + high) // 2
        if first[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@_algorithm
def _upper_bound(first, last, value):
    low, high = np.int64(0), np.int64(last - first)
    while low < high:
        middle = (low + high) // 2
        if value < first[middle]:
            high = middle
        else:
            low = middle + 1
    return low


@_algorithm
def _holds(first, last, value):
    place = _lower_bound(first, last, value)
    return place < last - first and not value < first[place]


def binary_search(exec_policy, first, last, *args):
    """Whether an ordered range has a value; for a range of values the same of each, in ``result``."""


def lower_bound(exec_policy, first, last, *args):
    """The first element of an ordered range that is not below a value; for a range of values the place of each."""


def _search(function, of_value, of_range):
    """Has a search take a value, or a range of values and the iterator of the results."""

    @overload(function)
    def search(exec_policy, first, last, *args):
        if len(args) == 1:
            return lambda exec_policy, first, last, *args: of_value(first, last, args[0])
        if len(args) == 3:
            return lambda exec_policy, first, last, *args: of_range(first, last, *args)
        return None


@_algorithm
def _place_of(first, last, value):
    return first + _lower_bound(first, last, value)


@_algorithm
def _hold_all(first, last, value_first, value_last, result):
    for i in range(value_last - value_first):
        result[i] = _holds(first, last, value_first[i])
    return result + (value_last - value_first)


@_algorithm
def _places_of(first, last, value_first, value_last, result):
    for i in range(value_last - value_first):
        result[i] = _lower_bound(first, last, value_first[i])
    return result + (value_last - value_first)


_search(binary_search, _holds, _hold_all)
_search(lower_bound, _place_of, _places_of)


@_algorithm
def equal_range(exec_policy, first, last, value):
    """The elements of an ordered range that are a value: their first, and what follows them."""
    return first + _lower_bound(first, last, value), first + _upper_bound(first, last, value)


@_algorithm
def copy(exec_policy, first, last, result):
    """Copies a range; returns what follows the copy."""
    for i in range(last - first):
        result[i] = first[i]
    return result + (last - first)


@_algorithm
def count(exec_policy, first, last, value):
    """How many elements are a value."""
    found = np.int32(0)
    for i in range(last - first):
        if first[i] == value:
            found += np.int32(1)
    return found


@_algorithm
def equal(exec_policy, first1, last1, first2):
    """Whether two ranges have the same elements."""
    for i in range(last1 - first1):
        if first1[i] != first2[i]:
            return False
    return True


@_algorithm
def fill(exec_policy, first, last, value):
    """Assigns a value to every element."""
    for i in range(last - first):
        first[i] = value


@_algorithm
def find(exec_policy, first, last, value):
    """The first element that is a value; ``last`` where there is none."""
    for i in range(last - first):
        if first[i] == value:
            return first + i
    return first + (last - first)


@_algorithm
def gather(exec_policy, map_first, map_last, input_first, result):
    """Copies the elements whose numbers a range has."""
    for i in range(map_last - map_first):
        result[i] = input_first[map_first[i]]
    return result + (map_last - map_first)


@_algorithm
def inclusive_scan(exec_policy, first, last, result):
    """The sums up to each element."""
    total = first[0]
    result[0] = total
    for i in range(1, last - first):
        total += first[i]
        result[i] = total
    return result + (last - first)


def exclusive_scan(exec_policy, first, last, result, init=None):
    """The sums of the elements before each, and ``init``."""


@_algorithm
def _exclusive_scan(first, last, result, init):
    total = init
    for i in range(last - first):
        value = first[i]
        result[i] = total
        total += value
    return result + (last - first)


@overload(exclusive_scan)
def _choose_exclusive_scan(exec_policy, first, last, result, init=None):
    if init is None or init == types.none:

        def from_zero(exec_policy, first, last, result, init=None):
            return _exclusive_scan(first, last, result, first[0] - first[0])

        return from_zero
    return lambda exec_policy, first, last, result, init=None: _exclusive_scan(
        first, last, result, init
    )


@_algorithm
def inclusive_scan_by_key(exec_policy, first1, last1, first2, result):
    """The same within each run of equal keys."""
    total = first2[0]
    for i in range(last1 - first1):
        if i > 0:
            total = total + first2[i] if first1[i] == first1[i - 1] else first2[i]
        result[i] = total
    return result + (last1 - first1)


@_algorithm
def exclusive_scan_by_key(exec_policy, first1, last1, first2, result, init=0):
    """The same within each run of equal keys."""
    total = init
    for i in range(last1 - first1):
        value = first2[i]
        if i > 0 and first1[i] != first1[i - 1]:
            total = init
        result[i] = total
        total += value
    return result + (last1 - first1)


@_algorithm
def inner_product(exec_policy, first1, last1, first2, init):
    """``init`` and the sum of the products of two ranges' elements."""
    for i in range(last1 - first1):
        init += first1[i] * first2[i]
    return init


@_algorithm
def is_sorted(exec_policy, first, last):
    """Whether no element is below the one before it."""
    for i in range(1, last - first):
        if first[i] < first[i - 1]:
            return False
    return True


@_algorithm
def is_sorted_until(exec_policy, first, last):
    """The first element that is below the one before it; ``last`` where there is none."""
    for i in range(1, last - first):
        if first[i] < first[i - 1]:
            return first + i
    return first + (last - first)


@_algorithm
def make_constant_iterator(x):
    """An iterator of one value again and again."""
    return ConstantIterator(x)


@_algorithm
def make_counting_iterator(x):
    """An iterator of a number and those that follow it."""
    return CountingIterator(x)


@_algorithm
def mismatch(exec_policy, first1, last1, first2):
    """The first elements of two ranges that differ."""
    for i in range(last1 - first1):
        if first1[i] != first2[i]:
            return first1 + i, first2 + i
    return first1 + (last1 - first1), first2 + (last1 - first1)


def reduce(exec_policy, first, last, init=None):
    """``init`` and the sum of the elements."""


@_algorithm
def _sum(first, last, init):
    for i in range(last - first):
        init += first[i]
    return init


@overload(reduce)
def _choose_reduce(exec_policy, first, last, init=None):
    if init is None or init == types.none:
        return lambda exec_policy, first, last, init=None: _sum(first, last, first[0] - first[0])
    return lambda exec_policy, first, last, init=None: _sum(first, last, init)


@_algorithm
def reduce_by_key(exec_policy, keys_first, keys_last, values_first, keys_output, values_output):
    """The sum of each run of equal keys; returns what follows the keys and the sums."""
    made = 0
    for i in range(keys_last - keys_first):
        if i > 0 and keys_first[i] == keys_first[i - 1]:
            values_output[made - 1] += values_first[i]
        else:
            keys_output[made] = keys_first[i]
            values_output[made] = values_first[i]
            made += 1
    return keys_output + made, values_output + made


@_algorithm
def remove_copy(exec_policy, first, last, result, value):
    """Copies the elements that are not a value; returns what follows them."""
    kept = 0
    for i in range(last - first):
        if first[i] != value:
            result[kept] = first[i]
            kept += 1
    return result + kept


@_algorithm
def remove(exec_policy, first, last, value):
    """Moves the elements that are not a value to the front; returns what follows them."""
    return remove_copy(exec_policy, first, last, first, value)


@_algorithm
def _sift_down(keys, values, root, size):
    """Moves an element of a heap down to its place."""
    while 2 * root + 1 < size:
        child = 2 * root + 1
        if child + 1 < size and keys[child] < keys[child + 1]:
            child += 1
        if not keys[root] < keys[child]:
            return
        _exchange(keys, values, root, child)
        root = child


@_algorithm
def _exchange(keys, values, i, j):
    key = keys[i]
    keys[i] = keys[j]
    keys[j] = key
    if values is not None:
        value = values[i]
        values[i] = values[j]
        values[j] = value


@_algorithm
def _heap_sort(keys, values, size):
    for k in range(size // 2):
        _sift_down(keys, values, size // 2 - 1 - k, size)
    for k in range(1, size):
        _exchange(keys, values, 0, size - k)
        _sift_down(keys, values, 0, size - k)


@_algorithm
def sort_by_key(exec_policy, keys_first, keys_last, values_first):
    """Sorts keys, and moves values with them."""
    _heap_sort(keys_first, values_first, keys_last - keys_first)


@_algorithm
def sort(exec_policy, first, last):
    """Sorts a range."""
    _heap_sort(first, None, last - first)


def __getattr__(name):
    raise missing_name("heddle.cupyx.jit.thrust", name)

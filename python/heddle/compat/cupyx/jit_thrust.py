"""``cupyx.jit.thrust``: Thrust's algorithms on array ranges, run by the calling thread.

    total = jit.thrust.reduce(jit.thrust.seq, array.begin(), array.end())

A range is a pair of iterators, first and last (heddle.compat.cupyx.jit_iterators). The operators are Thrust's defaults,
as in CuPy: ``+``, ``==`` and ``<``. Algorithms return the end of their output, unless noted.
"""

# ruff: noqa: SIM110 - kernels have no generator expressions

import numpy as np

from heddle import cuda, types
from heddle.compat.cupyx.jit_iterators import ConstantIterator, CountingIterator
from heddle.extension.overloads import overload
from heddle.support.missing_names import make_missing_name_error

# Execution policies. In a kernel, each runs an algorithm in one thread.
host, device, seq = "thrust::host", "thrust::device", "thrust::seq"

_algorithm = cuda.jit(device=True)


@_algorithm
def adjacent_difference(exec_policy, first, last, result):
    """Writes the difference of each element and its predecessor; copies the first element."""
    before = first[0]
    result[0] = before
    for i in range(1, last - first):
        value = first[i]
        result[i] = value - before
        before = value
    return result + (last - first)


@_algorithm
def _lower_bound_index(first, last, value):
    low, high = np.int64(0), np.int64(last - first)
    while low < high:
        middle = (low + high) // 2
        if first[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@_algorithm
def _upper_bound_index(first, last, value):
    low, high = np.int64(0), np.int64(last - first)
    while low < high:
        middle = (low + high) // 2
        if value < first[middle]:
            high = middle
        else:
            low = middle + 1
    return low


@_algorithm
def _is_in_sorted_range(first, last, value):
    place = _lower_bound_index(first, last, value)
    return place < last - first and not value < first[place]


def binary_search(exec_policy, first, last, *args):
    """True if a sorted range contains a value; for a range of values, writes each answer to ``result``."""


def lower_bound(exec_policy, first, last, *args):
    """The first position not below a value in a sorted range; for a range of values, writes the index for each."""


def upper_bound(exec_policy, first, last, *args):
    """The first position above a value in a sorted range; for a range of values, writes the index for each."""


def _overload_search(function, of_value, of_range):
    """Overloads a search for a value, and for a range of values with an output iterator."""

    @overload(function)
    def choose_search(exec_policy, first, last, *args):
        if len(args) == 1:
            return lambda exec_policy, first, last, *args: of_value(first, last, args[0])
        if len(args) == 3:
            return lambda exec_policy, first, last, *args: of_range(first, last, *args)
        return None


@_algorithm
def _find_lower_bound(first, last, value):
    return first + _lower_bound_index(first, last, value)


@_algorithm
def _write_whether_contained(first, last, value_first, value_last, result):
    for i in range(value_last - value_first):
        result[i] = _is_in_sorted_range(first, last, value_first[i])
    return result + (value_last - value_first)


@_algorithm
def _write_lower_bounds(first, last, value_first, value_last, result):
    for i in range(value_last - value_first):
        result[i] = _lower_bound_index(first, last, value_first[i])
    return result + (value_last - value_first)


@_algorithm
def _find_upper_bound(first, last, value):
    return first + _upper_bound_index(first, last, value)


@_algorithm
def _write_upper_bounds(first, last, value_first, value_last, result):
    for i in range(value_last - value_first):
        result[i] = _upper_bound_index(first, last, value_first[i])
    return result + (value_last - value_first)


_overload_search(binary_search, _is_in_sorted_range, _write_whether_contained)
_overload_search(lower_bound, _find_lower_bound, _write_lower_bounds)
_overload_search(upper_bound, _find_upper_bound, _write_upper_bounds)


@_algorithm
def equal_range(exec_policy, first, last, value):
    """The subrange of a sorted range that equals a value: its begin and end."""
    return first + _lower_bound_index(first, last, value), first + _upper_bound_index(
        first, last, value
    )


@_algorithm
def copy(exec_policy, first, last, result):
    """Copies a range."""
    for i in range(last - first):
        result[i] = first[i]
    return result + (last - first)


@_algorithm
def count(exec_policy, first, last, value):
    """The number of elements equal to a value."""
    found = np.int32(0)
    for i in range(last - first):
        if first[i] == value:
            found += np.int32(1)
    return found


@_algorithm
def equal(exec_policy, first1, last1, first2):
    """True if two ranges are equal."""
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
    """The first element equal to a value; ``last`` if there is none."""
    for i in range(last - first):
        if first[i] == value:
            return first + i
    return first + (last - first)


@_algorithm
def gather(exec_policy, map_first, map_last, input_first, result):
    """Copies the input elements at the indices in a range."""
    for i in range(map_last - map_first):
        result[i] = input_first[map_first[i]]
    return result + (map_last - map_first)


@_algorithm
def inclusive_scan(exec_policy, first, last, result):
    """Writes the sums up to and including each element."""
    total = first[0]
    result[0] = total
    for i in range(1, last - first):
        total += first[i]
        result[i] = total
    return result + (last - first)


def exclusive_scan(exec_policy, first, last, result, init=None):
    """Writes the sums of ``init`` and the elements before each."""


@_algorithm
def _exclusive_scan(first, last, result, init):
    total = init
    for i in range(last - first):
        value = first[i]
        result[i] = total
        total += value
    return result + (last - first)


@overload(exclusive_scan)
def _choose_exclusive_scan_implementation(exec_policy, first, last, result, init=None):
    if init is None or init == types.none:

        def scan_from_zero(exec_policy, first, last, result, init=None):
            return _exclusive_scan(first, last, result, first[0] - first[0])

        return scan_from_zero
    return lambda exec_policy, first, last, result, init=None: _exclusive_scan(
        first, last, result, init
    )


@_algorithm
def inclusive_scan_by_key(exec_policy, first1, last1, first2, result):
    """As inclusive_scan, restarted for each run of equal keys."""
    total = first2[0]
    for i in range(last1 - first1):
        if i > 0:
            total = total + first2[i] if first1[i] == first1[i - 1] else first2[i]
        result[i] = total
    return result + (last1 - first1)


@_algorithm
def exclusive_scan_by_key(exec_policy, first1, last1, first2, result, init=0):
    """As exclusive_scan, restarted for each run of equal keys."""
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
    """The sum of ``init`` and the products of the elements of two ranges."""
    for i in range(last1 - first1):
        init += first1[i] * first2[i]
    return init


@_algorithm
def is_sorted(exec_policy, first, last):
    """True if a range is sorted."""
    for i in range(1, last - first):
        if first[i] < first[i - 1]:
            return False
    return True


@_algorithm
def is_sorted_until(exec_policy, first, last):
    """The end of the sorted prefix: the first element below its predecessor, or ``last``."""
    for i in range(1, last - first):
        if first[i] < first[i - 1]:
            return first + i
    return first + (last - first)


@_algorithm
def make_constant_iterator(x):
    """An iterator over a constant sequence."""
    return ConstantIterator(x)


@_algorithm
def make_counting_iterator(x):
    """An iterator over consecutive numbers, starting with x."""
    return CountingIterator(x)


@_algorithm
def mismatch(exec_policy, first1, last1, first2):
    """The first positions at which two ranges differ."""
    for i in range(last1 - first1):
        if first1[i] != first2[i]:
            return first1 + i, first2 + i
    return first1 + (last1 - first1), first2 + (last1 - first1)


def reduce(exec_policy, first, last, init=None):
    """The sum of ``init`` and the elements."""


@_algorithm
def _sum_range(first, last, init):
    for i in range(last - first):
        init += first[i]
    return init


@overload(reduce)
def _choose_reduce_implementation(exec_policy, first, last, init=None):
    if init is None or init == types.none:
        return lambda exec_policy, first, last, init=None: _sum_range(
            first, last, first[0] - first[0]
        )
    return lambda exec_policy, first, last, init=None: _sum_range(first, last, init)


@_algorithm
def reduce_by_key(exec_policy, keys_first, keys_last, values_first, keys_output, values_output):
    """Writes the key and the sum of each run of equal keys. Returns the ends of both outputs."""
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
    """Copies the elements not equal to a value."""
    kept = 0
    for i in range(last - first):
        if first[i] != value:
            result[kept] = first[i]
            kept += 1
    return result + kept


@_algorithm
def remove(exec_policy, first, last, value):
    """Moves the elements not equal to a value to the front."""
    return remove_copy(exec_policy, first, last, first, value)


@_algorithm
def _sift_down(keys, values, root, size):
    """Sifts an element of a heap down."""
    while 2 * root + 1 < size:
        child = 2 * root + 1
        if child + 1 < size and keys[child] < keys[child + 1]:
            child += 1
        if not keys[root] < keys[child]:
            return
        _swap(keys, values, root, child)
        root = child


@_algorithm
def _swap(keys, values, i, j):
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
        _swap(keys, values, 0, size - k)
        _sift_down(keys, values, 0, size - k)


@_algorithm
def sort_by_key(exec_policy, keys_first, keys_last, values_first):
    """Sorts keys together with their values."""
    _heap_sort(keys_first, values_first, keys_last - keys_first)


@_algorithm
def sort(exec_policy, first, last):
    """Sorts a range."""
    _heap_sort(first, None, last - first)


@_algorithm
def replace_copy(exec_policy, first, last, result, old_value, new_value):
    """Copies a range, replacing one value by another."""
    for i in range(last - first):
        result[i] = new_value if first[i] == old_value else first[i]
    return result + (last - first)


@_algorithm
def replace(exec_policy, first, last, old_value, new_value):
    """Replaces one value by another in place."""
    replace_copy(exec_policy, first, last, first, old_value, new_value)


@_algorithm
def reverse(exec_policy, first, last):
    """Reverses a range in place."""
    size = last - first
    for i in range(size // 2):
        _swap(first, None, i, size - 1 - i)


@_algorithm
def reverse_copy(exec_policy, first, last, result):
    """Copies a range in reverse order."""
    size = last - first
    for i in range(size):
        result[i] = first[size - 1 - i]
    return result + size


@_algorithm
def scatter(exec_policy, first, last, map, result):
    """Writes each element to the index in ``map``."""
    for i in range(last - first):
        result[map[i]] = first[i]


def sequence(exec_policy, first, last, init=None, step=None):
    """Fills a range with ``init``, ``init + step`` and so on; by default with 0, 1, 2."""


@_algorithm
def _fill_with_steps(first, last, init, step):
    for i in range(last - first):
        first[i] = init + i * step


@overload(sequence)
def _choose_sequence_implementation(exec_policy, first, last, init=None, step=None):
    if init is None or init == types.none:
        return lambda exec_policy, first, last, init=None, step=None: _fill_with_steps(
            first, last, 0, 1
        )
    if step is None or step == types.none:
        return lambda exec_policy, first, last, init=None, step=None: _fill_with_steps(
            first, last, init, 1
        )
    return lambda exec_policy, first, last, init=None, step=None: _fill_with_steps(
        first, last, init, step
    )


@_algorithm
def swap_ranges(exec_policy, first1, last1, first2):
    """Swaps the elements of two ranges."""
    for i in range(last1 - first1):
        value = first1[i]
        first1[i] = first2[i]
        first2[i] = value
    return first2 + (last1 - first1)


@_algorithm
def unique_by_key(exec_policy, keys_first, keys_last, values_first):
    """Keeps the first key of each run of equal keys, and its value. Returns the ends of both."""
    kept = 0
    for i in range(keys_last - keys_first):
        if i == 0 or keys_first[i] != keys_first[kept - 1]:
            keys_first[kept] = keys_first[i]
            values_first[kept] = values_first[i]
            kept += 1
    return keys_first + kept, values_first + kept


@_algorithm
def unique(exec_policy, first, last):
    """Keeps the first element of each run of equal elements."""
    kept = 0
    for i in range(last - first):
        if i == 0 or first[i] != first[kept - 1]:
            first[kept] = first[i]
            kept += 1
    return first + kept


# Set operations on sorted ranges, which may have duplicates. Which range has the next element (only the first, only the
# second, or both) decides whether it is output.


@_algorithm
def _append_entry(keys, values, of_key, of_value, made, i):
    keys[made] = of_key[i]
    if values is not None:
        values[made] = of_value[i]
    return made + 1


@_algorithm
def _write_set_operation(
    first1, last1, first2, last2, values1, values2, keys, values, alone1, alone2, both
):
    i, j, made = 0, 0, 0
    size1, size2 = last1 - first1, last2 - first2
    while i < size1 or j < size2:
        if j == size2 or (i < size1 and first1[i] < first2[j]):
            if alone1:
                made = _append_entry(keys, values, first1, values1, made, i)
            i += 1
        elif i == size1 or first2[j] < first1[i]:
            if alone2:
                made = _append_entry(keys, values, first2, values2, made, j)
            j += 1
        else:
            if both:
                made = _append_entry(keys, values, first1, values1, made, i)
            i += 1
            j += 1
    return made


@_algorithm
def set_difference(exec_policy, first1, last1, first2, last2, result):
    """Writes the elements of the first range that are not in the second."""
    return result + _write_set_operation(
        first1, last1, first2, last2, None, None, result, None, True, False, False
    )


@_algorithm
def set_intersection(exec_policy, first1, last1, first2, last2, result):
    """Writes the elements that are in both ranges."""
    return result + _write_set_operation(
        first1, last1, first2, last2, None, None, result, None, False, False, True
    )


@_algorithm
def set_symmetric_difference(exec_policy, first1, last1, first2, last2, result):
    """Writes the elements that are in exactly one of two ranges."""
    return result + _write_set_operation(
        first1, last1, first2, last2, None, None, result, None, True, True, False
    )


@_algorithm
def set_union(exec_policy, first1, last1, first2, last2, result):
    """Writes the elements of both ranges; common elements are taken from the first."""
    return result + _write_set_operation(
        first1, last1, first2, last2, None, None, result, None, True, True, True
    )


@_algorithm
def set_difference_by_key(
    exec_policy, first1, last1, first2, last2, values1, values2, keys_result, values_result
):
    """``set_difference`` of keys, with their values."""
    made = _write_set_operation(
        *(first1, last1, first2, last2, values1, values2, keys_result, values_result),
        *(True, False, False),
    )
    return keys_result + made, values_result + made


@_algorithm
def set_intersection_by_key(
    exec_policy, first1, last1, first2, last2, values1, keys_result, values_result
):
    """``set_intersection`` of keys, with the values of the first range."""
    made = _write_set_operation(
        *(first1, last1, first2, last2, values1, values1, keys_result, values_result),
        *(False, False, True),
    )
    return keys_result + made, values_result + made


@_algorithm
def set_symmetric_difference_by_key(
    exec_policy, first1, last1, first2, last2, values1, values2, keys_result, values_result
):
    """``set_symmetric_difference`` of keys, with their values."""
    made = _write_set_operation(
        *(first1, last1, first2, last2, values1, values2, keys_result, values_result),
        *(True, True, False),
    )
    return keys_result + made, values_result + made


@_algorithm
def set_union_by_key(
    exec_policy, first1, last1, first2, last2, values1, values2, keys_result, values_result
):
    """``set_union`` of keys, with their values."""
    made = _write_set_operation(
        *(first1, last1, first2, last2, values1, values2, keys_result, values_result),
        *(True, True, True),
    )
    return keys_result + made, values_result + made


# Stable in-place sort: sorted runs are merged by rotating the elements between them.

_short = 16


@_algorithm
def _insertion_sort(keys, values, begin, end):
    for i in range(begin + 1, end):
        j = i
        while j > begin and keys[j] < keys[j - 1]:
            _swap(keys, values, j, j - 1)
            j -= 1


@_algorithm
def _reverse(keys, values, begin, end):
    for i in range((end - begin) // 2):
        _swap(keys, values, begin + i, end - 1 - i)


# Each cut leaves at most three quarters of a range, so 2^31 elements need no more cuts.
_most_cuts = 80


@_algorithm
def _merge_runs(keys, values, begin, middle, end):
    """Merges two adjacent sorted runs. Iterative, because a GPU's stack is small."""
    waiting = cuda.local.array((_most_cuts, 3), np.int64)
    count = 0
    while True:
        if begin >= middle or middle >= end or end - begin == 2:
            if begin < middle < end and keys[middle] < keys[begin]:
                _swap(keys, values, begin, middle)
            if count == 0:
                return
            count -= 1
            begin, middle, end = waiting[count, 0], waiting[count, 1], waiting[count, 2]
            continue
        # Split the longer run in half, and the other at the corresponding position.
        if middle - begin > end - middle:
            cut1 = begin + (middle - begin) // 2
            cut2 = middle + _lower_bound_index(keys + middle, keys + end, keys[cut1])
        else:
            cut2 = middle + (end - middle) // 2
            cut1 = begin + _upper_bound_index(keys + begin, keys + middle, keys[cut2])
        _reverse(keys, values, cut1, middle)
        _reverse(keys, values, middle, cut2)
        _reverse(keys, values, cut1, cut2)
        between = cut1 + (cut2 - middle)
        waiting[count, 0], waiting[count, 1], waiting[count, 2] = between, cut2, end
        count += 1
        middle, end = cut1, between


@_algorithm
def _stable_merge_sort(keys, values, size):
    for begin in range(0, size, _short):
        _insertion_sort(keys, values, begin, min(begin + _short, size))
    length = _short
    while length < size:
        for begin in range(0, size - length, 2 * length):
            _merge_runs(keys, values, begin, begin + length, min(begin + 2 * length, size))
        length *= 2


@_algorithm
def stable_sort_by_key(exec_policy, keys_first, keys_last, values_first):
    """Sorts keys together with their values; equal keys keep their order."""
    _stable_merge_sort(keys_first, values_first, keys_last - keys_first)


@_algorithm
def stable_sort(exec_policy, first, last):
    """Sorts a range; equal elements keep their order."""
    _stable_merge_sort(first, None, last - first)


def __getattr__(name):
    raise make_missing_name_error("heddle.cupyx.jit.thrust", name)

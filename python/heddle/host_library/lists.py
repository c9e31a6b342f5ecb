"""Methods and operators of lists, and functions that take lists, built on ``append``, ``pop``, ``len`` and indexing."""

import functools
import operator

import numpy as np

from heddle import types
from heddle.compiler.intrinsics import Intrinsic
from heddle.compiler.library_registry import (
    compiled,
    define_function_from_text,
    get_element_dtype,
    implements,
    is_absent_or_none,
    is_array,
    is_integer_or_bool,
    is_number_or_bool,
    is_text,
)
from heddle.host_library.hash_tables import is_table

literal_unroll = Intrinsic("cuda.literal_unroll")


def is_list(value):
    return getattr(value, "kind", "") == "list"


def is_generator(value):
    return getattr(value, "kind", "") == "generator"


def _is_iterable(value):
    kinds = ("list", "dict", "set", "range", "tuple", "iterator", "generator")
    return is_array(value, 1) or is_text(value) or getattr(value, "kind", "") in kinds


@implements("list.extend")
def _choose_extend_implementation(a, items):
    if not _is_iterable(items):
        return None
    return _extend_by_list if is_list(items) else _extend_by_iterable


def _extend_by_list(a, items):
    """Extends a list by a list, which may be ``a`` itself."""
    for i in range(len(items)):
        a.append(items[i])


def _extend_by_iterable(a, items):
    for item in items:
        a.append(item)


@implements("list.grow")
def _choose_iadd_implementation(a, items):
    return _extend_and_return


def _extend_and_return(a, items):
    for i in range(len(items)):  # the list may be ``a`` itself
        a._append_converted(items[i])
    return a


@implements("list.join")
def _choose_plus_implementation(a, b):
    return _concatenate


def _concatenate(a, b):
    out = a._empty_for_both(b)
    out.extend(a)
    out.extend(b)
    return out


@implements("list.copy")
def _choose_copy_implementation(a):
    return lambda a: a[:]


@implements("list.clear")
def _choose_clear_implementation(a):
    return _clear


def _clear(a):
    while a:
        a.pop()


@implements("list.repeat")
def _choose_times_implementation(a, count):
    return _repeat


@compiled
def _require_memory_for_list(size, count):
    """Raises MemoryError early if a list does not fit in memory; appending would first fill the memory."""
    if size > 0 and count > 2**58 // size:
        raise MemoryError("the list is larger than any memory")
    if size * count > 2**20:
        np.empty(size * count, np.int64)  # an item takes at least 8 bytes


def _repeat(a, count):
    _require_memory_for_list(len(a), count)
    out = a[:0]
    for _ in range(count):
        for item in a:
            out.append(item)
    return out


@implements("list.slice")
def _choose_slice_implementation(a, start, stop, step):
    return _get_slice


@compiled
def _compute_slice_bounds(size, start, stop, step):
    """(first index, end index, step) of a slice of ``size`` items."""
    by = 1 if step is None else step
    if by == 0:
        raise ValueError("slice step cannot be zero")
    low = 0 if by > 0 else -1
    high = size if by > 0 else size - 1
    if start is None:
        first = low if by > 0 else high
    else:
        first = start + size if start < 0 else start
        first = min(max(first, low), high)
    if stop is None:
        last = high if by > 0 else low
    else:
        last = stop + size if stop < 0 else stop
        last = min(max(last, low), high)
    return first, last, by


@implements("slice.indices")
def _choose_slice_indices_implementation(s, length):
    return _slice_indices if is_integer_or_bool(length) else None


def _slice_indices(s, length):
    if length < 0:
        raise ValueError("length should not be negative")
    return _compute_slice_bounds(length, s.start, s.stop, s.step)


def _get_slice(a, start, stop, step):
    first, last, by = _compute_slice_bounds(len(a), start, stop, step)
    out = a._empty()
    for i in range(first, last, by):
        out.append(a[i])
    return out


@implements("list.assign")
def _choose_assign_slice_implementation(a, items, start, stop, step):
    return _assign_slice if _is_iterable(items) else None


def _assign_slice(a, items, start, stop, step):
    first, last, by = _compute_slice_bounds(len(a), start, stop, step)
    new = [item for item in items]  # noqa: C416 - works for any iterable, even the list itself
    if by != 1:
        if len(new) != len(range(first, last, by)):
            raise ValueError("cannot resize extended list slice with step != 1")
        for k, place in enumerate(range(first, last, by)):
            a[place] = new[k]
    else:
        rest = a[max(first, last) :]
        while len(a) > first:
            a.pop()
        a.extend(new)
        a.extend(rest)


@implements("list.equals")
def _choose_equals_implementation(a, b):
    return _are_equal


def _are_equal(a, b):
    if len(a) != len(b):
        return False
    for x, y in zip(a, b):  # noqa: B905 - compiled code has no strict=
        if x != y:
            break
    else:
        return True
    return False


@implements("list.differs")
def _choose_not_equal_implementation(a, b):
    return _containers_differ


def _containers_differ(a, b):
    equal = a == b
    return not equal


@compiled
def _find_first_difference_index(a, b):
    """The first index at which two lists differ, or the length of the shorter one."""
    for i in range(min(len(a), len(b))):
        if a[i] != b[i]:
            return i
    return min(len(a), len(b))


def _implement_comparison(name, compare):
    """Implements a comparison of lists. compare: the comparison of two items, or of two lengths."""

    def compare_lists(a, b):
        place = _find_first_difference_index(a, b)
        if place == len(a) or place == len(b):
            return compare(len(a), len(b))
        return compare(a[place], b[place])

    @implements(f"list.{name}")
    def choose_implementation(a, b):
        return compare_lists


_implement_comparison("less", operator.lt)
_implement_comparison("less_equal", operator.le)
_implement_comparison("greater", operator.gt)
_implement_comparison("greater_equal", operator.ge)


@implements("list.holds")
def _choose_contains_implementation(item, a):
    return _contains


def _contains(item, a):
    for x in a:
        if x == item:
            break
    else:
        return False
    return True


@implements("list.lacks")
def _choose_lacks_implementation(item, a):
    return _does_not_contain


def _does_not_contain(item, a):
    held = item in a
    return not held


@implements("tuple.holds")
def _choose_tuple_contains_implementation(item, a):
    return _contains if _has_one_type(a) else _mixed_tuple_contains


def _has_one_type(a):
    """True if all elements of a tuple have the same type."""
    return len(set(a.types)) == 1


def _mixed_tuple_contains(item, a):
    for x in literal_unroll(a):
        if x == item:
            break
    else:
        return False
    return True


@implements("tuple.lacks")
def _choose_tuple_lacks_implementation(item, a):
    return _does_not_contain


@implements("list.count")
def _choose_count_implementation(a, item):
    return _count


def _count(a, item):
    n = 0
    for x in a:
        if x == item:
            n += 1
    return n


@implements("tuple.count")
def _choose_tuple_count_implementation(a, item):
    return _count if _has_one_type(a) else _count_in_mixed_tuple


def _count_in_mixed_tuple(a, item):
    n = 0
    for x in literal_unroll(a):
        if x == item:
            n += 1
    return n


@implements("tuple.index")
def _choose_tuple_index_implementation(a, item):
    return _index_in_uniform_tuple if _has_one_type(a) else _index_in_mixed_tuple


def _index_in_uniform_tuple(a, item):
    place = _find_index(a, item, None, None)
    if place < 0:
        raise ValueError("tuple.index(x): x not in tuple")
    return place


def _index_in_mixed_tuple(a, item):
    place, before = -1, 0
    for x in literal_unroll(a):
        if x == item:
            place = before
            break
        before = before + 1
    if place < 0:
        raise ValueError("tuple.index(x): x not in tuple")
    return place


@implements("list.index")
def _choose_index_implementation(a, item, start=None, stop=None):
    if not all(is_absent_or_none(bound) or is_integer_or_bool(bound) for bound in (start, stop)):
        return None
    return _index_in_typed_list if a.is_typed else _index_in_list


def _index_in_typed_list(a, item, start=0, stop=None):
    place = _find_index(a, item, start, stop)
    if place < 0:
        raise ValueError("item not in list")
    return place


def _index_in_list(a, item, start=0, stop=None):
    place = _find_index(a, item, start, stop)
    if place < 0:
        raise ValueError("value not in list")
    return place


@compiled
def _find_index(a, item, start, stop):
    place = -1  # keeps its integer type even if no element can be equal
    first, last, _ = _compute_slice_bounds(len(a), start, stop, 1)
    for i in range(first, last):
        if a[i] == item:
            place = i
            break
    return place


@implements("list.insert")
def _choose_insert_implementation(a, i, item):
    return _insert


def _insert(a, i, item):
    place = min(max(i + len(a) if i < 0 else i, 0), len(a))
    a.append(item)
    for k in range(len(a) - 1, place, -1):
        a[k] = a[k - 1]
    a[place] = item


@implements("list.remove")
def _choose_remove_implementation(a, item):
    return _remove


def _remove(a, item):
    for i in range(len(a)):
        if a[i] == item:
            a.pop(i)
            return
    raise ValueError("list.remove(x): x not in list")


@implements("list.pop")
def _choose_pop_implementation(a, i=None):
    return None if i is None else _pop_at


def _pop_at(a, i):
    if not a:
        raise IndexError("pop from empty list")
    place = i + len(a) if i < 0 else i
    if place < 0 or place >= len(a):
        raise IndexError("pop index out of range")
    item = a[place]
    for k in range(place, len(a) - 1):
        a[k] = a[k + 1]
    a.pop()
    return item


@implements("list.reverse")
def _choose_reverse_implementation(a):
    return _reverse


def _reverse(a):
    n = len(a)
    for i in range(n // 2):
        a[i], a[n - 1 - i] = a[n - 1 - i], a[i]


@implements("list.sort")
def _choose_sort_implementation(a, key=None, reverse=None):
    if not is_absent_or_none(key):
        return _sort_by_key
    if key is not None or reverse is not None:
        return _sort_with_reverse
    merge = (
        _merge_runs_of_numbers
        if getattr(a.dtype, "kind", "") in ("int", "float", "bool")
        else _merge_runs
    )
    return _make_merge_sort(compiled(merge))


@implements("builtins.sorted")
def _choose_sorted_implementation(values, key=None, reverse=None):
    if not (_is_iterable(values) or is_text(values)):
        return None
    return _sorted_items if is_absent_or_none(key) else _sorted_items_by_key


def _sorted_items(values, key=None, reverse=False):
    out = [value for value in values]  # noqa: C416 - works for any iterable
    out.sort(reverse=reverse)
    return out


def _sorted_items_by_key(values, key, reverse=False):
    out = [value for value in values]  # noqa: C416 - works for any iterable
    out.sort(key=key, reverse=reverse)
    return out


def _sort_with_reverse(a, key=None, reverse=False):
    """Sorts in place. Equal items keep their order, even with ``reverse``."""
    if reverse:
        a.reverse()
    a.sort()
    if reverse:
        a.reverse()


def _sort_by_key(a, key, reverse=False):
    sign = -1 if reverse else 1
    pairs = [(key(item), sign * i) for i, item in enumerate(a)]
    pairs.sort()
    other = a.copy()
    for place, pair in enumerate(pairs):
        a[len(a) - 1 - place if reverse else place] = other[sign * pair[1]]


def _merge_runs(source, target, begin, middle, end):
    """Merges two adjacent sorted runs. Among equal items, those of the first run come first."""
    i, k, place = begin, middle, begin
    while i < middle and k < end:
        if source[k] < source[i]:
            target[place] = source[k]
            k += 1
        else:
            target[place] = source[i]
            i += 1
        place += 1
    while i < middle:
        target[place] = source[i]
        i += 1
        place += 1
    while k < end:
        target[place] = source[k]
        k += 1
        place += 1


def _merge_runs_of_numbers(source, target, begin, middle, end):
    """As ``_merge_runs``, without a branch on the comparison, which the processor could not predict."""
    i, k, place = begin, middle, begin
    while i < middle and k < end:
        left, right = source[i], source[k]
        takes_right = int(right < left)
        target[place] = right if takes_right else left
        i += 1 - takes_right
        k += takes_right
        place += 1
    while i < middle:
        target[place] = source[i]
        i += 1
        place += 1
    while k < end:
        target[place] = source[k]
        k += 1
        place += 1


def _insertion_sort_range(a, begin, end):
    for i in range(begin + 1, end):
        item = a[i]
        place = i
        while place > begin and item < a[place - 1]:
            a[place] = a[place - 1]
            place -= 1
        a[place] = item


insertion_sort_range = compiled(_insertion_sort_range)


@functools.cache
def _make_merge_sort(merge):
    def merge_sort(a):
        """Merges adjacent runs of 8, 16, 32 ... items, back and forth between two lists."""
        width = 8
        for begin in range(0, len(a), width):
            insertion_sort_range(a, begin, min(begin + width, len(a)))
        if width >= len(a):
            return
        other = a.copy()
        while width < len(a):
            for begin in range(0, len(a), 2 * width):
                middle, end = min(begin + width, len(a)), min(begin + 2 * width, len(a))
                merge(a, other, begin, middle, end)
            width *= 2
            for begin in range(0, len(a), 2 * width):
                middle, end = min(begin + width, len(a)), min(begin + 2 * width, len(a))
                merge(other, a, begin, middle, end)
            width *= 2

    return merge_sort


@implements("list.__delitem__")
def _choose_delitem_implementation(a, i, stop=None, step=None):
    """The bounds of a slice are separate arguments; omitted ones have the type none."""
    return _delete_item if stop is None else _delete_slice


def _delete_item(a, i):
    a.pop(i)


def _delete_slice(a, i, stop, step):
    first, last, by = _compute_slice_bounds(len(a), i, stop, step)
    count = len(range(first, last, by))
    if count > 0:
        other = first + (count - 1) * by
        low, high, by = min(first, other), max(first, other), abs(by)
        kept = low
        for k in range(low, len(a)):
            if k > high or (k - low) % by != 0:
                a[kept] = a[k]
                kept += 1
        while len(a) > kept:
            a.pop()


@implements("operator.delitem")
def _choose_operator_delitem_implementation(a, b):
    return _delete_by_operator


def _delete_by_operator(a, b):
    del a[b]


# Lists with items of several types


@implements("literal_list.copy")
def _choose_literal_copy_implementation(a):
    return lambda a: a


@implements("literal_list.count")
def _choose_literal_count_implementation(a, value):
    alike = [
        t.kind == value.kind or (is_number_or_bool(t) and is_number_or_bool(value)) for t in a.types
    ]
    terms = [f"(a[{i}] == value)" for i, comparable in enumerate(alike) if comparable]
    return define_function_from_text(
        f"def applied(a, value):\n    return {' + '.join(['0', *terms])}\n", {}
    )


# Functions


@implements("builtins.list")
def _choose_list_implementation(items=None):
    return None if is_absent_or_none(items) else _build_list


def _build_list(items):
    return [item for item in items]  # noqa: C416 - list() is this function


@implements("builtins.sum")
def _choose_sum_implementation(values, start=None):
    if start is None and isinstance(values, types.BaseTuple) and types.complex128 in values.types:
        return lambda values: _sum_of_tuple(values)
    if not (is_list(values) or is_table(values) or is_generator(values)):
        return None
    return _sum_items if start is None else _sum_items_from


@compiled
def _sum_of_tuple(values):
    if len(values) == 0:
        return 0
    return _sum_of_tuple(values[:-1]) + values[-1]


def _sum_items(values):
    total = 0
    for value in values:
        total += value
    return total


def _sum_items_from(values, start):
    total = start
    for value in values:
        total += value
    return total


def _implement_min_or_max(name, message):
    larger = name == "max"

    def find_min_or_max(values):
        if not values:
            raise ValueError(message)
        best = values[0]
        for value in values:
            if (value > best) if larger else (value < best):
                best = value
        return best

    def select_min_or_max_of_two(a, b):
        return b if ((b > a) if larger else (b < a)) else a

    def find_min_or_max_key(table):
        return find_min_or_max(table._ordered())

    def find_min_or_max_of_iterable(values):
        return find_min_or_max([value for value in values])  # noqa: C416 - works for any iterable

    find_min_or_max = compiled(find_min_or_max)

    @implements(f"builtins.{name}")
    def choose_implementation(values, other=None):
        if other is not None:
            return select_min_or_max_of_two if is_text(values) and is_text(other) else None
        if is_table(values):
            return find_min_or_max_key
        if is_generator(values) or is_text(values) or getattr(values, "kind", "") == "range":
            return find_min_or_max_of_iterable
        if is_array(values, 1) and get_element_dtype(values).kind in "mM":
            return find_min_or_max_of_iterable
        if isinstance(values, types.UniTuple) and (
            isinstance(values.dtype, types.BaseTuple) or is_array(values.dtype, 0)
        ):
            return find_min_or_max_of_iterable
        is_tuple = getattr(values, "kind", "") == "tuple"
        return find_min_or_max if is_list(values) or (is_tuple and is_text(values.dtype)) else None


_implement_min_or_max("min", "min() iterable argument is empty")
_implement_min_or_max("max", "max() iterable argument is empty")


@functools.cache
def make_converter_of_number_list(element):
    """The function that makes an array from a list of numbers."""

    def convert_list_of_numbers(a):
        out = np.empty(len(a), element)
        for i, value in enumerate(a):
            out[i] = value
        return out

    return convert_list_of_numbers


def convert_number_list_to_dtype(a, dtype):
    """An array with that dtype from a list of numbers."""
    out = np.empty(len(a), dtype)
    for i, value in enumerate(a):
        out[i] = value
    return out


@functools.cache
def make_converter_of_row_list(element):
    """The function that makes an array from a list of lists of numbers."""

    def convert_list_of_rows(a):
        columns = len(a[0]) if len(a) > 0 else 0
        out = np.empty((len(a), columns), element)
        for i, row in enumerate(a):
            if len(row) != columns:
                raise ValueError("the rows of an array have one length")
            for k, value in enumerate(row):
                out[i, k] = value
        return out

    return convert_list_of_rows


@functools.cache
def make_converter_of_array_list(element, ndim):
    """The function that makes an array from a list of arrays."""
    nothing = (0,) * ndim

    def convert_list_of_arrays(a):
        shape = a[0].shape if len(a) > 0 else nothing
        out = np.empty((len(a), *shape), element)
        for i, part in enumerate(a):
            if part.shape != shape:
                raise ValueError("the rows of an array have one length")
            out[i] = part
        return out

    return convert_list_of_arrays


def _convert_nested_lists(a):
    return np.array([np.array(part) for part in a])


def _convert_list_to_dtype(a, dtype):
    return np.array(a).astype(dtype)


def choose_list_converter(values, dtype):
    """The function that np.array(values, dtype) calls for a list; None if no array can be made from it."""
    items = values.dtype
    if not is_array(items) and not is_list(items):
        return (
            make_converter_of_number_list(get_element_dtype(items))
            if dtype is None
            else convert_number_list_to_dtype
        )
    if dtype is not None:
        return _convert_list_to_dtype
    if is_array(items):
        return make_converter_of_array_list(get_element_dtype(items), items.ndim)
    if is_list(items.dtype) or is_array(items.dtype):
        return _convert_nested_lists
    return (
        make_converter_of_row_list(get_element_dtype(items.dtype))
        if is_number_or_bool(items.dtype)
        else None
    )

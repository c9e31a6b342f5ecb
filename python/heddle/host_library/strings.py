"""Operators and methods of strings, working on code points. Many also work on bytes objects, whose codes are bytes.

A new string or bytes object is allocated with ``new(like, length, width)`` and filled with ``set_code`` and ``put``
before anything else can see it. Python decides about case and character classes beyond ASCII.
"""

# ruff: noqa: SIM110, SIM113 - all() and any() would create a list here

from heddle.compiler.intrinsics import Intrinsic
from heddle.compiler.library_registry import (
    compiled,
    implements,
    is_absent_or_none,
    is_integer_or_bool,
    is_number_or_bool,
    is_text,
)

new = Intrinsic("host.new_text")
width_of = Intrinsic("host.text_width")
code_of = Intrinsic("host.code_of")
set_code = Intrinsic("host.set_code")
put = Intrinsic("host.put_text")
part_of = Intrinsic("host.part_of")
read_number = Intrinsic("host.read_number")
by_python = Intrinsic("host.text_by_python")
ask_python = Intrinsic("host.ask_python")


@compiled
def is_ascii(text):
    for i in range(len(text)):
        if code_of(text, i) >= 128:
            return False
    return True


# Operators


def implement_operators(type_name):
    """Implements ``+`` and ``*`` of str or bytes."""

    @implements(f"{type_name}.plus")
    def choose_plus_implementation(a, b):
        return _concatenate

    @implements(f"{type_name}.times")
    def choose_times_implementation(text, count):
        return _repeat


def _concatenate(a, b):
    if len(a) == 0:
        return b
    if len(b) == 0:
        return a
    out = new(a, len(a) + len(b), max(width_of(a), width_of(b)))
    put(out, 0, a)
    put(out, len(a), b)
    return out


def _repeat(text, count):
    if len(text) == 0 or count <= 0:
        return text[:0]
    if count > (1 << 60) // len(text):
        raise MemoryError("a result of this length is larger than any memory")
    out = new(text, len(text) * count, width_of(text))
    for i in range(count):
        put(out, i * len(text), text)
    return out


implement_operators("str")


@compiled
def compute_slice_bounds(size, start, stop):
    """(first, end) index of a slice with step 1; negative indices and None have their Python meaning."""
    first = 0 if start is None else start
    last = size if stop is None else stop
    first = max(first + size, 0) if first < 0 else min(first, size)
    last = max(last + size, 0) if last < 0 else min(last, size)
    return first, last


@implements("str.slice")
def _choose_slice_implementation(text, start, stop, step):
    return _slice if is_absent_or_none(step) else _slice_with_step


def _slice(text, start, stop, step):
    first, last = compute_slice_bounds(len(text), start, stop)
    return part_of(text, first, max(last - first, 0))


def _slice_with_step(text, start, stop, step):
    if step == 0:
        raise ValueError("slice step cannot be zero")
    if step == 1:
        first, last = compute_slice_bounds(len(text), start, stop)
        return part_of(text, first, max(last - first, 0))
    low = 0 if step > 0 else -1
    high = len(text) if step > 0 else len(text) - 1
    first = low if step > 0 else high
    if start is not None:
        first = min(max(start + len(text) if start < 0 else start, low), high)
    last = high if step > 0 else low
    if stop is not None:
        last = min(max(stop + len(text) if stop < 0 else stop, low), high)
    out = new(text, len(range(first, last, step)), width_of(text))
    place = 0
    for i in range(first, last, step):
        set_code(out, place, code_of(text, i))
        place += 1
    return out


# Searching


@compiled
def has_text_at(text, place, other):
    for i in range(len(other)):
        if code_of(text, place + i) != code_of(other, i):
            return False
    return True


@compiled
def find_first_occurrence(text, other, first, last):
    """The first index at which ``other`` starts between ``first`` and ``last``; -1 if there is none."""
    size = len(other)
    if size == 0:
        return first if first <= last else -1
    head = code_of(other, 0)
    for place in range(first, last - size + 1):
        if code_of(text, place) == head and has_text_at(text, place, other):
            return place
    return -1


@compiled
def find_last_occurrence(text, other, first, last):
    for place in range(last - len(other), first - 1, -1):
        if has_text_at(text, place, other):
            return place
    return -1


@compiled
def compute_search_range(text, start, end):
    """(first, end) index of the part to search; a start beyond the end gives a range in which nothing is found."""
    size = len(text)
    first, last = compute_slice_bounds(size, start, end)
    if start is not None and start > size:
        first = size + 1
    return first, last


@implements("str.holds")
def _choose_contains_implementation(other, text):
    return _contains


def _contains(other, text):
    return find_first_occurrence(text, other, 0, len(text)) >= 0


@implements("str.equals_or_none")
def _choose_optional_equals_implementation(a, b):
    return _are_optionals_equal


@compiled
def _are_optionals_equal(a, b):
    if a is None:
        return b is None
    if b is None:
        return False
    return str(a) == str(b)


@implements("str.differs_or_none")
def _choose_optional_differs_implementation(a, b):
    return _are_optionals_different


def _are_optionals_different(a, b):
    return not _are_optionals_equal(a, b)


@implements("str.lacks")
def _choose_lacks_implementation(other, text):
    return _does_not_contain


def _does_not_contain(other, text):
    return find_first_occurrence(text, other, 0, len(text)) < 0


def _make_find(find_occurrence):
    def find(text, other, start=None, end=None):
        first, last = compute_search_range(text, start, end)
        return find_occurrence(text, other, first, last)

    return find


def _make_index(find_occurrence, message):
    def index(text, other, start=None, end=None):
        first, last = compute_search_range(text, start, end)
        place = find_occurrence(text, other, first, last)
        if place < 0:
            raise ValueError(message)
        return place

    return index


def _count(text, other, start=None, end=None):
    first, last = compute_search_range(text, start, end)
    if len(other) == 0:
        return max(last - first + 1, 0)
    n = 0
    place = find_first_occurrence(text, other, first, last)
    while place >= 0:
        n += 1
        place = find_first_occurrence(text, other, place + len(other), last)
    return n


def _starts_with(text, other, start=None, end=None):
    first, last = compute_search_range(text, start, end)
    return last - first >= len(other) and has_text_at(text, first, other)


def _ends_with(text, other, start=None, end=None):
    first, last = compute_search_range(text, start, end)
    return last - first >= len(other) and has_text_at(text, last - len(other), other)


def _starts_with_any(text, others, start=None, end=None):
    for other in others:
        if text.startswith(other, start, end):
            return True
    return False


def _ends_with_any(text, others, start=None, end=None):
    for other in others:
        if text.endswith(other, start, end):
            return True
    return False


def implement_searches(type_name, is_of_type, not_found):
    """Implements the methods of str or bytes that search for a part. not_found: the error's text."""

    def implement_search(name, function, of_several=None):
        @implements(f"{type_name}.{name}")
        def choose_implementation(text, other, start=None, end=None):
            if not all(is_absent_or_none(b) or is_integer_or_bool(b) for b in (start, end)):
                return None
            if is_of_type(other):
                return function
            return None if is_number_or_bool(other) else of_several

    implement_search("find", _make_find(find_first_occurrence))
    implement_search("rfind", _make_find(find_last_occurrence))
    implement_search("index", _make_index(find_first_occurrence, not_found))
    implement_search("rindex", _make_index(find_last_occurrence, not_found))
    implement_search("count", _count)
    implement_search("startswith", _starts_with, _starts_with_any)
    implement_search("endswith", _ends_with, _ends_with_any)


implement_searches("str", is_text, "substring not found")

"""Operators and methods of bytes objects, which are read-only arrays. Parts of a bytes object share its memory."""

# ruff: noqa: SIM110 - all() and any() would create a list here

from heddle.compiler.library_registry import (
    compiled,
    implements,
    is_absent_or_none,
    is_bytes,
    is_integer_or_bool,
)
from heddle.host_library.strings import compute_search_range

# Operators


@compiled
def compare(a, b):
    """A number less than, equal to or greater than 0, as a is less than, equal to or greater than b."""
    for i in range(min(len(a), len(b))):
        if a[i] != b[i]:
            return 1 if a[i] > b[i] else -1
    return len(a) - len(b)


def _implement_operator(name, function):
    @implements(f"bytes.{name}")
    def choose_implementation(a, b):
        return function


_implement_operator("equals", lambda a, b: len(a) == len(b) and compare(a, b) == 0)
_implement_operator("differs", lambda a, b: len(a) != len(b) or compare(a, b) != 0)
_implement_operator("less", lambda a, b: compare(a, b) < 0)
_implement_operator("less_equal", lambda a, b: compare(a, b) <= 0)
_implement_operator("greater", lambda a, b: compare(a, b) > 0)
_implement_operator("greater_equal", lambda a, b: compare(a, b) >= 0)
_implement_operator("holds", lambda a, b: find_first(b, a, 0, len(b)) >= 0)
_implement_operator("lacks", lambda a, b: find_first(b, a, 0, len(b)) < 0)


# Searching


@compiled
def has_bytes_at(data, place, other):
    for i in range(len(other)):
        if data[place + i] != other[i]:
            return False
    return True


@compiled
def find_first(data, other, first, last):
    for place in range(first, last - len(other) + 1):
        if has_bytes_at(data, place, other):
            return place
    return -1


@compiled
def find_last(data, other, first, last):
    for place in range(last - len(other), first - 1, -1):
        if has_bytes_at(data, place, other):
            return place
    return -1


@compiled
def _find(data, other, start=None, end=None):
    first, last = compute_search_range(data, start, end)
    return find_first(data, other, first, last)


def _rfind(data, other, start=None, end=None):
    first, last = compute_search_range(data, start, end)
    return find_last(data, other, first, last)


def _index(data, other, start=None, end=None):
    place = _find(data, other, start, end)
    if place < 0:
        raise ValueError("subsection not found")
    return place


def _count(data, other, start=None, end=None):
    first, last = compute_search_range(data, start, end)
    if len(other) == 0:
        return max(last - first + 1, 0)
    n = 0
    place = find_first(data, other, first, last)
    while place >= 0:
        n += 1
        place = find_first(data, other, place + len(other), last)
    return n


def _starts_with(data, other, start=None, end=None):
    first, last = compute_search_range(data, start, end)
    return last - first >= len(other) and has_bytes_at(data, first, other)


def _ends_with(data, other, start=None, end=None):
    first, last = compute_search_range(data, start, end)
    return last - first >= len(other) and has_bytes_at(data, last - len(other), other)


def _implement_search(name, function):
    function = compiled(function)

    @implements(f"bytes.{name}")
    def choose_implementation(data, other, start=None, end=None):
        bounds_are_integers = all(
            is_absent_or_none(b) or is_integer_or_bool(b) for b in (start, end)
        )
        return function if is_bytes(other) and bounds_are_integers else None


_implement_search("find", _find)
_implement_search("rfind", _rfind)
_implement_search("index", _index)
_implement_search("count", _count)
_implement_search("startswith", _starts_with)
_implement_search("endswith", _ends_with)


# Parts


@compiled
def is_space(code):
    return code == 32 or 9 <= code <= 13


@compiled
def is_stripped(code, codes):
    if codes is None:
        return is_space(code)
    return code in codes


def _implement_strip(name, left, right):
    @compiled
    def strip(data, codes=None):
        first, last = 0, len(data)
        if left:
            while first < last and is_stripped(data[first], codes):
                first += 1
        if right:
            while last > first and is_stripped(data[last - 1], codes):
                last -= 1
        return data[first:last]

    @implements(f"bytes.{name}")
    def choose_implementation(data, codes=None):
        return strip if is_absent_or_none(codes) or is_bytes(codes) else None


_implement_strip("strip", True, True)
_implement_strip("lstrip", True, False)
_implement_strip("rstrip", False, True)


@implements("bytes.split")
def _choose_split_implementation(data, sep=None, maxsplit=-1):
    if not (maxsplit == -1 or is_integer_or_bool(maxsplit)):
        return None
    if is_absent_or_none(sep):
        return _split_words
    return _split_at if is_bytes(sep) else None


def _split_words(data, sep=None, maxsplit=-1):
    out = [data[:0] for _ in range(0)]
    place, left = 0, maxsplit
    while True:
        while place < len(data) and is_space(data[place]):
            place += 1
        if place == len(data):
            return out
        if left == 0:
            out.append(data[place:])
            return out
        first = place
        while place < len(data) and not is_space(data[place]):
            place += 1
        out.append(data[first:place])
        left -= 1


def _split_at(data, sep, maxsplit=-1):
    if len(sep) == 0:
        raise ValueError("empty separator")
    out = [data[:0] for _ in range(0)]
    first, left = 0, maxsplit
    while left != 0:
        place = find_first(data, sep, first, len(data))
        if place < 0:
            break
        out.append(data[first:place])
        first = place + len(sep)
        left -= 1
    out.append(data[first:])
    return out


@implements("bytes.isascii")
def _choose_isascii_implementation(data):
    return _is_ascii


def _is_ascii(data):
    for code in data:
        if code >= 128:
            return False
    return True

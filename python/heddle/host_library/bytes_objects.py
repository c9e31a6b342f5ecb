"""Operators and methods of bytes objects, which are read-only arrays. Parts of a bytes object share its memory."""

from heddle.compiler.library_registry import compiled, implements, is_bytes
from heddle.host_library.string_methods import implement_split, implement_strips
from heddle.host_library.strings import find_first_occurrence, implement_searches, is_ascii

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
_implement_operator("holds", lambda a, b: find_first_occurrence(b, a, 0, len(b)) >= 0)
_implement_operator("lacks", lambda a, b: find_first_occurrence(b, a, 0, len(b)) < 0)


# Methods


@compiled
def is_space(code):
    return code == 32 or 9 <= code <= 13


implement_searches("bytes", is_bytes, "subsection not found")
implement_strips("bytes", is_bytes, is_space)
implement_split("bytes", is_bytes, is_space)


@implements("bytes.isascii")
def _choose_isascii_implementation(data):
    return is_ascii

"""Operators and methods of bytes objects, which are read-only arrays. Parts of a bytes object share its memory."""

import numpy as np

from heddle.compiler.library_registry import (
    compiled,
    get_element_dtype,
    implements,
    is_array,
    is_bytes,
    is_integer_or_bool,
)
from heddle.host_library.string_methods import (
    implement_padding,
    implement_partitions,
    implement_removals,
    implement_replace,
    implement_splitlines,
    implement_splits,
    implement_strips,
    is_ascii_digit,
    is_ascii_letter,
    is_ascii_letter_or_digit,
    is_ascii_lower,
    is_ascii_space,
    is_ascii_upper,
    is_sequence_of,
    join,
)
from heddle.host_library.strings import (
    code_of,
    find_first_occurrence,
    implement_operators,
    implement_searches,
    is_ascii,
    new,
    set_code,
)

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


implement_operators("bytes")


# Methods


@compiled
def is_line_end(code):
    return code == 10 or code == 13


implement_searches("bytes", is_bytes, "subsection not found")
implement_strips("bytes", is_bytes, is_ascii_space)
implement_splits("bytes", is_bytes, is_ascii_space)
implement_splitlines("bytes", is_line_end)
implement_partitions("bytes", is_bytes)
implement_padding("bytes", is_bytes, b" ")
implement_removals("bytes", is_bytes)
implement_replace("bytes", is_bytes)


@implements("bytes.join")
def _choose_join_implementation(data, items):
    return join if is_sequence_of(is_bytes, items) else None


@implements("bytes.isascii")
def _choose_isascii_implementation(data):
    return is_ascii


def _implement_class_test(name, belongs):
    """Implements a method that tests whether all bytes belong to a class."""

    def test_class(data):
        for i in range(len(data)):
            if not belongs(code_of(data, i)):
                return False
        return len(data) > 0

    @implements(f"bytes.{name}")
    def choose_implementation(data):
        return test_class


_implement_class_test("isalpha", is_ascii_letter)
_implement_class_test("isdigit", is_ascii_digit)
_implement_class_test("isalnum", is_ascii_letter_or_digit)
_implement_class_test("isspace", is_ascii_space)


def _implement_case_test(name, is_wanted, is_unwanted):
    """Implements a method that tests the case of all letters, of which there must be one."""

    def test_case(data):
        has_wanted = False
        for i in range(len(data)):
            if is_unwanted(code_of(data, i)):
                return False
            has_wanted = has_wanted or is_wanted(code_of(data, i))
        return has_wanted

    @implements(f"bytes.{name}")
    def choose_implementation(data):
        return test_case


_implement_case_test("islower", is_ascii_lower, is_ascii_upper)
_implement_case_test("isupper", is_ascii_upper, is_ascii_lower)


def _implement_case_change(name, changes):
    def change_case(data):
        out = new(data, len(data), 1)
        for i in range(len(data)):
            code = code_of(data, i)
            set_code(out, i, code ^ 32 if changes(code) else code)
        return out

    @implements(f"bytes.{name}")
    def choose_implementation(data):
        return change_case


_implement_case_change("upper", is_ascii_lower)
_implement_case_change("lower", is_ascii_upper)
_implement_case_change("swapcase", is_ascii_letter)


@implements("bytes.hex")
def _choose_hex_implementation(data):
    return _write_in_hexadecimal


def _write_in_hexadecimal(data):
    out = new("", 2 * len(data), 1)
    for i in range(len(data)):
        set_code(out, 2 * i, ord("0123456789abcdef"[code_of(data, i) >> 4]))
        set_code(out, 2 * i + 1, ord("0123456789abcdef"[code_of(data, i) & 15]))
    return out


# Creation


@implements("builtins.bytes")
def _choose_bytes_implementation(source):
    if is_bytes(source):
        return lambda source: source
    if is_integer_or_bool(source):
        return _make_zeros
    if is_array(source) and get_element_dtype(source).kind != "O":
        return _copy_array
    return _collect_items if is_sequence_of(is_integer_or_bool, source) else None


def _make_zeros(source):
    if source < 0:
        raise ValueError("negative count")
    return b"\0" * source


def _collect_items(source):
    out = new(b"", len(source), 1)
    for i, item in enumerate(source):
        if item < 0 or item > 255:
            raise ValueError("bytes must be in range(0, 256)")
        set_code(out, i, item)
    return out


@implements("array.tobytes")
def _choose_tobytes_implementation(a):
    return _copy_array


def _copy_array(a):
    codes = np.ascontiguousarray(a).reshape(-1).view(np.uint8)
    out = new(b"", len(codes), 1)
    for i in range(len(codes)):
        set_code(out, i, codes[i])
    return out

"""Prints values that the compiler's row for print cannot print: arrays and their texts, lists, dicts, sets, dates,
complex numbers."""

import functools

import numpy as np

from heddle import types
from heddle.compiler.library_registry import (
    compiled,
    define_function_from_text,
    implements,
    is_array,
)
from heddle.compiler.rewriting.object_calls import ObjectBlock
from heddle.errors import UnsupportedError
from heddle.host_library.hash_tables import is_table
from heddle.host_library.lists import is_list


def _needs_python_print(value):
    """True if Python itself must print the value."""
    if isinstance(value, types.BaseTuple):
        return any(_needs_python_print(element) for element in value.types)
    return (
        is_array(value)
        or is_list(value)
        or is_table(value)
        or isinstance(value, (types.Complex, types.NPDatetime, types.NPTimedelta, types.Optional))
    )


def _print_values(*values):
    print(*values)
    return ()


@functools.cache
def _make_python_print(arguments):
    return ObjectBlock(_print_values, [], keeps_arguments=False).choose_implementation(
        arguments, {}, "host"
    )


_texts = (types.UnicodeCharSeq, types.CharSeq)


_digits = "0123456789abcdef"


@compiled
def _escape_code(code, quote):
    if code == 9:
        return "\\t"
    if code == 10:
        return "\\n"
    if code == 13:
        return "\\r"
    if code < 32 or code >= 127:
        return "\\x" + _digits[code // 16] + _digits[code % 16]
    character = chr(code)
    return "\\" + character if character == quote or character == "\\" else character


@compiled
def _repr_bytes(x):
    has_single = has_double = False
    for i in range(len(x)):
        has_single |= x[i] == ord("'")
        has_double |= x[i] == ord('"')
    quote = '"' if has_single and not has_double else "'"
    text = "b" + quote
    for i in range(len(x)):
        text += _escape_code(np.int64(x[i]), quote)
    return text + quote


def _format_print_argument(value, name):
    """The text to print a value with: an element of an array of texts prints as the text it holds."""
    if isinstance(value, types.UnicodeCharSeq):
        return f"str({name})"
    return f"shown({name})" if isinstance(value, types.CharSeq) else name


def _make_text_printer(values):
    names = [f"x{i}" for i in range(len(values))]
    written = ", ".join(map(_format_print_argument, values, names))
    return define_function_from_text(
        f"def applied({', '.join(names)}):\n    print({written})\n",
        {"shown": _repr_bytes},
    )


@implements("builtins.print")
def _choose_print_implementation(*values):
    if any(isinstance(value, _texts) for value in values):
        return _make_text_printer(values)
    if not any(_needs_python_print(value) for value in values):
        return None
    try:
        return _make_python_print(values)
    except UnsupportedError:  # the compiler's row explains what it cannot print
        return None

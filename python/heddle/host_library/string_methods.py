"""Methods that make strings from strings or classify characters, and numbers read from strings."""

# ruff: noqa: SIM110 - all() and any() would create a list here

import numpy as np

from heddle import types
from heddle.compiler.library_registry import (
    compiled,
    implements,
    is_absent_or_none,
    is_array,
    is_date_or_timedelta,
    is_integer_or_bool,
    is_text,
)
from heddle.host_library.lists import is_list
from heddle.host_library.strings import (
    ask_python,
    by_python,
    code_of,
    find_first_occurrence,
    find_last_occurrence,
    is_ascii,
    new,
    part_of,
    put,
    read_number,
    set_code,
    width_of,
)

# Case and classes of characters


def _is_ascii_lower(code):
    return ord("a") <= code <= ord("z")


def _is_ascii_upper(code):
    return ord("A") <= code <= ord("Z")


is_ascii_lower, is_ascii_upper = compiled(_is_ascii_lower), compiled(_is_ascii_upper)


@compiled
def is_ascii_letter(code):
    return is_ascii_lower(code) or is_ascii_upper(code)


@compiled
def is_ascii_digit(code):
    return ord("0") <= code <= ord("9")


@compiled
def is_ascii_letter_or_digit(code):
    return is_ascii_letter(code) or is_ascii_digit(code)


@compiled
def is_ascii_printable(code):
    return 32 <= code < 127


@compiled
def is_ascii_space(code):
    return code == 32 or 9 <= code <= 13


@compiled
def is_space(code):
    if code < 128:
        return code == 32 or 9 <= code <= 13 or 28 <= code <= 31
    if code < 0x2000:
        return code == 0x85 or code == 0xA0 or code == 0x1680
    return code <= 0x200A or code in (0x2028, 0x2029, 0x202F, 0x205F, 0x3000)


def _implement_character_class_test(name, belongs, of_empty=False):
    """Implements a method that tests whether all characters belong to a class. belongs: the test for ASCII
    characters."""

    def test_character_class(text):
        if len(text) == 0:
            return of_empty
        for i in range(len(text)):
            code = code_of(text, i)
            if code >= 128:
                return ask_python(name, text)
            if not belongs(code):
                return False
        return True

    @implements(f"str.{name}")
    def choose_implementation(text):
        return test_character_class


for _name, _belongs in (
    ("isalpha", is_ascii_letter),
    ("isdigit", is_ascii_digit),
    ("isdecimal", is_ascii_digit),
    ("isnumeric", is_ascii_digit),
    ("isalnum", is_ascii_letter_or_digit),
    ("isspace", is_space),
):
    _implement_character_class_test(_name, _belongs)
_implement_character_class_test("isprintable", is_ascii_printable, of_empty=True)


@implements("str.isascii")
def _choose_isascii_implementation(text):
    return is_ascii


def _implement_conversion_by_python(name):
    def convert_by_python(text):
        return by_python(name, text)

    @implements(f"str.{name}")
    def choose_implementation(text):
        return convert_by_python


def _implement_test_by_python(name):
    def test_by_python(text):
        return ask_python(name, text)

    @implements(f"str.{name}")
    def choose_implementation(text):
        return test_by_python


for _name in ("title", "capitalize", "swapcase", "casefold"):
    _implement_conversion_by_python(_name)
for _name in ("islower", "isupper", "istitle", "isidentifier"):
    _implement_test_by_python(_name)


@implements("str.expandtabs")
def _choose_expandtabs_implementation(text, tabsize=None):
    return _expand_tabs if tabsize is None or is_integer_or_bool(tabsize) else None


def _expand_tabs(text, tabsize=8):
    parts, column = [text[:0]], 0
    for character in text:
        if character == "\t":
            parts.append(" " * (tabsize - column % tabsize if tabsize > 0 else 0))
            column = 0
        else:
            parts.append(character)
            column = 0 if character in ("\n", "\r") else column + 1
    return "".join(parts)


def _implement_case_change(name, changes, distance):
    def change_case(text):
        if not is_ascii(text):
            return by_python(name, text)
        out = new(text, len(text), 1)
        for i in range(len(text)):
            code = code_of(text, i)
            set_code(out, i, code + distance if changes(code) else code)
        return out

    @implements(f"str.{name}")
    def choose_implementation(text):
        return change_case


_implement_case_change("upper", is_ascii_lower, -32)
_implement_case_change("lower", is_ascii_upper, 32)


# Stripping


@compiled
def is_code_in_text(code, characters):
    for i in range(len(characters)):
        if code_of(characters, i) == code:
            return True
    return False


def implement_strips(type_name, is_of_type, is_space):
    """Implements the stripping methods of str or bytes."""

    def implement_strip(name, left, right):
        def strip_spaces(text, characters=None):
            first, last = 0, len(text)
            if left:
                while first < last and is_space(code_of(text, first)):
                    first += 1
            if right:
                while last > first and is_space(code_of(text, last - 1)):
                    last -= 1
            return part_of(text, first, last - first)

        def strip_characters(text, characters):
            first, last = 0, len(text)
            if left:
                while first < last and is_code_in_text(code_of(text, first), characters):
                    first += 1
            if right:
                while last > first and is_code_in_text(code_of(text, last - 1), characters):
                    last -= 1
            return part_of(text, first, last - first)

        @implements(f"{type_name}.{name}")
        def choose_implementation(text, characters=None):
            if is_absent_or_none(characters):
                return strip_spaces
            return strip_characters if is_of_type(characters) else None

    implement_strip("strip", True, True)
    implement_strip("lstrip", True, False)
    implement_strip("rstrip", False, True)


implement_strips("str", is_text, is_space)


def implement_removals(type_name, is_of_type):
    """Implements the methods removeprefix and removesuffix of str or bytes."""

    def implement_method(name, function):
        @implements(f"{type_name}.{name}")
        def choose_implementation(text, other):
            return function if is_of_type(other) else None

    implement_method("removeprefix", _remove_prefix)
    implement_method("removesuffix", _remove_suffix)


def _remove_prefix(text, other):
    return text[len(other) :] if text.startswith(other) else text


def _remove_suffix(text, other):
    return text[: len(text) - len(other)] if text.endswith(other) else text


implement_removals("str", is_text)


# Padding


@compiled
def pad(text, before, after, fill):
    if before <= 0 and after <= 0:
        return text
    if len(fill) != 1:
        raise TypeError("The fill character must be exactly one character long")
    out = new(text, before + len(text) + after, max(width_of(text), width_of(fill)))
    for i in range(before):
        put(out, i, fill)
    put(out, before, text)
    for i in range(after):
        put(out, before + len(text) + i, fill)
    return out


def implement_padding(type_name, is_of_type, space):
    """Implements the methods of str or bytes that pad to a width. space: the default of the fill character."""

    def justify_left(text, width, fill=space):
        return pad(text, 0, max(width - len(text), 0), fill)

    def justify_right(text, width, fill=space):
        return pad(text, max(width - len(text), 0), 0, fill)

    def center(text, width, fill=space):
        room = max(width - len(text), 0)
        before = room // 2 + (room & width & 1)
        return pad(text, before, room - before, fill)

    def implement_method(name, function):
        @implements(f"{type_name}.{name}")
        def choose_implementation(text, width, fill=None):
            takes = is_integer_or_bool(width) and (fill is None or is_of_type(fill))
            return function if takes else None

    implement_method("ljust", justify_left)
    implement_method("rjust", justify_right)
    implement_method("center", center)

    @implements(f"{type_name}.zfill")
    def choose_zfill_implementation(text, width):
        return _fill_with_zeros if is_integer_or_bool(width) else None


def _fill_with_zeros(text, width):
    zeros = width - len(text)
    if zeros <= 0:
        return text
    signs = 0
    if len(text) > 0 and (code_of(text, 0) == ord("-") or code_of(text, 0) == ord("+")):
        signs = 1
    out = new(text, width, width_of(text))
    put(out, 0, text[:signs])
    for i in range(signs, signs + zeros):
        set_code(out, i, ord("0"))
    put(out, signs + zeros, text[signs:])
    return out


implement_padding("str", is_text, " ")


# Splitting, joining and replacing


def _split_at_separator(text, sep, maxsplit=-1):
    if len(sep) == 0:
        raise ValueError("empty separator")
    out = [text[:0] for _ in range(0)]
    first, left = 0, maxsplit
    while left != 0:
        place = find_first_occurrence(text, sep, first, len(text))
        if place < 0:
            break
        out.append(part_of(text, first, place - first))
        first = place + len(sep)
        left -= 1
    out.append(part_of(text, first, len(text) - first))
    return out


def implement_splits(type_name, is_of_type, is_space):
    """Implements the methods split and rsplit of str or bytes."""

    def split_words(text, sep=None, maxsplit=-1):
        out = [text[:0] for _ in range(0)]
        place, size, left = 0, len(text), maxsplit
        while True:
            while place < size and is_space(code_of(text, place)):
                place += 1
            if place == size:
                return out
            first = place
            if left == 0:
                out.append(part_of(text, first, size - first))
                return out
            while place < size and not is_space(code_of(text, place)):
                place += 1
            out.append(part_of(text, first, place - first))
            left -= 1

    def rsplit_words(text, sep=None, maxsplit=-1):
        out = [text[:0] for _ in range(0)]
        last, left = len(text), maxsplit
        while True:
            while last > 0 and is_space(code_of(text, last - 1)):
                last -= 1
            if last == 0:
                break
            if left == 0:
                out.append(part_of(text, 0, last))
                break
            first = last
            while first > 0 and not is_space(code_of(text, first - 1)):
                first -= 1
            out.append(part_of(text, first, last - first))
            last = first
            left -= 1
        out.reverse()
        return out

    def implement_method(name, words, at_separator):
        @implements(f"{type_name}.{name}")
        def choose_implementation(text, sep=None, maxsplit=-1):
            if not (maxsplit == -1 or is_integer_or_bool(maxsplit)):
                return None
            if is_absent_or_none(sep):
                return words
            return at_separator if is_of_type(sep) else None

    implement_method("split", split_words, _split_at_separator)
    implement_method("rsplit", rsplit_words, _rsplit_at_separator)


def _rsplit_at_separator(text, sep, maxsplit=-1):
    if len(sep) == 0:
        raise ValueError("empty separator")
    out = [text[:0] for _ in range(0)]
    last, left = len(text), maxsplit
    while left != 0:
        place = find_last_occurrence(text, sep, 0, last)
        if place < 0:
            break
        out.append(part_of(text, place + len(sep), last - place - len(sep)))
        last = place
        left -= 1
    out.append(part_of(text, 0, last))
    out.reverse()
    return out


implement_splits("str", is_text, is_space)


@compiled
def is_line_end(code):
    return 10 <= code <= 13 or 28 <= code <= 30 or code in (0x85, 0x2028, 0x2029)


def implement_splitlines(type_name, is_line_end):
    """Implements the method splitlines of str or bytes."""

    def split_lines(text, keepends=False):
        out = [text[:0] for _ in range(0)]
        first, size = 0, len(text)
        while first < size:
            place = first
            while place < size and not is_line_end(code_of(text, place)):
                place += 1
            end = min(place + 1, size)
            if end < size and code_of(text, place) == 13 and code_of(text, end) == 10:
                end += 1
            out.append(part_of(text, first, (end if keepends else place) - first))
            first = end
        return out

    @implements(f"{type_name}.splitlines")
    def choose_implementation(text, keepends=False):
        return split_lines


implement_splitlines("str", is_line_end)


def implement_partitions(type_name, is_of_type):
    """Implements the methods partition and rpartition of str or bytes."""

    def implement_method(name, function):
        @implements(f"{type_name}.{name}")
        def choose_implementation(text, sep):
            return function if is_of_type(sep) else None

    implement_method("partition", _partition)
    implement_method("rpartition", _rpartition)


def _partition(text, sep):
    if len(sep) == 0:
        raise ValueError("empty separator")
    place = find_first_occurrence(text, sep, 0, len(text))
    if place < 0:
        return text, text[:0], text[:0]
    return text[:place], sep, text[place + len(sep) :]


def _rpartition(text, sep):
    if len(sep) == 0:
        raise ValueError("empty separator")
    place = find_last_occurrence(text, sep, 0, len(text))
    if place < 0:
        return text[:0], text[:0], text
    return text[:place], sep, text[place + len(sep) :]


implement_partitions("str", is_text)


@implements("str.join")
def _choose_join_implementation(text, items):
    if is_text(items):
        return _join_characters
    if isinstance(getattr(items, "dtype", None), types.UnicodeCharSeq):
        return lambda text, items: text.join([str(item) for item in items])
    return join if is_sequence_of(is_text, items) else None


def is_sequence_of(is_of_type, items):
    """True if it is the type of a list or a tuple, and ``is_of_type`` of each item's type."""
    if isinstance(items, types.BaseTuple):
        return all(is_of_type(item) for item in items.types)
    return is_list(items) and is_of_type(items.dtype)


def join(text, items):
    size, width = 0, 1
    for i, item in enumerate(items):
        size += len(item) + (len(text) if i > 0 else 0)
        width = max(width, width_of(item))
    if len(items) > 1:
        width = max(width, width_of(text))
    out = new(text, size, width)
    place = 0
    for i, item in enumerate(items):
        if i > 0:
            put(out, place, text)
            place += len(text)
        put(out, place, item)
        place += len(item)
    return out


def _join_characters(text, items):
    return text.join([c for c in items])  # noqa: C416 - a string is not a list


def implement_replace(type_name, is_of_type):
    """Implements the method replace of str or bytes."""

    @implements(f"{type_name}.replace")
    def choose_implementation(text, old, new, count=-1):
        return _replace if is_of_type(old) and is_of_type(new) else None


def _replace(text, old, new, count=-1):
    times = text.count(old)
    if count >= 0:
        times = min(times, count)
    if times == 0:
        return text
    return _replace_first_occurrences(text, old, new, times)


@compiled
def _replace_first_occurrences(text, old, other, times):
    length = len(text) + times * (len(other) - len(old))
    out = new(text, length, max(width_of(text), width_of(other)))
    place, first = 0, 0
    for i in range(times):
        if len(old) > 0:
            found = find_first_occurrence(text, old, first, len(text))
        else:
            found = 0 if i == 0 else first + 1
        put(out, place, part_of(text, first, found - first))
        place += found - first
        put(out, place, other)
        place += len(other)
        first = found + len(old)
    put(out, place, part_of(text, first, len(text) - first))
    return out


implement_replace("str", is_text)


# Numbers


@compiled
def normalize_number_text(text):
    """The text without surrounding spaces, with the digits of other scripts replaced by ASCII digits."""
    if is_ascii(text):
        return text.strip()
    return by_python("decimals", text.strip())


@implements("builtins.float")
def _choose_float_implementation(x):
    if is_array(x, 0):
        return lambda x: float(x[()])
    return _parse_float if is_text(x) else None


@implements("builtins.complex")
def _choose_complex_implementation(real, imag=None):
    return (lambda real: complex(real[()])) if is_array(real, 0) and imag is None else None


def _parse_float(x):
    is_number, number = read_number(normalize_number_text(x))
    if not is_number:
        raise ValueError("could not convert string to float: " + repr(x))
    return number


@implements("builtins.int")
def _choose_int_implementation(x, base=None):
    if is_array(x, 0) and base is None:
        return lambda x: int(x[()])
    if is_date_or_timedelta(x) and base is None:
        return lambda x: np.array((x,)).view(np.int64)[0]
    if not is_text(x):
        return None
    return _parse_int if is_absent_or_none(base) or is_integer_or_bool(base) else None


@compiled
def digit_value_or_99(code):
    if is_ascii_digit(code):
        return code - ord("0")
    if is_ascii_lower(code):
        return code - ord("a") + 10
    if is_ascii_upper(code):
        return code - ord("A") + 10
    return 99


@compiled
def find_base_and_start(text, place, base):
    """(the base of a number, the index of its first digit, after a prefix such as 0x)"""
    named = 0
    if place + 1 < len(text) and code_of(text, place) == ord("0"):
        letter = code_of(text, place + 1) | 32
        if letter == ord("x"):
            named = 16
        elif letter == ord("o"):
            named = 8
        elif letter == ord("b"):
            named = 2
    if named != 0 and (base == 0 or base == named):
        begin = place + 2
        if begin < len(text) and code_of(text, begin) == ord("_"):
            begin += 1
        return named, begin
    return 10 if base == 0 else base, place


_least = -(2**63)


def _parse_int(x, base=10):
    """Parses an integer. Accumulates it negated, because there is one more negative number than positive ones."""
    if base != 0 and (base < 2 or base > 36):
        raise ValueError("int() base must be >= 2 and <= 36, or 0")
    text = normalize_number_text(x)
    place = 0
    sign = 1
    if len(text) > 0 and (code_of(text, 0) == ord("-") or code_of(text, 0) == ord("+")):
        sign = -1 if code_of(text, 0) == ord("-") else 1
        place = 1
    radix, first = find_base_and_start(text, place, base)
    number, was_digit, is_wrong, is_large = 0, False, False, False
    for i in range(first, len(text)):
        code = code_of(text, i)
        if code == ord("_"):
            is_wrong = is_wrong or not was_digit
            was_digit = False
            continue
        digit = digit_value_or_99(code)
        is_wrong = is_wrong or digit >= radix
        is_large = is_large or number < (_least + digit + radix - 1) // radix
        number = number * radix - digit
        was_digit = True
    if is_wrong or not was_digit:
        raise ValueError("invalid literal for int() with base " + str(base) + ": " + repr(x))
    if is_large or (sign > 0 and number == _least):
        raise OverflowError("int too large to convert")
    return number if sign < 0 else -number

"""bytes objects in host functions: results, comparisons and methods. Python's own bytes are the reference."""

import numpy as np
import pytest

from heddle import TypingError, njit

pytestmark = pytest.mark.usefixtures("everything_is_freed")

DATA = b" abc ab cde\xff "


@pytest.mark.parametrize(
    "expression",
    [
        "d",
        "d[1:4]",
        "d[:0]",
        "d[::2]",
        "d[::-1]",
        "(d[:2], 3)",
        "[d[:2], d[2:]]",
        "b'abc'",
        "d if len(d) > 3 else None",
    ],
)
def test_parts_of_bytes_are_returned_as_bytes(expression):
    function = eval(f"lambda d: {expression}")
    result = njit(function)(DATA)
    assert type(result) is type(function(DATA))
    assert result == function(DATA)


def test_a_returned_argument_is_the_same_bytes_object():
    assert njit(lambda d: d)(DATA) is DATA


@pytest.mark.parametrize("call", ["np.frombuffer(d, np.uint8)", "np.asarray(d)", "d.copy()"])
def test_an_array_over_bytes_is_returned_as_an_array(call):
    array = njit(eval(f"lambda d: {call}", {"np": np}))(DATA)
    assert type(array) is np.ndarray
    assert array.tolist() == list(DATA)


@pytest.mark.parametrize(
    "other", [b" abc ab cde\xff ", b" abc", b"", b" abd", b"\xff", b" abc ab "]
)
@pytest.mark.parametrize("operator", ["==", "!=", "<", "<=", ">", ">=", "in", "not in"])
def test_bytes_are_compared_as_in_python(operator, other):
    function = eval(f"lambda a, b: (a {operator} b, b {operator} a)")
    assert njit(function)(DATA, other) == function(DATA, other)


def test_a_part_of_a_file_is_compared_with_a_constant():
    @njit
    def kind_of(data):
        if data[:4] == b"RIFF":
            return 1
        return 2 if data[:4] == b"MThd" else 3

    assert [kind_of(x) for x in (b"RIFF....", b"MThd", b"MTh", b"")] == [1, 2, 3, 3]


@pytest.mark.parametrize(
    "call",
    [
        "startswith(b' ab')",
        "startswith(b'ab', 1)",
        "startswith(b'ab', 1, 2)",
        "startswith(b'')",
        "startswith(b'', 99)",
        "startswith((b'x', b' '))",
        "endswith(b'e\\xff ')",
        "endswith(b'cde', 2, -2)",
        "find(b'ab')",
        "find(b'ab', 3)",
        "find(b'ab', -5)",
        "find(b'zz')",
        "find(b'', 99)",
        "rfind(b'ab')",
        "rfind(b'ab', 0, 5)",
        "rfind(b'zz')",
        "index(b'cde')",
        "rindex(b'ab')",
        "count(b'ab')",
        "count(b'')",
        "isascii()",
        "strip()",
        "lstrip()",
        "rstrip()",
        "strip(b' a')",
        "lstrip(b'')",
        "split()",
        "split(None, 1)",
        "split(None, 0)",
        "split(b'ab')",
        "split(b' ', 2)",
        "split(b'zz')",
        "rsplit()",
        "rsplit(None, 1)",
        "rsplit(b'ab', 1)",
        "splitlines()",
        "partition(b'ab')",
        "rpartition(b'ab')",
        "partition(b'zz')",
        "center(21)",
        "center(20, b'*')",
        "ljust(21, b'*')",
        "rjust(21)",
        "rjust(0)",
        "zfill(20)",
        "replace(b'ab', b'123')",
        "replace(b'ab', b'', 1)",
        "replace(b'', b'-')",
        "removeprefix(b' ab')",
        "removesuffix(b'ab')",
        "join([b'1', b'', b'23'])",
        "join((b'1', b'23', b'456'))",
        "join([b'1'][:0])",
        "upper()",
        "swapcase()",
        "isalpha()",
        "isalnum()",
        "isdigit()",
        "isspace()",
        "islower()",
        "isupper()",
        "hex()",
    ],
)
@pytest.mark.parametrize("data", [DATA, b"", b"  ", b"ababab"])
def test_methods_are_those_of_python(call, data):
    function = eval(f"lambda d: d.{call}")
    try:
        expected = function(data)
    except ValueError as error:
        with pytest.raises(ValueError, match=str(error)):
            njit(function)(data)
        return
    result = njit(function)(data)
    assert type(result) is type(expected)
    assert result == expected


def test_methods_work_on_parts():
    @njit
    def texts(data):
        found = []
        for line in data.split(b"\n"):
            if not line.startswith(b"#") and len(line) > 0:
                found.append((len(line), line.strip()))
        return found

    assert texts(b"# a\n one \n\ntwo") == [(5, b"one"), (3, b"two")]


def test_an_empty_separator_is_an_error():
    with pytest.raises(ValueError, match="empty separator"):
        njit(lambda d: d.split(b""))(DATA)


@pytest.mark.parametrize("data", [b"-42", b"+7", b"42", b"", b"A b\r\nc\n\n"])
@pytest.mark.parametrize("call", ["zfill(6)", "splitlines()", "splitlines(True)", "lower()"])
def test_signs_lines_and_case(call, data):
    function = eval(f"lambda d: d.{call}")
    assert njit(function)(data) == function(data)


@pytest.mark.parametrize(
    "expression",
    [
        "d + b'x'",
        "b'x' + d + d[::2]",
        "d[:0] + d",
        "d * 3",
        "2 * d[1:3]",
        "d * 0",
        "bytes(3)",
        "bytes([1, 2, 255])",
        "bytes((7, 8))",
        "bytes(d)",
        "bytes(np.arange(3))",
        "np.arange(6.0).reshape(2, 3).tobytes()",
        "np.arange(6, dtype=np.int16).reshape(2, 3).T.tobytes()",
        "np.array([1 + 2j, 3]).tobytes()",
        "np.zeros(0).tobytes()",
        "np.array(7, np.uint8).tobytes()",
        "np.frombuffer(d, np.uint8)[::-2].tobytes()",
        "np.array([True, False]).tobytes()",
    ],
)
def test_new_bytes(expression):
    function = eval(f"lambda d: {expression}", {"np": np})
    result = njit(function)(DATA)
    assert type(result) is bytes
    assert result == function(DATA)


def test_bytes_grow_in_a_loop():
    @njit
    def encode(values):
        out = b""
        for value in values:
            out += b"<" + np.array([value]).tobytes() + b">"
        return out, len(out), out[0], b"><" in out

    out = b"<\x01" + bytes(7) + b"><\x02" + bytes(7) + b">"
    assert encode(np.array([1, 2])) == (out, 20, ord("<"), True)


def test_new_bytes_are_kept_in_lists_and_dicts():
    @njit
    def repeat(data):
        parts = [data * i for i in range(4)]
        return parts, b",".join(parts)

    assert repeat(b"ab") == ([b"", b"ab", b"abab", b"ababab"], b",ab,abab,ababab")


@pytest.mark.parametrize(
    ("expression", "error", "message"),
    [
        ("d.center(99, b'')", TypeError, "exactly one character"),
        ("bytes([256])", ValueError, r"range\(0, 256\)"),
        ("bytes([-1])", ValueError, r"range\(0, 256\)"),
        ("bytes(-1)", ValueError, "negative count"),
        ("d - b'x'", TypingError, "bad operands for -"),
        ("b'%d' % 3", TypingError, "bad operands for %"),
        ("d + 'x'", TypingError, r"bad operands for \+"),
        ("'x' * d", TypingError, r"bad operands for \*"),
        ("d.join(['x'])", TypingError, "join"),
        ("d.ljust(4, 'x')", TypingError, "ljust"),
    ],
)
def test_wrong_operands_of_bytes(expression, error, message):
    with pytest.raises(error, match=message):
        njit(eval(f"lambda d: {expression}"))(DATA)


def test_arrays_have_no_methods_of_bytes():
    with pytest.raises(TypingError, match="startswith"):
        njit(lambda a: a.startswith(b"a"))(np.frombuffer(DATA, np.uint8))

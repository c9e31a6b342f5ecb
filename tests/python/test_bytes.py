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


def test_a_sum_of_bytes_is_refused():
    with pytest.raises(TypingError, match=r"bad operands for \+") as error:
        njit(lambda d: d + b"x")(DATA)
    assert "new bytes objects are created in Python" in str(error.value)


def test_arrays_have_no_methods_of_bytes():
    with pytest.raises(TypingError, match="startswith"):
        njit(lambda a: a.startswith(b"a"))(np.frombuffer(DATA, np.uint8))

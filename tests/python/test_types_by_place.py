"""The type of a value as an argument, a default, a global and a closure variable, in kernels and host functions."""

import ctypes
import enum
from collections import namedtuple

import numpy as np
import pytest

from heddle import cuda, njit, typed, typeof, types
from heddle._heddle import typeof_in_kernels
from heddle.errors import ArgumentError, TypingError

Pair = namedtuple("Pair", "first second")
Integers = enum.IntEnum("Integers", "ONE")
Plain = enum.Enum("Plain", "ONE")
Texts = enum.Enum("Texts", {"ONE": "one"})
SubInt, SubFloat, SubText, SubTuple, SubArray = (
    type(f"Sub{base.__name__}", (base,), {}) for base in (int, float, str, tuple, np.ndarray)
)
record = np.array([(1, 2.5)], [("a", "i4"), ("b", "f8")])
read_only = np.zeros(3)
read_only.flags.writeable = False
a_record = "Record(a[type=int32;offset=0],b[type=float64;offset=4];12;False)"


@njit
def compiled(x):
    return x


undeclared = ctypes.CDLL(None).labs

# The same type everywhere.
ALIKE = [
    (None, "none"),
    (True, "bool"),
    (-3, "int64"),
    (2**63, "uint64"),
    (2.5, "float64"),
    (1j, "complex128"),
    (SubInt(3), "int64"),
    (SubFloat(2.5), "float64"),
    (np.bool_(True), "bool"),
    (np.int8(-3), "int8"),
    (np.uint64(2**63), "uint64"),
    (np.float16(2.5), "float16"),
    (np.float32(2.5), "float32"),
    (np.complex64(1j), "complex64"),
    (np.datetime64("2020-01-01"), "datetime64[D]"),
    (np.timedelta64(3, "s"), "timedelta64[s]"),
    (Integers.ONE, "IntEnum<int64>(Integers)"),
    (Plain.ONE, "Enum<int64>(Plain)"),
    ((), "Tuple()"),
    ((1, (2, 2.5)), "Tuple(int64, Tuple(int64, float64))"),
    (SubTuple((1, 2)), "UniTuple(int64 x 2)"),
    (Pair(1, 2.5), "Pair(int64, float64)"),
    (read_only, "readonly array(float64, 1d, C)"),
]
REFUSED = object()
# Host argument, kernel argument, constant in host functions, constant in kernels. A string is a constant in kernels;
# arrays are copied to the code as read-only; kernels refuse containers, which no constant can be.
BY_PLACE = [
    ("é€", "unicode_type", "Literal[str](é€)", "unicode_type", "str"),
    (SubText("x"), "unicode_type", "Literal[str](x)", "unicode_type", "str"),
    (np.str_("abc"), "unicode_type", "Literal[str](abc)", "unicode_type", "str"),
    (b"ab", *["readonly bytes(uint8, 1d, C)", REFUSED, *2 * ["readonly bytes(uint8, 1d, C)"]]),
    (bytearray(b"ab"), "array(uint8, 1d, C)", REFUSED, REFUSED, "object"),
    (memoryview(b"ab"), *2 * ["readonly array(uint8, 1d, C)"], REFUSED, "object"),
    (
        (1, "a"),
        "Tuple(int64, unicode_type)",
        "Tuple(int64, Literal[str](a))",
        "Tuple(int64, unicode_type)",
        "Tuple(int64, str)",
    ),
    (slice(1, 2), "slice(int64, int64, none)", REFUSED, *2 * ["slice(int64, int64, none)"]),
    (..., "ellipsis", "ellipsis", REFUSED, "ellipsis"),
    (2**64, REFUSED, REFUSED, REFUSED, "object"),
    (np.longdouble(1.5), REFUSED, REFUSED, REFUSED, "object"),
    (np.bytes_(b"ab"), REFUSED, REFUSED, REFUSED, "object"),
    (record[0], a_record, a_record, REFUSED, "object"),
    (
        Texts.ONE,
        *2 * ["enumeration member 'Texts.ONE', whose value is no number"],
        "object",
        "object",
    ),
    (np.zeros(3), *2 * ["array(float64, 1d, C)"], *2 * ["readonly array(float64, 1d, C)"]),
    (
        np.zeros(3).view(SubArray),
        *2 * ["array(float64, 1d, C)"],
        *2 * ["readonly array(float64, 1d, C)"],
    ),
    (
        np.zeros((2, 3), order="F"),
        *2 * ["array(float64, 2d, F)"],
        *2 * ["readonly array(float64, 2d, C)"],
    ),
    (np.ma.array([1.0, 2.0], mask=[0, 1]), REFUSED, REFUSED, REFUSED, "object"),
    (np.zeros(3, ">f4"), REFUSED, REFUSED, REFUSED, "object"),
    (np.int32, "type int32", "type int32", "object", "object"),
    (np.dtype("f4"), "type float32", "type float32", "object", "object"),
    (types.float32, "type float32", "type float32", "object", "object"),
    (int, REFUSED, REFUSED, REFUSED, "object"),
    (compiled, "function 'compiled'", REFUSED, "object", "object"),
    (undeclared, REFUSED, REFUSED, REFUSED, "object"),
    ([1, 2], "list(int64)", REFUSED, REFUSED, "object"),
    ({1, 2}, "set(int64)", REFUSED, REFUSED, "object"),
    ({1: 2}, REFUSED, REFUSED, REFUSED, "object"),
    (typed.List([1, 2]), "ListType[int64]", REFUSED, REFUSED, "object"),
    (object(), REFUSED, REFUSED, REFUSED, "object"),
]
CASES = [(value, *4 * [name]) for value, name in ALIKE] + BY_PLACE
by_value = pytest.mark.parametrize(
    ("value", "argument", "in_kernel", "constant", "constant_in_kernel"),
    CASES,
    ids=[f"{type(case[0]).__name__} {str(case[0])[:12]}" for case in CASES],
)


def name_of_type(find):
    """The name of the type that ``find`` returns; REFUSED if the value is not accepted."""
    try:
        return str(find())
    except (ArgumentError, TypingError, OverflowError):
        return REFUSED


def argument_type(value):
    function = njit(lambda x: 0)
    function(value)
    return function.nopython_signatures[0].args[0]


def default_type(value):
    function = njit(lambda x=value: 0)
    function()
    return function.nopython_signatures[0].args[0]


def kernel_argument_type(value):
    kernel = cuda.jit(lambda x: None)
    kernel[1, 1](value)
    return kernel.signatures[0][0]


def kernel_default_type(value):
    kernel = cuda.jit(lambda x=value: None)
    kernel[1, 1]()
    return kernel.signatures[0][0]


def result_type(function):
    function()
    return function.nopython_signatures[0].return_type


def global_type(value):
    function = eval("lambda: named", {"named": value})
    return result_type(njit(function))


def result_type_in_kernels(function):
    return cuda.jit(device=True)(function).compile_device(()).signature.return_type


@by_value
def test_arguments_and_defaults_of_host_functions(
    value, argument, in_kernel, constant, constant_in_kernel
):
    assert name_of_type(lambda: typeof(value)) == argument
    assert name_of_type(lambda: argument_type(value)) == argument
    assert name_of_type(lambda: default_type(value)) == argument


@by_value
def test_arguments_and_defaults_of_kernels(
    cpu, value, argument, in_kernel, constant, constant_in_kernel
):
    assert name_of_type(lambda: typeof_in_kernels(value)) == in_kernel
    assert name_of_type(lambda: kernel_argument_type(value)) == in_kernel
    assert name_of_type(lambda: kernel_default_type(value)) == in_kernel


@by_value
def test_globals_and_closure_variables_of_host_functions(
    value, argument, in_kernel, constant, constant_in_kernel
):
    assert name_of_type(lambda: global_type(value)) == constant
    assert name_of_type(lambda: result_type(njit(lambda: value))) == constant


@by_value
def test_globals_and_closure_variables_of_kernels(
    value, argument, in_kernel, constant, constant_in_kernel
):
    function = eval("lambda: named", {"named": value})
    assert name_of_type(lambda: result_type_in_kernels(function)) == constant_in_kernel
    assert name_of_type(lambda: result_type_in_kernels(lambda: value)) == constant_in_kernel


def test_a_global_masked_array_is_refused_as_an_argument_is():
    masked = np.ma.array([1.0, 2.0], mask=[0, 1])
    with pytest.raises(TypingError, match="masked array"):
        njit(lambda: masked[0])()


def test_a_function_of_ctypes_without_types_says_so():
    with pytest.raises(ArgumentError, match=r"unknown C types \(it has no argtypes"):
        njit(lambda f: f(1))(undeclared)

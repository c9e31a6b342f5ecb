"""The types of kernel arguments, under every name that numba gives them.

A type is a value of ``heddle._heddle.Type``: ``float32[:, ::1]`` is the type of a C-contiguous array of rank 2,
``float32(x)`` casts a Python number, ``void(float32[:], int32)`` is a signature.
"""

import sys as _sys

import numpy as _np

from heddle import _heddle
from heddle._heddle import Signature, Type
from heddle.missing_names import missing_name as _missing_name

_scalars = _heddle.scalar_types

int8 = i1 = char = np_char = c_int8 = np_int8 = _scalars["int8"]
int16 = i2 = short = np_short = c_int16 = np_int16 = _scalars["int16"]
int32 = i4 = intc = np_intc = c_int32 = np_int32 = _scalars["int32"]
int64 = i8 = longlong = np_longlong = c_int64 = np_int64 = py_int = _scalars["int64"]
uint8 = u1 = byte = uchar = np_uchar = c_uint8 = np_uint8 = _scalars["uint8"]
uint16 = u2 = ushort = np_ushort = c_uint16 = np_uint16 = _scalars["uint16"]
uint32 = u4 = uintc = np_uintc = c_uint32 = np_uint32 = _scalars["uint32"]
uint64 = u8 = ulonglong = np_ulonglong = c_uint64 = np_uint64 = _scalars["uint64"]
float16 = f2 = np_float16 = _scalars["float16"]
bfloat16 = _scalars["bfloat16"]
float32 = f4 = float_ = np_float_ = c_float32 = np_float32 = _scalars["float32"]
float64 = f8 = double = np_double = c_float64 = np_float64 = py_float = _scalars["float64"]
complex64 = c8 = np_complex64 = _scalars["complex64"]
complex128 = c16 = py_complex = np_complex128 = _scalars["complex128"]
boolean = bool_ = b1 = c_bool = py_bool = np_bool_ = _scalars["boolean"]
void = none = _scalars["void"]

# Widths that depend on the platform: a pointer's, and that of C's long, which is NumPy's too.
intp = ssize_t = int_ = np_intp = np_int_ = c_intp = int64 if _sys.maxsize > 2**32 else int32
uintp = size_t = uint = np_uintp = np_uint = c_uintp = uint64 if _sys.maxsize > 2**32 else uint32
long_ = np_long = int64 if _np.dtype("l").itemsize == 8 else int32
ulong = np_ulong = uint64 if _np.dtype("L").itemsize == 8 else uint32


# What ``from heddle.cuda import *`` and ``from numba import *`` bring along: names that hide no builtin.
type_names = [
    *(
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "float16",
        "float32",
        "float64",
        "complex64",
        "complex128",
    ),
    *(
        "intp",
        "uintp",
        "intc",
        "uintc",
        "ssize_t",
        "size_t",
        "boolean",
        "bool_",
        "byte",
        "char",
        "uchar",
    ),
    *(
        "short",
        "ushort",
        "int_",
        "uint",
        "long_",
        "ulong",
        "longlong",
        "ulonglong",
        "float_",
        "double",
    ),
    *("void", "none", "b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"),
    *("c8", "c16", "bfloat16"),
]

__all__ = [
    *type_names,
    "Array",
    "CPointer",
    "EnumMember",
    "IntEnumMember",
    "NPDatetime",
    "NPTimedelta",
    "NamedTuple",
    "NamedUniTuple",
    "Record",
    "Signature",
    "Tuple",
    "Type",
    "UniTuple",
    "as_dtype",
    "from_dtype",
    "signature",
    "voidptr",
]


class _TypeClass(type):
    """A class of types: ``isinstance(t, types.Integer)`` asks the type ``t`` for its kind."""

    __heddle_types__ = True

    def __instancecheck__(cls, value):
        return isinstance(value, Type) and cls._includes(value)

    def _includes(cls, type):
        return type.kind in cls._kinds


class Integer(metaclass=_TypeClass):
    """int8 to int64 and uint8 to uint64."""

    _kinds = ("int",)


class Float(metaclass=_TypeClass):
    """float32 and float64."""

    _kinds = ("float",)


class Complex(metaclass=_TypeClass):
    """complex64 and complex128."""

    _kinds = ("complex",)


class Number(metaclass=_TypeClass):
    """Integers, floats and complex numbers."""

    _kinds = ("int", "float", "complex")


class Boolean(metaclass=_TypeClass):
    """boolean."""

    _kinds = ("bool",)


class NoneType(metaclass=_TypeClass):
    """The type of None."""

    _kinds = ("none",)


class BaseTuple(metaclass=_TypeClass):
    """Tuples of any types."""

    _kinds = ("tuple",)


class Optional(metaclass=_TypeClass):
    """None or a value of another type."""

    _kinds = ("optional",)


class Callable(metaclass=_TypeClass):
    """Functions and other objects that exist while compiling only."""

    _kinds = ("object",)


Function = Dispatcher = Callable


class UnicodeType:
    """A string: those in kernels are constants."""


class StringLiteral(UnicodeType):
    """The type of a constant string: ``literal_value``."""

    def __init__(self, value):
        self.literal_value = value

    def __eq__(self, other):
        return isinstance(other, StringLiteral) and other.literal_value == self.literal_value

    def __hash__(self):
        return hash(("StringLiteral", self.literal_value))

    def __repr__(self):
        return f"Literal[str]({self.literal_value})"


class TypeRef:
    """The type of a type that a kernel names, such as np.float32: ``instance_type``."""

    def __init__(self, instance_type):
        self.instance_type = instance_type

    def __eq__(self, other):
        return isinstance(other, TypeRef) and other.instance_type == self.instance_type

    def __hash__(self):
        return hash(("TypeRef", self.instance_type))

    def __repr__(self):
        return f"class({self.instance_type})"


class Array(metaclass=_TypeClass):
    """The types of arrays; ``Array(dtype, ndim, layout)`` is one.

    dtype: a scalar type. ndim: its rank, 0 or more. layout: "C", "F", or "A" for any strides.
    readonly: kernels may not write to it. Raises ValueError for another layout or a negative rank.
    """

    _kinds = ("array",)

    def __new__(cls, dtype, ndim, layout, readonly=False):
        if layout not in ("C", "F", "A"):
            raise ValueError(f"the layout of an array type is 'C', 'F' or 'A', not {layout!r}")
        if ndim < 0:
            raise ValueError(f"the rank of an array type is at least 0, not {ndim}")
        return _heddle.array_type(dtype, ndim, layout, readonly)


_longest_tuple = 1000  # every element is a parameter of the kernel, and a GPU takes 4 KiB of those


class UniTuple(metaclass=_TypeClass):
    """The types of tuples of one type; ``UniTuple(dtype, count)`` is that of ``count`` values of type ``dtype``."""

    _kinds = ("tuple",)

    def __new__(cls, dtype, count):
        if not 0 <= count <= _longest_tuple:
            raise ValueError(f"a tuple type has 0 to {_longest_tuple} elements, not {count}")
        return _heddle.tuple_type([dtype] * count)

    @classmethod
    def _includes(cls, type):
        return type.kind == "tuple" and len(set(type.types)) == 1


class Tuple(metaclass=_TypeClass):
    """The types of tuples of different types; ``Tuple(types)`` is one, of any types."""

    _kinds = ("tuple",)

    def __new__(cls, types):
        return _heddle.tuple_type(list(types))

    @classmethod
    def _includes(cls, type):
        return type.kind == "tuple" and len(set(type.types)) != 1


def NamedTuple(types, tuple_class):
    """The type of a named tuple of the class ``tuple_class`` whose fields have the given types."""
    return _heddle.named_tuple_type(tuple_class, list(types))


def NamedUniTuple(dtype, count, tuple_class):
    """The type of a named tuple of the class ``tuple_class`` whose ``count`` fields all have the type ``dtype``."""
    return NamedTuple([dtype] * count, tuple_class)


def EnumMember(enumeration, dtype=None):
    """The type of a member of an enumeration; what its values are is known. ``IntEnumMember`` is another name of it."""
    return _heddle.enum_type(enumeration)


IntEnumMember = EnumMember


def CPointer(dtype):
    """The type of an address of values of type ``dtype``, for signatures: the argument is the address as an int."""
    return _heddle.pointer_type(dtype)


voidptr = CPointer(void)


def NPDatetime(unit):
    """The type of ``numpy.datetime64`` in a unit such as "ns"."""
    return _heddle.dtype_type(_np.dtype(f"M8[{unit}]" if unit else "M8"))


def NPTimedelta(unit):
    """The type of ``numpy.timedelta64`` in a unit such as "ns"."""
    return _heddle.dtype_type(_np.dtype(f"m8[{unit}]" if unit else "m8"))


class Record:
    """Types of records."""

    @staticmethod
    def make_c_struct(fields):
        """The record that a C compiler makes of ``fields``: pairs of a name and a type, in order."""
        return from_dtype(_np.dtype([(name, as_dtype(type)) for name, type in fields], align=True))


def typeof(value):
    """The type that a kernel sees when ``value`` is its argument. Raises TypeError when it cannot be one."""
    return _heddle.typeof(value)


def signature(return_type, *args):
    """A signature from the type that a function returns and the types of its arguments."""
    return Signature(return_type, list(args))


_of_dtype = {_np.dtype(name): _scalars[name] for name in type_names[:13]} | {
    _np.dtype(bool): boolean
}


def from_dtype(dtype):
    """The type of values of a NumPy dtype. Raises TypeError for a dtype that kernels cannot use."""
    dtype = as_dtype(dtype)
    return _of_dtype.get(dtype) or _heddle.dtype_type(dtype)


def as_dtype(type):
    """The NumPy dtype of an array's elements; whatever NumPy makes of anything else that it takes for a dtype.

    Raises TypeError for a type that has none, such as ``void``.
    """
    if not isinstance(type, Type):
        return _np.dtype(type)
    for dtype, scalar in _of_dtype.items():
        if scalar == type:
            return dtype
    return _heddle.element_dtype(type)


def __getattr__(name):
    if name == "bool":  # defined here, it would hide the builtin from this file
        return boolean
    raise _missing_name("heddle.types", name)

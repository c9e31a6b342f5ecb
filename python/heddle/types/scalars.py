"""Number types, under all of numba's names, and numba's sets of them."""

import sys as _sys

import numpy as _np

from heddle import _heddle

_scalars = _heddle.scalar_types

int8 = i1 = char = np_char = c_int8 = np_int8 = _scalars["int8"]
int16 = i2 = short = np_short = c_int16 = np_int16 = _scalars["int16"]
int32 = i4 = intc = np_intc = c_int32 = np_int32 = _scalars["int32"]
int64 = i8 = longlong = np_longlong = c_int64 = np_int64 = py_int = _scalars["int64"]
uint8 = u1 = byte = uchar = np_uchar = c_uint8 = np_uint8 = _scalars["uint8"]
uint16 = u2 = ushort = np_ushort = c_uint16 = np_uint16 = _scalars["uint16"]
uint32 = u4 = uintc = np_uintc = c_uint32 = np_uint32 = _scalars["uint32"]
uint64 = u8 = ulonglong = np_ulonglong = c_uint64 = np_uint64 = _scalars["uint64"]
float16 = f2 = np_float16 = c_float16 = _scalars["float16"]
bfloat16 = _scalars["bfloat16"]
float32 = f4 = float_ = np_float_ = c_float32 = np_float32 = _scalars["float32"]
float64 = f8 = double = np_double = c_float64 = np_float64 = py_float = _scalars["float64"]
complex64 = c8 = np_complex64 = _scalars["complex64"]
complex128 = c16 = py_complex = np_complex128 = _scalars["complex128"]
boolean = bool_ = b1 = c_bool = py_bool = np_bool_ = _scalars["boolean"]
void = none = _scalars["void"]

# Types whose width depends on the platform: a pointer's, and that of C's long, which is also NumPy's.
intp = ssize_t = int_ = np_intp = np_int_ = c_intp = int64 if _sys.maxsize > 2**32 else int32
uintp = size_t = uint = np_uintp = np_uint = c_uintp = uint64 if _sys.maxsize > 2**32 else uint32
long_ = np_long = int64 if _np.dtype("l").itemsize == 8 else int32
ulong = np_ulong = uint64 if _np.dtype("L").itemsize == 8 else uint32

signed_domain = np_signed_domain = frozenset({int8, int16, int32, int64})
unsigned_domain = np_unsigned_domain = frozenset({uint8, uint16, uint32, uint64})
integer_domain = np_integer_domain = signed_domain | unsigned_domain
real_domain = np_real_domain = frozenset({float32, float64})
complex_domain = np_complex_domain = frozenset({complex64, complex128})
number_domain = np_number_domain = integer_domain | real_domain | complex_domain

py_signed_domain = py_integer_domain = frozenset({py_int})
py_real_domain = frozenset({py_float})
py_complex_domain = frozenset({py_complex})
py_number_domain = py_integer_domain | py_real_domain | py_complex_domain

# Exported by ``from heddle.cuda import *`` and ``from numba import *``: the names that hide no builtin.
# The docstrings of the types, by the class of a type. Its C++ definition has none.
for _type, _doc in [
    (
        int32,
        "An integer type. Called, it converts a number; indexed by slices, it is an array type.",
    ),
    (
        float32,
        "A float type. Called, it converts a number; indexed by slices, it is an array type.",
    ),
    (
        complex64,
        "A complex type. Called, it converts a number; indexed by slices, it is an array type.",
    ),
    (
        boolean,
        "The type of bool. Called, it converts a value; indexed by slices, it is an array type.",
    ),
]:
    type(_type).__doc__ = f'{_doc}\n\n>>> @cuda.jit("void({_type.name}[:])")'
type(
    none
).__doc__ = (
    "The type of None, and the result of kernels in signatures.\n\n>>> void(float32[:], int32)"
)

type_names = [
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
    "void",
    "none",
    "b1",
    "i1",
    "i2",
    "i4",
    "i8",
    "u1",
    "u2",
    "u4",
    "u8",
    "f2",
    "f4",
    "f8",
    "c8",
    "c16",
    "bfloat16",
]

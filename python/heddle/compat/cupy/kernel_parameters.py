"""The parameter lists of ElementwiseKernel and ReductionKernel: "T x, raw U y, int32 n", and the types of a call."""

import numpy as np

from heddle.compat.cupy.array_kinds import as_array, is_array
from heddle.compat.cupy.arrays import native_order
from heddle.compat.cupy.compiled.struct_types import struct_type

CPP_TYPES = {
    "bool": "bool",
    "int8": "signed char",
    "uint8": "unsigned char",
    "int16": "short",
    "uint16": "unsigned short",
    "int32": "int",
    "uint32": "unsigned int",
    "int64": "long long",
    "uint64": "unsigned long long",
    "float16": "float16",
    "float32": "float",
    "float64": "double",
    "complex64": "complex<float>",
    "complex128": "complex<double>",
}


class Parameter:
    """One of the list. placeholder: the letter that stands for its type, or None where ``dtype`` is that type."""

    def __init__(self, text, is_output):
        words = text.split()
        self.raw = words[0] == "raw"
        rest = words[1:] if self.raw else words
        if len(rest) != 2:
            raise ValueError(
                f"a parameter is written 'T x', 'raw T x' or 'float32 x', not {text.strip()!r}"
            )
        kind, self.name = rest
        self.is_output = is_output
        if not self.name.isidentifier() or self.name == "i":
            raise ValueError(
                f"{self.name!r} cannot name a parameter: 'i' is the number of the element"
                if self.name == "i"
                else f"{self.name!r} cannot name a parameter: it is no name of C++"
            )
        self.placeholder = kind if len(kind) == 1 else None
        self.dtype = None if self.placeholder else _dtype(kind)


def parse(text, is_output):
    """The Parameters of a list."""
    return [Parameter(part, is_output) for part in text.split(",") if part.strip()]


def kernel_name(name):
    """The name of a kernel, if it is one of C++."""
    if not name.isidentifier():
        raise ValueError(f"Invalid kernel name: {name!r} is no name of C++")
    return name


def cpp_type(dtype):
    """C++'s name of a dtype."""
    dtype = np.dtype(dtype)
    if dtype.names:
        return struct_type(dtype, cpp_type)
    name = CPP_TYPES.get(dtype.name)
    if name is None:
        raise TypeError(
            f"a kernel has no elements of dtype {dtype}; there are {', '.join(CPP_TYPES)}"
        )
    return name


def _dtype(kind):
    try:
        return native_order(np.dtype(kind))
    except TypeError:
        raise ValueError(
            f"{kind!r} is no type of a parameter: a dtype's name, or one letter for any type"
        ) from None


def resolve(parameters, values, kernel):
    """The dtype of each placeholder of a call, a dict; arrays decide, then numbers.

    values: one for each parameter, None for outputs that the call makes. Raises TypeError when values disagree, or when
    no value defines a placeholder.
    """
    types = {}
    for parameter, value in zip(parameters, values, strict=True):
        if is_array(value):
            _require(parameter, value.dtype, types, kernel)
    for parameter, value in zip(parameters, values, strict=True):
        if value is not None and parameter.placeholder and not is_array(value):
            types.setdefault(parameter.placeholder, np.asarray(value).dtype)
    for parameter in parameters:
        if parameter.placeholder and parameter.placeholder not in types:
            raise TypeError(
                f"{kernel}: no argument tells the type {parameter.placeholder!r} of {parameter.name}"
            )
    return types


def dtype_of(parameter, types):
    return types[parameter.placeholder] if parameter.placeholder else parameter.dtype


def _require(parameter, dtype, types, kernel):
    expected = parameter.dtype
    if parameter.placeholder:
        expected = types.setdefault(parameter.placeholder, dtype)
    if expected != dtype:
        raise TypeError(
            f"{kernel}: {parameter.name} is an array of {dtype}, {expected} is expected"
            + (f" because {parameter.placeholder} is {expected}" if parameter.placeholder else "")
        )


def checked(value, parameter, kernel):
    """An argument as an array or a number; raises TypeError for anything else.

    An object with ``__cuda_array_interface__`` or ``__cupy_get_ndarray__`` is the array that it tells of.
    """
    value = value if is_array(value) else as_array(value)
    if is_array(value) or isinstance(value, (bool, int, float, complex, np.generic)):
        return value
    raise TypeError(
        f"{kernel}: {parameter.name} takes a cupy.ndarray or a number, not a {type(value).__name__}"
    )

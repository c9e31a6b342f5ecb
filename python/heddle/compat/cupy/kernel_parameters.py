"""The parameter lists of ElementwiseKernel and ReductionKernel, such as "T x, raw U y, int32 n", and their types."""

import numpy as np

from heddle.compat.cupy.array_kinds import is_device_array, wrap_if_device_memory
from heddle.compat.cupy.arrays import to_native_order
from heddle.compat.cupy.compiled.struct_types import name_struct_type

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


class Handle:
    """A texture or surface object, which kernels take as an integer. ptr: this integer."""


class Parameter:
    """One parameter of a list. placeholder: the letter that names its type, or None if ``dtype`` is its type."""

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
                else f"{self.name!r} cannot name a parameter: it is not a valid C++ name"
            )
        self.placeholder = kind if len(kind) == 1 else None
        self.dtype = None if self.placeholder else _parse_dtype(kind)


def parse_parameters(text, is_output):
    """The list of Parameters that a text describes."""
    return [Parameter(part, is_output) for part in text.split(",") if part.strip()]


def check_kernel_name(name):
    """``name`` if it is a valid C++ name. Raises ValueError."""
    if not name.isidentifier():
        raise ValueError(f"Invalid kernel name: {name!r} is not a valid C++ name")
    return name


def name_cpp_type(dtype):
    """The C++ name of a dtype. Raises TypeError for dtypes that kernels do not support."""
    dtype = np.dtype(dtype)
    if dtype.names:
        return name_struct_type(dtype, name_cpp_type)
    name = CPP_TYPES.get(dtype.name)
    if name is None:
        raise TypeError(
            f"kernels do not support elements of dtype {dtype}; supported are {', '.join(CPP_TYPES)}"
        )
    return name


def _parse_dtype(kind):
    try:
        return to_native_order(np.dtype(kind))
    except TypeError:
        raise ValueError(
            f"{kind!r} is not a parameter type: write a dtype's name, or one letter for any type"
        ) from None


def resolve_type_letters(parameters, values, kernel):
    """The dtype for each type letter in a call: a dict. Arrays decide first, then numbers.

    values: one for each parameter, None for outputs that the call creates. Raises TypeError if values disagree or if no
    value defines a letter.
    """
    types = {}
    for parameter, value in zip(parameters, values, strict=True):
        if is_device_array(value):
            _bind_or_check_dtype(parameter, value.dtype, types, kernel)
    for parameter, value in zip(parameters, values, strict=True):
        if value is not None and parameter.placeholder and not is_device_array(value):
            types.setdefault(parameter.placeholder, np.asarray(value).dtype)
    for parameter in parameters:
        if parameter.placeholder and parameter.placeholder not in types:
            raise TypeError(
                f"{kernel}: no argument determines the type {parameter.placeholder!r} of {parameter.name}"
            )
    return types


def find_dtype(parameter, types):
    return types[parameter.placeholder] if parameter.placeholder else parameter.dtype


def _bind_or_check_dtype(parameter, dtype, types, kernel):
    expected = parameter.dtype
    if parameter.placeholder:
        expected = types.setdefault(parameter.placeholder, dtype)
    if expected != dtype:
        raise TypeError(
            f"{kernel}: {parameter.name} is an array of {dtype}, expected {expected}"
            + (f" because {parameter.placeholder} is {expected}" if parameter.placeholder else "")
        )


def convert_argument(value, parameter, kernel):
    """Convert an argument to an array or a number. Raises TypeError for anything else.

    An object with ``__cuda_array_interface__`` or ``__cupy_get_ndarray__`` becomes the array that it describes.
    """
    value = value if is_device_array(value) else wrap_if_device_memory(value)
    if is_device_array(value) or isinstance(value, (bool, int, float, complex, np.generic)):
        return value
    if isinstance(value, Handle):
        return np.uint64(value.ptr)
    raise TypeError(
        f"{kernel}: {parameter.name} takes a cupy.ndarray or a number, not a {type(value).__name__}"
    )

"""How arrays of any layout are passed to the kernels of ElementwiseKernel and ReductionKernel.

An array is two parameters of the kernel, its address and its layout; the program puts them together:

    float *_data_of_x, __heddle_layout<2> _layout_of_x   ->   CArray<float, 2, false> _raw_x(...);   _array_of_x[i]
"""

import numpy as np

from heddle.compat.cupy.array_kinds import is_array, layout_of
from heddle.compat.cupy.compiled.struct_types import definitions_for
from heddle.compat.cupy.kernel_parameters import cpp_type, dtype_of

# The headers of what programs have without including anything, where their names are used.
_HEADERS = {
    "complex<": "cupy/complex.cuh",
    "float16": "cupy/float16.cuh",
    "half": "cuda_fp16.h",
    "atomic": "cupy/atomics.cuh",
    "CUDART_": "cupy/math_constants.h",
}


# Stands where a user's piece of C++ ends.
_END_OF_PIECE = "#line around"


def program(text, name):
    """A program with the headers that it uses. Messages about what is in no piece of a user's tell of ``name``."""
    definitions = definitions_for(text)
    headers = [header for of, header in _HEADERS.items() if of in definitions + text]
    included = "".join(f"#include <{header}>\n" for header in [*headers, "heddle/carray.h"])
    text = included + definitions + text
    return "\n".join(
        f'#line {number + 1} "program of {name}"' if line == _END_OF_PIECE else line
        for number, line in enumerate(text.split("\n"), 1)
    )


class Operand:
    """An argument of a call, as a part of the program and of the launch.

    shape: what a parameter that is not raw is broadcast to, with the order of axes in ``axes``.
    """

    def __init__(self, parameter, value, types, shape=None, axes=None):
        self._name = parameter.name
        self._raw = parameter.raw
        self._is_output = parameter.is_output
        dtype = dtype_of(parameter, types)
        self._type = cpp_type(dtype)
        self._value = value
        self._is_array = is_array(value)
        if self._is_array:
            seen = layout_of(value)
            if shape is not None and not parameter.raw:
                seen = np.broadcast_to(seen, shape)
                seen = seen if axes is None else seen.transpose(axes)
            self._dimensions = max(seen.ndim, 1)
            self._dense = "true" if seen.flags.c_contiguous else "false"
            self._layout = layout(seen)
        else:
            # A number that the type does not hold is cut, as in C++.
            cut = isinstance(value, int) and dtype.kind in "iu"
            self._value = (np.array(value).astype(dtype) if cut else np.array(value, dtype))[()]

    @property
    def key(self):
        """What the program depends on."""
        return (self._type, self._is_array and (self._dimensions, self._dense))

    @property
    def is_whole(self):
        """Whether it is the same for all elements: a number, or a raw array."""
        return not self._is_array or self._raw

    def declaration(self):
        if not self._is_array:
            return f"const {self._type} {self._name}"
        of_name = f"of_{self._name}"
        return (
            f"{self._element()} *_data_{of_name}, {layout_type(self._dimensions)} _layout_{of_name}"
        )

    def setup(self):
        """The statement that makes the array of its two parameters."""
        if not self._is_array:
            return ""
        kind = f"CArray<{self._element()}, {self._dimensions}, {self._dense}>"
        return f"const {kind} {self._array()}(_data_of_{self._name}, _layout_of_{self._name});"

    def element(self, index):
        """The statement that gives the element with that index the parameter's name."""
        if not self._is_array or self._raw:
            return ""
        return f"{self._element()} &{self._name} = {self._array()}[{index}];"

    def arguments(self):
        return (self._value, self._layout) if self._is_array else (self._value,)

    def _element(self):
        return self._type if self._is_output else f"const {self._type}"

    def _array(self):
        """Its name in the program. Operations ask for the shape of an array that is not raw by CuPy's name of it."""
        return self._name if self._raw else f"_raw_{self._name}"


def broadcast_shape(kernel, parameters, values):
    """The shape of all arrays that are not raw, broadcast together; None where there is none."""
    shapes = [
        value.shape
        for parameter, value in zip(parameters, values, strict=True)
        if is_array(value) and not parameter.raw
    ]
    try:
        return np.broadcast_shapes(*shapes) if shapes else None
    except ValueError:
        listed = ", ".join(map(str, shapes))
        raise ValueError(
            f"{kernel}: arrays of the shapes {listed} cannot be broadcast together"
        ) from None


def layout_type(dimensions):
    """The C++ type of what layout() returns."""
    return f"__heddle_layout<{dimensions}>"


def layout(array):
    """An array's shape and strides as an argument of a launch: a value of the type ``layout_type``."""
    n = max(array.ndim, 1)
    value = np.zeros((), [("elements", "i8"), ("lengths", "i8", (n,)), ("steps", "i8", (n,))])
    value["elements"] = array.size
    value["lengths"] = array.shape or 1
    value["steps"] = array.strides or 0
    return value[()]


def typedefs(types):
    return "\n".join(
        f"typedef {cpp_type(dtype)} {letter};" for letter, dtype in sorted(types.items())
    )


def fragment(text, name):
    """A user's piece of C++, with a name and line numbers of its own in messages."""
    return f'\n#line 1 "{name}"\n{text}\n{_END_OF_PIECE}\n'


def statement(text, name):
    """A piece that is a statement, or what remains of one. What it lacks at its end is missed in its own last line."""
    text = text.rstrip()
    last = text.rpartition("\n")[2].lstrip()
    if not text.endswith(";"):
        takes_no_more = "//" in last or last.startswith("#") or last.endswith("\\")
        text += "\n;" if takes_no_more else ";"
    return fragment(text, name)


def inputs_of(operands):
    return ", ".join(operand.declaration() for operand in operands)

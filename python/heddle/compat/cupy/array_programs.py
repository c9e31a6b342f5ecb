"""Passes arrays of any layout to the kernels of ElementwiseKernel and ReductionKernel.

Each array becomes two kernel parameters, its address and its layout, from which the kernel builds a CArray:

    float *_data_of_x, __heddle_layout<2> _layout_of_x   ->   CArray<float, 2, false> _raw_x(...);   _array_of_x[i]
"""

import numpy as np

from heddle.compat.cupy.array_kinds import get_numpy_layout_view, is_device_array
from heddle.compat.cupy.compiled.struct_types import collect_definitions
from heddle.compat.cupy.kernel_parameters import find_dtype, name_cpp_type

# Headers that programs use without including them: a text in the program -> the header that declares it.
_HEADERS = {
    "complex<": "cupy/complex.cuh",
    "float16": "cupy/float16.cuh",
    "half": "cuda_fp16.h",
    "atomic": "cupy/atomics.cuh",
    "CUDART_": "cupy/math_constants.h",
    **{f"{of}{n}D": "texture_types.h" for of in ("tex", "surf") for n in (1, 2, 3)},
}


# Marks the end of a C++ fragment from the user.
_END_OF_PIECE = "#line around"


def complete_program(text, name):
    """Completes a program: adds the headers and struct definitions that ``text`` needs, and #line directives.

    Messages about lines outside the user's fragments name ``name`` as the file.
    """
    definitions = collect_definitions(text)
    headers = [header for of, header in _HEADERS.items() if of in definitions + text]
    included = "".join(f"#include <{header}>\n" for header in [*headers, "heddle/carray.h"])
    text = included + definitions + text
    return "\n".join(
        f'#line {number + 1} "program of {name}"' if line == _END_OF_PIECE else line
        for number, line in enumerate(text.split("\n"), 1)
    )


class Operand:
    """One argument of a call: the text it contributes to the program, and the values it passes to the launch.

    shape: the shape that a parameter without ``raw`` is broadcast to; ``axes`` gives the order of its axes.
    """

    def __init__(self, parameter, value, types, shape=None, axes=None):
        self._name = parameter.name
        self._raw = parameter.raw
        self._is_output = parameter.is_output
        dtype = find_dtype(parameter, types)
        self._type = name_cpp_type(dtype)
        self._value = value
        self._is_array = is_device_array(value)
        if self._is_array:
            seen = get_numpy_layout_view(value)
            if shape is not None and not parameter.raw:
                seen = np.broadcast_to(seen, shape)
                seen = seen if axes is None else seen.transpose(axes)
            self._dimensions = max(seen.ndim, 1)
            self._dense = "true" if seen.flags.c_contiguous else "false"
            self._layout = pack_layout(seen)
        else:
            # An integer that does not fit the type is truncated, as in C++.
            cut = isinstance(value, int) and dtype.kind in "iu"
            self._value = (np.array(value).astype(dtype) if cut else np.array(value, dtype))[()]

    @property
    def key(self):
        """The facts about the argument that the program's text depends on: its type and layout."""
        return (self._type, self._is_array and (self._dimensions, self._dense))

    @property
    def is_uniform(self):
        """True if the operand is the same for all elements: a number or a raw array."""
        return not self._is_array or self._raw

    def format_declaration(self):
        if not self._is_array:
            return f"const {self._type} {self._name}"
        of_name = f"of_{self._name}"
        return f"{self._element_type()} *_data_{of_name}, {name_layout_type(self._dimensions)} _layout_{of_name}"

    def format_setup(self):
        """The statement that builds the CArray from its two parameters."""
        if not self._is_array:
            return ""
        kind = f"CArray<{self._element_type()}, {self._dimensions}, {self._dense}>"
        return f"const {kind} {self._array_name()}(_data_of_{self._name}, _layout_of_{self._name});"

    def format_element_binding(self, index):
        """The statement that binds the parameter's name to the element at ``index``."""
        if not self._is_array or self._raw:
            return ""
        return f"{self._element_type()} &{self._name} = {self._array_name()}[{index}];"

    def make_launch_arguments(self):
        return (self._value, self._layout) if self._is_array else (self._value,)

    def _element_type(self):
        return self._type if self._is_output else f"const {self._type}"

    def _array_name(self):
        """The CArray's name in the program. Operations use CuPy's name ``_raw_x`` to ask for the shape of an array."""
        return self._name if self._raw else f"_raw_{self._name}"


def find_broadcast_shape(kernel, parameters, values):
    """The broadcast shape of all arrays without ``raw``; None if there are none. Raises ValueError if they do not
    broadcast."""
    shapes = [
        value.shape
        for parameter, value in zip(parameters, values, strict=True)
        if is_device_array(value) and not parameter.raw
    ]
    try:
        return np.broadcast_shapes(*shapes) if shapes else None
    except ValueError:
        listed = ", ".join(map(str, shapes))
        raise ValueError(
            f"{kernel}: arrays of the shapes {listed} cannot be broadcast together"
        ) from None


def name_layout_type(dimensions):
    """The C++ type of the value that pack_layout() returns."""
    return f"__heddle_layout<{dimensions}>"


def pack_layout(array):
    """An array's shape and strides as a launch argument of type ``name_layout_type``."""
    n = max(array.ndim, 1)
    value = np.zeros((), [("elements", "i8"), ("lengths", "i8", (n,)), ("steps", "i8", (n,))])
    value["elements"] = array.size
    value["lengths"] = array.shape or 1
    value["steps"] = array.strides or 0
    return value[()]


def format_typedefs(types):
    return "\n".join(
        f"typedef {name_cpp_type(dtype)} {letter};" for letter, dtype in sorted(types.items())
    )


def add_line_directives(text, name):
    """A user's C++ fragment between #line directives, so that errors name it ``name`` and count its lines from 1."""
    return f'\n#line 1 "{name}"\n{text}\n{_END_OF_PIECE}\n'


def complete_statement(text, name):
    """A user's fragment that ends a statement: adds a missing semicolon and #line directives.

    The semicolon is on the fragment's last line, so that errors point there.
    """
    text = text.rstrip()
    last = text.rpartition("\n")[2].lstrip()
    if not text.endswith(";"):
        takes_no_more = "//" in last or last.startswith("#") or last.endswith("\\")
        text += "\n;" if takes_no_more else ";"
    return add_line_directives(text, name)


def format_declarations(operands):
    return ", ".join(operand.format_declaration() for operand in operands)

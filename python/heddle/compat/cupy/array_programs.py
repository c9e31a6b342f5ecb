"""How arrays of any layout enter the C++ programs that ElementwiseKernel and ReductionKernel are made into.

An array is two parameters of the kernel, its address and its layout; the program puts them together:

    float *_x_data, _Layout<2> _x_layout   ->   _Array<float, 2, false> _x = {_x_data, _x_layout};   _x[i]
"""

import numpy as np

from heddle.compat.cupy.array_kinds import is_array, layout_of
from heddle.compat.cupy.kernel_parameters import cpp_type, dtype_of

PRELUDE = r"""
template <int n> struct _Layout {
  ptrdiff_t size, shape[n], strides[n];
};

template <class T, int n, bool dense> struct _Array {
  static const int ndim = n;
  T *data;
  _Layout<n> layout;

  // The element with the number i in C order.
  __device__ T &operator[](ptrdiff_t i) const {
    if (dense)
      return data[i];
    char *at = (char *)data;
    for (int axis = n - 1; axis > 0; --axis) {
      at += i % layout.shape[axis] * layout.strides[axis];
      i /= layout.shape[axis];
    }
    return *(T *)(at + i * layout.strides[0]);
  }
  __device__ ptrdiff_t size() const { return layout.size; }
  __device__ const ptrdiff_t *shape() const { return layout.shape; }
  __device__ const ptrdiff_t *strides() const { return layout.strides; }
};

struct _Index {
  ptrdiff_t count;
  __device__ ptrdiff_t size() const { return count; }
};
"""

# The classes that programs have without including anything, where their names are used.
_CLASSES = {
    "complex<": "#include <cupy/complex.cuh>",
    "float16": r"""
struct float16 {
  _Float16 value;
  float16() = default;
  __device__ float16(float x) : value((_Float16)x) {}
  __device__ operator float() const { return (float)value; }
  __device__ float16 &operator+=(float x) { return *this = *this + x; }
  __device__ float16 &operator-=(float x) { return *this = *this - x; }
  __device__ float16 &operator*=(float x) { return *this = *this * x; }
  __device__ float16 &operator/=(float x) { return *this = *this / x; }
};
""",
}


def program(text):
    """A program with what it uses of CuPy's headers in front of it."""
    classes = [definition for name, definition in _CLASSES.items() if name in text]
    return "\n".join([*classes, PRELUDE, text])


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
                seen = np.broadcast_to(seen, shape).transpose(axes)
            self._dimensions = max(seen.ndim, 1)
            self._dense = "true" if seen.flags.c_contiguous else "false"
            self._layout = _layout(seen)
        elif dtype.kind in "fc":
            self._value = dtype.type(value)

    @property
    def key(self):
        """What the program depends on."""
        return (self._type, self._is_array and (self._dimensions, self._dense))

    def declaration(self):
        if not self._is_array:
            return f"const {self._type} {self._name}"
        return f"{self._element()} *_{self._name}_data, _Layout<{self._dimensions}> _{self._name}_layout"

    def setup(self):
        """The statement that makes the array of its two parameters."""
        if not self._is_array:
            return ""
        name = self._name if self._raw else "_" + self._name
        kind = f"_Array<{self._element()}, {self._dimensions}, {self._dense}>"
        return f"const {kind} {name} = {{_{self._name}_data, _{self._name}_layout}};"

    def element(self, index):
        """The statement that gives the element with that index the parameter's name."""
        if not self._is_array or self._raw:
            return ""
        return f"{self._element()} &{self._name} = _{self._name}[{index}];"

    def arguments(self):
        return (self._value, self._layout) if self._is_array else (self._value,)

    def _element(self):
        return self._type if self._is_output else f"const {self._type}"


def _layout(array):
    n = max(array.ndim, 1)
    made = np.zeros((), [("size", "i8"), ("shape", "i8", (n,)), ("strides", "i8", (n,))])
    made["size"] = array.size
    made["shape"] = array.shape or 1
    made["strides"] = array.strides or 0
    return made[()]


def typedefs(types):
    return "\n".join(
        f"typedef {cpp_type(dtype)} {letter};" for letter, dtype in sorted(types.items())
    )


def fragment(text, name):
    """A user's piece of C++, so that messages tell its own line numbers."""
    return f'\n#line 1 "{name}"\n{text}\n'


def inputs_of(operands):
    return ", ".join(operand.declaration() for operand in operands)

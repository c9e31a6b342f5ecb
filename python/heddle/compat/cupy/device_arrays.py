"""cupy.ndarray on a GPU where CuPy is not installed: Heddle's device array with arithmetic.

It offers creation, copies, indexing with integers and slices, and element-wise arithmetic with kernels compiled on
first use. Everything else needs CuPy itself.
"""

import functools

import numpy as np

from heddle.compat.cupy.array_programs import find_broadcast_shape
from heddle.compat.cupy.arrays import ndarray, to_native_order
from heddle.compat.cupy.elementwise_programs import ElementwiseProgram, require_shape
from heddle.compat.cupy.kernel_parameters import (
    convert_argument,
    name_cpp_type,
    parse_parameters,
    resolve_type_letters,
)
from heddle.compat.cupy.memory import alloc
from heddle.compat.cupy.pools.memory_pointers import BaseMemory, MemoryPointer
from heddle.compat.cupy.streams import get_current_stream
from heddle.cuda.device_ndarray import DeviceNDArray
from heddle.cuda.host_memory import Window
from heddle.cuda.layout import (
    contiguous_strides,
    is_contiguous_in_order,
    normalize_order,
    reshape_without_copy,
    strides_like,
)

ADVICE = "on a GPU heddle has only the basics of CuPy's arrays: install CuPy for the rest"


class DeviceArray(DeviceNDArray):
    """An array on the current device. memptr: the memory to use; None allocates new, uninitialized memory."""

    __module__ = "cupy"
    __name__ = "ndarray"
    _follows_cupy = True
    __array_ufunc__ = None  # NumPy arrays defer their operators to this class

    def __init__(self, shape, dtype=float, memptr=None, strides=None, order="C"):
        shape = (int(shape),) if np.ndim(shape) == 0 else tuple(map(int, shape))
        dtype = to_native_order(np.dtype(dtype))
        nbytes = int(np.prod(shape, dtype=object)) * dtype.itemsize
        if memptr is not None and strides is None and nbytes > memptr.size:
            raise ValueError(
                f"an array of shape {shape} and dtype {dtype} does not fit into the memory's {memptr.size} bytes"
            )
        if strides is None:
            strides = contiguous_strides(shape, dtype.itemsize, (order or "C").upper())
        if memptr is None and not nbytes:
            super().__init__(shape, strides, dtype)
            return
        memptr = alloc(nbytes) if memptr is None else memptr
        native = memptr.mem.native
        window = Window(native, memptr.ptr, shape, strides, dtype.str, False, memptr.mem)
        self._initialize_fields(
            native,
            memptr.ptr,
            shape,
            window.as_numpy_array(dtype).strides,
            dtype,
            False,
            memptr.mem,
            0,
        )

    @property
    def stream(self):
        """The stream for the array's own work: CuPy's current stream; 0 for the default stream."""
        current = get_current_stream()
        return 0 if current.ptr == 0 else current

    @stream.setter
    def stream(self, stream):
        pass  # only numba's arrays have a stream of their own

    @classmethod
    def make_like(cls, array, dtype=None, order="K"):
        """A new, uninitialized array with the shape of a device or NumPy array. dtype: by default the array's."""
        dtype = to_native_order(array.dtype if dtype is None else np.dtype(dtype))
        return cls(array.shape, dtype, strides=strides_like(array, order, dtype.itemsize))

    @classmethod
    def from_values(cls, values, dtype=None, order="K"):
        """A new array with the values of a device array, a NumPy array or anything that NumPy converts to one."""
        if not isinstance(values, DeviceNDArray):
            values = np.asarray(values, dtype)
            values = values.astype(to_native_order(values.dtype), copy=False)
        array = cls.make_like(values, order=order)
        array.copy_to_device(values)
        return array if dtype is None or dtype == array.dtype else array.astype(dtype)

    def get(self, stream=None, order="C", out=None, blocking=True):
        """Copy to a NumPy array. out: an existing NumPy array for the values."""
        stream = 0 if stream is None else stream
        if out is not None:
            return self.copy_to_host(out, stream)
        return np.asarray(self.copy_to_host(stream=stream), order=order)

    def set(self, arr, stream=None):
        """Copy the values of a NumPy array with the same dtype and shape into this array."""
        self.copy_to_device(np.asarray(arr), 0 if stream is None else stream)

    def item(self, *index):
        return self.get().item(*index)

    def tolist(self):
        return self.get().tolist()

    @property
    def data(self):
        """The memory of the first element, a MemoryPointer."""
        if isinstance(self.owner, BaseMemory):
            return MemoryPointer(self.owner, self.address - self.owner.ptr)
        return MemoryPointer.from_address(self.address, self.alloc_size, self)

    def fill(self, value):
        self[...] = np.asarray(value, self.dtype)

    def copy(self, order="C"):
        return DeviceArray.from_values(self, order=order)

    def astype(self, dtype, order="K", casting=None, subok=None, copy=True):
        """A copy converted to ``dtype``; with ``copy=False``, this array itself if it has that dtype and order."""
        if casting is not None or subok is not None:
            raise TypeError("astype: casting and subok are not supported, as in CuPy")
        dtype = to_native_order(np.dtype(dtype))
        if dtype == self.dtype:
            return self if not copy and is_contiguous_in_order(self, order) else self.copy(order)
        converted = DeviceArray.make_like(self, dtype, order)
        return _evaluate_expression(f"({name_cpp_type(dtype)})a", self, out=converted)

    def reshape(self, *shape, order="C"):
        """A view with another shape; a copy if no view can have that shape."""
        if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
            shape = tuple(shape[0])
        try:
            return self._wrap_numpy_view(reshape_without_copy(self._get_numpy_view(), shape, order))
        except NotImplementedError:
            order = normalize_order(order, self)
            return self.copy(order).reshape(*shape, order=order)

    def ravel(self, order="C"):
        """A one-dimensional array of the elements: a view if possible, else a copy."""
        if order.upper() == "K":
            outer_first = sorted(range(self.ndim), key=lambda axis: -abs(self.strides[axis]))
            return self.transpose(outer_first).reshape(-1)
        return self.reshape(-1, order=order)

    def flatten(self, order="C"):
        """A one-dimensional copy of the elements."""
        return self.copy(order).ravel(order)

    def transpose(self, *axes):
        """A view with the axes reversed, or in the order ``axes``."""
        axes = axes[0] if len(axes) == 1 and isinstance(axes[0], (tuple, list)) else axes
        return self._wrap_numpy_view(self._get_numpy_view().transpose(*axes))

    def getitem(self, item, stream=0):
        return self._wrap_numpy_view(self._select_numpy_view(item))

    def __neg__(self):
        return _evaluate_expression("-a", self, out=DeviceArray(self.shape, self.dtype))

    def __abs__(self):
        expression = "abs(a)" if self.dtype.kind == "c" else "a < 0 ? R(-a) : R(a)"
        return _evaluate_expression(
            expression, self, out=DeviceArray(self.shape, abs(self.dtype.type()).dtype)
        )

    def __invert__(self):
        expression = "!a" if self.dtype == bool else "~a"
        return _evaluate_expression(expression, self, out=DeviceArray(self.shape, self.dtype))

    def __float__(self):
        return float(self.get())

    def __int__(self):
        return int(self.get())

    def __bool__(self):
        return bool(self.get())

    def __index__(self):
        return self.get().__index__()

    def __format__(self, spec):
        return format(self.get(), spec)

    def __str__(self):
        return str(self.get())

    def __repr__(self):
        return repr(self.get())

    def __reduce__(self):
        return DeviceArray.from_values, (self.get(),)

    __hash__ = None

    def __getattr__(self, name):
        if hasattr(type(self), name):  # a property raised AttributeError: let it raise again
            return super().__getattribute__(name)
        if not name.startswith("_") and hasattr(np.ndarray, name):
            raise AttributeError(f"{name}: {ADVICE}", name=name, obj=self)
        raise AttributeError(f"a cupy.ndarray has no {name!r}", name=name, obj=self)


_OPERANDS = (DeviceNDArray, np.ndarray, np.generic, bool, int, float, complex)

# Python operator -> (the NumPy ufunc that defines the result type, the C++ expression on operands of that type)
_OPERATORS = {
    "add": (np.add, "{a} + {b}"),
    "sub": (np.subtract, "{a} - {b}"),
    "mul": (np.multiply, "{a} * {b}"),
    "truediv": (np.true_divide, "{a} / {b}"),
    "floordiv": (np.floor_divide, "_quotient({a}, {b})"),
    "mod": (np.remainder, "_remainder({a}, {b})"),
    "pow": (np.power, "_power({a}, {b})"),
    "and": (np.bitwise_and, "{a} & {b}"),
    "or": (np.bitwise_or, "{a} | {b}"),
    "xor": (np.bitwise_xor, "{a} ^ {b}"),
    "lt": (np.less, "{a} < {b}"),
    "le": (np.less_equal, "{a} <= {b}"),
    "gt": (np.greater, "{a} > {b}"),
    "ge": (np.greater_equal, "{a} >= {b}"),
    "eq": (np.equal, "{a} == {b}"),
    "ne": (np.not_equal, "{a} != {b}"),
}

# Python operators that differ from C++: quotients round down, remainders take the divisor's sign, and integer division
# by zero gives 0.
_PYTHONS_ARITHMETIC = r"""
template <class T> __device__ bool _opposite(T a, T b) { return a != 0 && (a < 0) != (b < 0); }

template <class T> __device__ T _remainder(T a, T b) {
  T m = b == 0 ? T(0) : a % b;
  return _opposite(m, b) ? m + b : m;
}
template <class T> __device__ T _quotient(T a, T b) {
  return b == 0 ? T(0) : b == T(-1) && b < 0 ? T(0) - a : a / b - (_opposite(T(a % b), b) ? 1 : 0);
}
template <class T> __device__ T _power(T a, T n) {
  T result = 1;
  for (; n > 0; n /= 2, a *= a)
    if (n % 2)
      result *= a;
  return result;
}
#define FLOATS(T)                                                                                  \
  __device__ T _remainder(T a, T b) {                                                              \
    T m = fmod(a, b);                                                                              \
    return m == 0 ? copysign(T(0), b) : _opposite(m, b) ? m + b : m;                               \
  }                                                                                                \
  __device__ T _quotient(T a, T b) {                                                               \
    return b == 0 ? a / b : floor((a - _remainder(a, b)) / b + T(0.5));                            \
  }                                                                                                \
  __device__ T _power(T a, T n) { return n == 2 ? a * a : pow(a, n); }
FLOATS(float)
FLOATS(double)
"""


@functools.cache
def _make_program(expression, operands):
    parameters = parse_parameters("A a, B b" if operands == 2 else "A a", is_output=False)
    parameters += parse_parameters("R r", is_output=True)
    preamble = _PYTHONS_ARITHMETIC if "_" in expression else ""
    return ElementwiseProgram("array_arithmetic", parameters, f"r = {expression}", preamble)


def _evaluate_expression(expression, *operands, out):
    """Set ``out`` to a C++ expression in ``a`` and ``b``, the operands' elements. Returns ``out``."""
    program = _make_program(expression, len(operands))
    *inputs, output = program.parameters
    values = [
        *(convert_argument(v, p, program.name) for p, v in zip(inputs, operands, strict=True)),
        out,
    ]
    types = resolve_type_letters(program.parameters, values, program.name)
    shape = find_broadcast_shape(program.name, program.parameters, values)
    require_shape(program.name, output, out, shape)
    program.run(values, types, shape)
    return out


def _apply_operator(ufunc, expression, a, b, out=None):
    """Apply an operator to ``a`` and ``b``, arrays or numbers; the result type is the one NumPy would choose."""
    a, b = (DeviceArray.from_values(x) if isinstance(x, np.ndarray) else x for x in (a, b))
    samples = [np.empty(0, x.dtype) if isinstance(x, DeviceNDArray) else x for x in (a, b)]
    result = ufunc(*samples).dtype
    # Comparisons return bool, but compare in the common type of the operands.
    common = np.result_type(*samples) if result.kind == "b" else result
    if common.kind == "c":
        expression = expression.replace("_power", "pow")
    kind = "float" if common == np.float16 else name_cpp_type(common)
    expression = expression.format(a=f"({kind})a", b=f"({kind})b")
    if out is None:
        shapes = [x.shape for x in (a, b) if isinstance(x, DeviceNDArray)]
        out = DeviceArray(np.broadcast_shapes(*shapes), result)
    return _evaluate_expression(expression, a, b, out=out)


def _make_operators(ufunc, expression):
    def apply_operator(self, other):
        if not isinstance(other, _OPERANDS):
            return NotImplemented
        return _apply_operator(ufunc, expression, self, other)

    def apply_reflected_operator(self, other):
        if not isinstance(other, _OPERANDS):
            return NotImplemented
        return _apply_operator(ufunc, expression, other, self)

    def apply_in_place_operator(self, other):
        return _apply_operator(ufunc, expression, self, other, self)

    return apply_operator, apply_reflected_operator, apply_in_place_operator


def make_output_array(shape, dtype, inputs):
    """A new array, of the class of the first array among ``inputs``."""
    for value in inputs:
        if isinstance(value, DeviceNDArray):
            return DeviceArray(shape, dtype)
        if isinstance(value, ndarray):
            break
    return ndarray(shape, dtype)


for _name, (_ufunc, _expression) in _OPERATORS.items():
    _forward, _backward, _in_place = _make_operators(_ufunc, _expression)
    setattr(DeviceArray, f"__{_name}__", _forward)
    if _ufunc(1, 1).dtype != bool:
        setattr(DeviceArray, f"__r{_name}__", _backward)
        setattr(DeviceArray, f"__i{_name}__", _in_place)

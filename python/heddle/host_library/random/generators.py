"""Methods of numpy.random.Generator: uniform numbers, integers, permutations. NumPy's own C functions draw the numbers.

The extension module that defines Generator exports them for this purpose (NumPy's documentation, "Extending via Numba
and CFFI").
"""

import functools

import numpy as np

from heddle import types
from heddle.compiler.library_registry import (
    compiled,
    implements,
    is_absent_or_none,
    is_array,
    is_integer_or_bool,
)
from heddle.errors import UnsupportedError


@functools.cache
def load_numpy_random_function(name, result, *arguments):
    """NumPy's C function ``random_name``, which takes a generator's state and further arguments. Raises
    UnsupportedError if this NumPy does not export it.

    Types are NumPy's type letters, "p" for a pointer, "v" for no result.
    """
    import ctypes  # late: few programs draw from a Generator

    library = ctypes.CDLL(np.random._generator.__file__)
    function = getattr(library, f"random_{name}", None)
    if function is None:
        raise UnsupportedError(
            f"numpy.random.Generator needs NumPy's function random_{name}, which this NumPy does not export\n"
            "  hint: install NumPy from PyPI"
        )
    of_c = {"v": None, "p": ctypes.c_void_p}
    function.restype, *function.argtypes = (
        of_c[type] if type in of_c else np.ctypeslib.as_ctypes_type(type)
        for type in (result, "p", *arguments)
    )
    return function


@compiled
def draw_numbers(source, draw, parameters, size, dtype):
    """One number ``draw(source, *parameters)``, or an array of them with shape ``size``."""
    if size is None:
        return draw(source, *parameters)
    out = np.empty(size, dtype)
    flat = out.reshape(out.size)
    for i in range(flat.size):
        flat[i] = draw(source, *parameters)
    return out


def find_float_letter(dtype):
    """The type letter of a requested float32 or float64; None for other types."""
    if is_absent_or_none(dtype):
        return "d"
    if not isinstance(dtype, types.TypeRef):
        return None
    return {types.float32: "f", types.float64: "d"}.get(dtype.instance_type)


def _make_parameterless_method(name, letter):
    """The method that draws numbers without parameters: float64 for "d", float32 for "f"."""
    suffix = "_f" if letter == "f" else ""
    draw = load_numpy_random_function(name + suffix, letter)
    fill = load_numpy_random_function(f"{name}_fill{suffix}", "v", "p", "p")
    element = np.dtype(letter).type

    def draw_standard(self, size=None, dtype=np.float64):
        if size is None:
            return draw(self)
        out = np.empty(size, element)
        fill(self, out.size, out.ctypes)
        return out

    return draw_standard


@implements("Generator.standard_exponential")
def _choose_standard_exponential_implementation(self, size=None, dtype=None, method=None):
    letter = find_float_letter(dtype)
    if not letter or is_absent_or_none(method):
        return letter and _make_parameterless_method("standard_exponential", letter)
    if not isinstance(method, types.StringLiteral):
        return None
    if method.literal_value != "inv":
        return lambda self, size=None, dtype=np.float64, method="zig": self.standard_exponential(
            size, dtype
        )
    return _make_exponential_by_inversion(letter)


@functools.cache
def _make_exponential_by_inversion(letter):
    """The method that draws exponential numbers by inverting their distribution function."""
    suffix = "_f" if letter == "f" else ""
    fill = load_numpy_random_function(f"standard_exponential_inv_fill{suffix}", "v", "p", "p")
    element = np.dtype(letter).type

    def draw_by_inversion(self, size=None, dtype=np.float64, method="inv"):
        if size is None:
            one = np.empty(1, element)
            fill(self, 1, one.ctypes)
            return one[0]
        out = np.empty(size, element)
        fill(self, out.size, out.ctypes)
        return out

    return draw_by_inversion


for _method, _name in {"random": "standard_uniform", "standard_normal": "standard_normal"}.items():

    @implements(f"Generator.{_method}")
    def _choose_parameterless_method(self, size=None, dtype=None, name=_name):
        letter = find_float_letter(dtype)
        return letter and _make_parameterless_method(name, letter)


# Integers


@implements("Generator.integers")
def _choose_integers_implementation(self, low, high=None, size=None, dtype=None, endpoint=False):
    named = dtype.instance_type if isinstance(dtype, types.TypeRef) else types.int64
    bounds = [low] if is_absent_or_none(high) else [low, high]
    if not all(is_integer_or_bool(type) for type in (named, *bounds)):
        return None
    if types.uint64 in bounds:
        return _make_uint64_integers_method() if named == types.uint64 else None
    return _make_integers_method(types.as_dtype(named))


@functools.cache
def _make_uint64_integers_method():
    """The method for bounds that may not fit into an int64."""
    fill = load_numpy_random_function("bounded_uint64_fill", "v", "u8", "u8", "p", "?", "p")
    number = np.uint64

    def integers(self, low, high=None, size=None, dtype=np.uint64, endpoint=False):
        if low < 0:
            raise ValueError("low is out of bounds for uint64")
        first, end = (number(0), number(low)) if high is None else (number(low), number(high))
        if end < first or (end == first and not endpoint):
            raise ValueError("low > high" if endpoint else "low >= high")
        width = end - first if endpoint else end - first - number(1)
        out = np.empty(1 if size is None else size, number)
        fill(self, first, width, out.size, False, out.ctypes)
        return out[0] if size is None else out

    return integers


@functools.cache
def _make_integers_method(dtype):
    element, is_bool = dtype.type, dtype.kind == "b"
    lowest = 0 if is_bool else int(np.iinfo(dtype).min)
    highest = 1 if is_bool else min(int(np.iinfo(dtype).max), 2**63 - 1)  # bounds are int64
    unsigned = "?" if is_bool else f"u{dtype.itemsize}"
    name = "bool" if is_bool else f"uint{8 * dtype.itemsize}"
    fill = load_numpy_random_function(
        f"bounded_{name}_fill", "v", unsigned, unsigned, "p", "?", "p"
    )
    too_low = f"low is out of bounds for {dtype.name}"
    too_high = f"high is out of bounds for {dtype.name}"

    def integers(self, low, high=None, size=None, dtype=np.int64, endpoint=False):
        first, end = (0, low) if high is None else (low, high)
        if first < lowest:
            raise ValueError(too_low)
        last = end if endpoint else end - 1
        if last > highest:
            raise ValueError(too_high)
        if first > last:
            raise ValueError("low > high" if endpoint else "low >= high")
        if size is None:
            one = np.empty(1, element)
            fill(self, first, last - first, 1, False, one.ctypes)
            return one[0]
        out = np.empty(size, element)
        fill(self, first, last - first, out.size, False, out.ctypes)
        return out

    return integers


# Permutations


@implements("Generator.shuffle")
def _choose_shuffle_implementation(self, x, axis=None):
    return _make_shuffle_method() if is_array(x) else None


@functools.cache
def _make_shuffle_method():
    draw = load_numpy_random_function("interval", "u8", "u8")

    def shuffle(self, x, axis=0):
        if axis < -x.ndim or axis >= x.ndim:
            raise IndexError("Axis is out of bounds for the given array")
        along = axis % x.ndim
        order = np.arange(x.shape[along])
        for i in range(order.size - 1, 0, -1):
            j = np.int64(draw(self, i))
            order[i], order[j] = order[j], order[i]
        self._put_in(order, x, along)

    return shuffle


@implements("Generator._put_in")
def _choose_reorder_implementation(self, order, x, axis):
    return _reorder_elements if x.ndim == 1 else _reorder_rows


def _reorder_elements(self, order, x, axis):
    x[:] = x[order]


def _reorder_rows(self, order, x, axis):
    if axis == 0:
        x[:] = x[order]
    else:
        for i in range(x.shape[0]):
            self._put_in(order, x[i], axis - 1)


@implements("Generator.permutation")
def _choose_permutation_implementation(self, x, axis=None):
    if is_integer_or_bool(x):
        return _permute_range
    return _permute if is_array(x) else None


def _permute_range(self, x, axis=0):
    out = np.arange(x)
    self.shuffle(out)
    return out


def _permute(self, x, axis=0):
    out = x.copy()
    self.shuffle(out, axis)
    return out

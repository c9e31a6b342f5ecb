"""Passes numbers, times, arrays and strings between compiled code and Python, in an array of 64-bit slots.

make_store_lines       lines of compiled code that write an argument
make_result_setup_lines  lines of compiled code that allocate a result
make_completion_lines  lines of compiled code that complete a result after ``copy_result_to_memory``
list_globals_of_generated_code     the objects that these lines name
read_argument_from_slots          reads an argument, in Python
store_result_or_size           writes a number, or the size of a result, in Python
copy_result_to_memory  copies the contents of a result to its memory, in Python
"""

import ctypes

import numpy as np

from heddle.compiler.library_registry import get_element_dtype
from heddle.support.byte_span import byte_span


def make_no_lines(at):
    """No further lines after a result is filled."""
    return []


class NumberValue:
    """A number in one slot; a complex number in two."""

    def __init__(self, kind, name):
        self.dtype, self.name = np.dtype(get_element_dtype(kind)), name
        self.slots = 2 if self.dtype.kind == "c" else 1

    def make_store_lines(self, at):
        if self.dtype.kind == "c":
            return [f"floats[{at}] = {self.name}.real", f"floats[{at + 1}] = {self.name}.imag"]
        where = "floats" if self.dtype.kind == "f" else "slots"
        return [f"{where}[{at}] = {self.name}"]

    def read_argument_from_slots(self, slots, at):
        if self.dtype.kind == "c":
            parts = slots[at : at + 2].view(np.float64)
            return complex(parts[0], parts[1])
        if self.dtype.kind == "f":
            return float(slots[at : at + 1].view(np.float64)[0])
        return (
            bool(slots[at])
            if self.dtype.kind == "b"
            else int(slots[at : at + 1].view(_choose_slot_dtype(self.dtype))[0])
        )

    def store_result_or_size(self, value, slots, at):
        if self.dtype.kind in "cf":
            slots[at : at + self.slots].view(np.float64)[:] = (
                (complex(value).real, complex(value).imag) if self.slots == 2 else value
            )
        else:
            slots[at : at + 1].view(_choose_slot_dtype(self.dtype))[0] = value

    def make_result_setup_lines(self, at):
        if self.dtype.kind == "c":
            return [f"{self.name} = type_{self.name}(complex(floats[{at}], floats[{at + 1}]))"]
        where = "floats" if self.dtype.kind == "f" else "slots"
        return [f"{self.name} = type_{self.name}({where}[{at}])"]

    def copy_result_to_memory(self, value, slots, at):
        """Does nothing: the slots already have the value."""

    def list_globals_of_generated_code(self):
        return {f"type_{self.name}": self.dtype.type if self.dtype.kind != "b" else bool}


class TimeValue:
    """The count of a datetime64 or timedelta64."""

    slots = 1

    def __init__(self, kind, name):
        self.dtype, self.name = np.dtype(get_element_dtype(kind)), name

    def make_store_lines(self, at):
        name = self.name
        return [
            f"one_{name} = np.empty(1, type_{name})",
            f"one_{name}[0] = {name}",
            f"slots[{at}] = one_{name}.view(np.int64)[0]",
        ]

    def read_argument_from_slots(self, slots, at):
        return slots[at].view(self.dtype)

    def list_globals_of_generated_code(self):
        return {f"type_{self.name}": self.dtype}


def _choose_slot_dtype(dtype):
    return np.uint64 if dtype.kind == "u" else np.int64


class ArrayValue:
    """The address, extents and strides of an array."""

    def __init__(self, kind, name):
        self.dtype, self.ndim, self.name = np.dtype(get_element_dtype(kind)), kind.ndim, name
        self.slots = 1 + 2 * self.ndim

    def make_store_lines(self, at):
        lines = [f"slots[{at}] = {self.name}.ctypes.data"]
        for axis in range(self.ndim):
            lines += [
                f"slots[{at + 1 + axis}] = {self.name}.shape[{axis}]",
                f"slots[{at + 1 + self.ndim + axis}] = {self.name}.strides[{axis}]",
            ]
        return lines

    def read_argument_from_slots(self, slots, at):
        shape = tuple(int(n) for n in slots[at + 1 : at + 1 + self.ndim])
        strides = tuple(int(n) for n in slots[at + 1 + self.ndim : at + self.slots])
        if 0 in shape:
            return np.empty(shape, self.dtype)
        low, high = byte_span(shape, strides, self.dtype.itemsize)
        memory = (ctypes.c_char * (high - low)).from_address(int(slots[at]) + low)
        return np.ndarray(shape, self.dtype, memory, -low, strides)

    def store_result_or_size(self, value, slots, at):
        array = np.asarray(value)
        if array.ndim != self.ndim or not np.can_cast(array.dtype, self.dtype, "same_kind"):
            raise TypeError(
                f"objmode: {self.dtype.name} array of {self.ndim} dimensions expected, "
                f"got {array.dtype.name} array of {array.ndim}"
            )
        slots[at + 1 : at + 1 + self.ndim] = array.shape

    def make_result_setup_lines(self, at):
        shape = "".join(f"slots[{at + 1 + axis}], " for axis in range(self.ndim))
        return [f"{self.name} = np.empty(({shape}), type_{self.name})", *self.make_store_lines(at)]

    def copy_result_to_memory(self, value, slots, at):
        self.read_argument_from_slots(slots, at)[...] = value

    def list_globals_of_generated_code(self):
        return {f"type_{self.name}": self.dtype}


class TextValue:
    """The code points of a string."""

    slots = 2

    def __init__(self, name):
        self.name = name

    def make_store_lines(self, at):
        name = self.name
        return [
            f"codes_{name} = np.empty(len({name}), np.int32)",
            f"for i in range(len({name})):",
            f"    codes_{name}[i] = ord({name}[i])",
            f"slots[{at}] = codes_{name}.ctypes.data",
            f"slots[{at + 1}] = len({name})",
        ]

    def read_argument_from_slots(self, slots, at):
        return self._view_code_points(slots, at).tobytes().decode("utf-32-le", "surrogatepass")

    def _view_code_points(self, slots, at):
        count = int(slots[at + 1])
        if not count:
            return np.empty(0, np.int32)
        memory = (ctypes.c_int32 * count).from_address(int(slots[at]))
        return np.frombuffer(memory, np.int32)

    def store_result_or_size(self, value, slots, at):
        slots[at + 1] = len(value)

    def make_result_setup_lines(self, at):
        name = self.name
        return [
            f"codes_{name} = np.empty(slots[{at + 1}], np.int32)",
            f"slots[{at}] = codes_{name}.ctypes.data",
        ]

    def make_completion_lines(self, at):
        name = self.name
        return [f'{name} = "".join([chr(code) for code in codes_{name}])']

    def copy_result_to_memory(self, value, slots, at):
        self._view_code_points(slots, at)[:] = np.frombuffer(
            value.encode("utf-32-le", "surrogatepass"), np.int32
        )

    def list_globals_of_generated_code(self):
        return {}

"""The loops of ufuncs whose functions make arrays, lists or strings, which kernels do not: functions of the host."""

import ctypes
import threading

import numpy as np

from heddle import _heddle
from heddle.compiler.host_jit import njit
from heddle.errors import CompileError
from heddle.types import from_dtype
from heddle.ufuncs.loop_kernels import loop_function, make_loop

_numbers = ctypes.POINTER(ctypes.c_ssize_t)
_loop_of_numpy = ctypes.CFUNCTYPE(
    None, ctypes.POINTER(ctypes.c_void_p), _numbers, _numbers, ctypes.c_void_p
)


def make_cpu_loop(function, operands, target, options):
    """A UfuncLoop of the function, or a HostLoop where it is none that kernels can call. Raises the host's CompileError
    when it is no function of the host either."""
    try:
        return make_loop(function, operands, target, options)
    except CompileError:
        if target == "cuda":
            raise
    return HostLoop(function.py_func, operands)


def result_type(function, arguments, target):
    """What the function returns for arguments of these types, as in make_cpu_loop."""
    try:
        return _heddle.result_type(function, arguments)
    except CompileError:
        if target == "cuda":
            raise
    return njit(function.py_func).compile(tuple(arguments)).signature.return_type


class HostLoop:
    """Has what NumPy needs of a loop."""

    data = None

    def __init__(self, function, operands):
        self._operands = operands
        jitted = njit(function)
        self._loop = njit(loop_function(jitted, operands, "q" + "a" * len(operands)))
        self._loop.compile(
            tuple(_heddle.array_type(from_dtype(o.dtype), 1 + len(o.core), "A") for o in operands)
        )
        self._failures = threading.local()
        self._called = _loop_of_numpy(self._call)
        self.function = ctypes.cast(self._called, ctypes.c_void_p).value

    def _call(self, data, dimensions, steps, _):
        try:
            self._loop(*self._arrays(data, dimensions, steps))
        except BaseException as error:  # which ctypes would print and drop
            self._failures.latest = error

    def _arrays(self, data, dimensions, steps):
        """What NumPy gives for each operand, as an array."""
        place = len(self._operands)
        for number, operand in enumerate(self._operands):
            shape = (dimensions[0], *(dimensions[1 + name] for name in operand.core))
            strides = (steps[number], *steps[place : place + len(operand.core)])
            place += len(operand.core)
            spans = [(n - 1) * step for n, step in zip(shape, strides, strict=True)]
            low = sum(span for span in spans if span < 0)
            size = sum(map(abs, spans)) + operand.dtype.itemsize if min(shape) > 0 else 0
            bytes_ = (ctypes.c_char * size).from_address(data[number] + low)
            yield np.ndarray(shape, operand.dtype, bytes_, -low if size else 0, strides)

    def raise_failure(self):
        """Raises what the function raised in this thread's latest call of NumPy's, if it did."""
        if failure := vars(self._failures).pop("latest", None):
            raise failure

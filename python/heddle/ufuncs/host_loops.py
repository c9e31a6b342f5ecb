"""Ufunc loops for functions that create arrays, lists or strings, which kernels cannot: they run as host functions."""

import ctypes
import threading

import numpy as np

from heddle import _heddle
from heddle.compiler.host_jit import njit
from heddle.errors import CompileError
from heddle.types import from_dtype
from heddle.ufuncs.loop_kernels import generate_loop_function, make_ufunc_loop

_numbers = ctypes.POINTER(ctypes.c_ssize_t)
_loop_of_numpy = ctypes.CFUNCTYPE(
    None, ctypes.POINTER(ctypes.c_void_p), _numbers, _numbers, ctypes.c_void_p
)


def make_loop_or_host_loop(function, operands, target, options):
    """A UfuncLoop of the function, or a HostLoop if kernels cannot call it. Raises CompileError if it is not a valid
    host function either."""
    try:
        return make_ufunc_loop(function, operands, target, options)
    except CompileError:
        if target == "cuda":
            raise
    return HostLoop(function.py_func, operands)


def infer_result_type(function, arguments, target):
    """The function's return type for these argument types, with the fallback of make_loop_or_host_loop."""
    try:
        return _heddle.result_type(function, arguments)
    except CompileError:
        if target == "cuda":
            raise
    return njit(function.py_func).compile(tuple(arguments)).signature.return_type


class HostLoop:
    """A loop with NumPy's C interface."""

    data = None

    def __init__(self, function, operands):
        self._operands = operands
        jitted = njit(function)
        self._loop = njit(generate_loop_function(jitted, operands, "q" + "a" * len(operands)))
        self._loop.compile(
            tuple(_heddle.array_type(from_dtype(o.dtype), 1 + len(o.core), "A") for o in operands)
        )
        self._failures = threading.local()
        self._called = _loop_of_numpy(self._call_from_numpy)
        self.function = ctypes.cast(self._called, ctypes.c_void_p).value

    def _call_from_numpy(self, data, dimensions, steps, _):
        try:
            self._loop(*self._view_operands(data, dimensions, steps))
        except BaseException as error:  # ctypes would print and ignore it
            self._failures.latest = error

    def _view_operands(self, data, dimensions, steps):
        """Yields NumPy's loop operands as arrays."""
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

    def raise_pending_failure(self):
        """Raises the exception of the function in this thread's latest NumPy call, if there was one."""
        if failure := vars(self._failures).pop("latest", None):
            raise failure

"""Ufuncs with target "cuda": kernels for device arrays, NumPy for host arrays on the CPU device."""

import numpy as np

from heddle.cuda.algorithms.reduction import make_reduction_kernel, run_reduction
from heddle.cuda.device_ndarray import DeviceNDArray
from heddle.cuda.foreign_arrays import as_cuda_array, is_cuda_array
from heddle.cuda.native_devices import current_native
from heddle.errors import UnsupportedError
from heddle.support.public_function import public
from heddle.ufuncs.date_loops import get_operand_dtype, has_dates, select_date_loop_dtypes
from heddle.ufuncs.device_loops import (
    allocate_result,
    copy_to_out_if_on_host,
    launch_elementwise,
    to_device_array_or_scalar,
    wrap_interface_array,
)
from heddle.ufuncs.ufunc import Ufunc

_python_numbers = (int, float, complex)
_numbers = (*_python_numbers, np.number)


class DeviceUfunc(Ufunc):
    """A ufunc that also takes device arrays and a ``stream``. If an argument is on the device, so is the result."""

    max_blocksize = 2**30  # the limit of threads per block; the default is lower
    _element_kinds = "biufcmM"

    def __init__(self, *args):
        super().__init__(*args)
        self._date_loops = []  # the dtypes of the loops over dates

    def _add_date_loop(self, dtypes):
        if dtypes not in self._date_loops:
            self._date_loops.append(dtypes)

    @public
    def __call__(self, *args, stream=0, **kwargs):
        """Same as a numpy.ufunc. For device arrays: only ``out``, ``where``, ``dtype``, ``casting`` and ``stream``."""
        outputs = kwargs.get("out", args[self.nin :])
        everything = [*args, kwargs.get("where", True)]
        everything += outputs if isinstance(outputs, tuple) else [outputs]
        stays = any(map(is_cuda_array, everything))
        if self._frozen and any(isinstance(x, _numbers) for x in args):
            try:
                self._select_loop_dtypes(
                    [_convert_to_operand(x) for x in args[: self.nin]], None, None, "same_kind"
                )
            except TypeError:
                args = self._convert_numbers_to_only_loop(args) or args
        takes_dates = has_dates(get_operand_dtype(x) for x in args)
        if not stays and not takes_dates and current_native().uses_host_memory:
            return super().__call__(*args, **kwargs)
        return self._run_on_device(stays, stream, args, **kwargs)

    def _convert_numbers_to_only_loop(self, args):
        """Converts Python numbers to the types of the only loop that matches the other arguments exactly.

        None if there is no such loop, or several. NumPy's conversions are tried first, because this one may lose data.
        """
        given = [
            None if isinstance(x, _numbers) else get_operand_dtype(x) for x in args[: self.nin]
        ]
        loops = [
            types
            for types in self._list_loop_dtypes()
            if all(x in (None, t) for x, t in zip(given, types, strict=False))
        ]
        if len(loops) != 1 or None not in given:
            return None
        return [
            t.type(arg) if x is None else arg
            for arg, x, t in zip(args, given, loops[0], strict=False)
        ] + list(args[self.nin :])

    def _run_on_device(
        self, stays, stream, args, out=None, where=True, dtype=None, casting="same_kind"
    ):
        if not self.nin <= len(args) <= self.nargs:
            raise TypeError(
                f"{self.__name__}() takes {self.nin} arrays and a result, not {len(args)}"
            )
        if len(args) > self.nin:
            out = args[self.nin]
        out = wrap_interface_array(out[0] if isinstance(out, tuple) else out)
        operands = [_convert_to_operand(value) for value in args[: self.nin]]
        dtypes = self._select_loop_dtypes(operands, out, dtype, casting)
        shapes = [np.shape(operand) for operand in (*operands, _convert_to_operand(where))]
        shape = np.broadcast_shapes(*shapes)
        if out is not None and not _can_broadcast(shape, out.shape):
            raise ValueError(f"the result has shape {shape}, but out has {out.shape}")
        target = (
            allocate_result(shape, dtypes[-1])
            if out is None
            else to_device_array_or_scalar(out, stream)
        )
        inputs = [
            operand.astype(t) if _needs_conversion_before_kernel(operand, t) else operand
            for operand, t in zip(map(_to_host_or_device_array, operands), dtypes, strict=False)
        ]
        mask = (
            None if where is True else to_device_array_or_scalar(_convert_to_operand(where), stream)
        )
        launch_elementwise(
            self,
            dtypes,
            [to_device_array_or_scalar(x, stream) for x in inputs],
            mask,
            target,
            stream,
            self.max_blocksize,
        )
        if out is not None:
            return copy_to_out_if_on_host(target, out, stream)
        return target if stays else target.copy_to_host(stream=stream)[()]

    def _select_loop_dtypes(self, operands, out, dtype, casting):
        """The dtypes of the loop that NumPy selects for the operands."""
        dates = [get_operand_dtype(x) for x in operands]
        if has_dates(dates):
            if self._date_loops or not self.compile_for_arguments(operands):
                return select_date_loop_dtypes(self._date_loops, dates, self.__name__)
            return self._date_loops[-1]
        given = [type(x) if type(x) in _python_numbers else x.dtype for x in operands]
        given.append(None if out is None else out.dtype)
        options = {"casting": casting}
        if dtype is not None:
            options["signature"] = (*[None] * self.nin, np.dtype(dtype))
        used = self.ufunc
        try:
            return used.resolve_dtypes(tuple(given), **options)
        except TypeError:
            if not self.compile_for_arguments(operands) and self.ufunc is used:
                raise
        return self.ufunc.resolve_dtypes(tuple(given), **options)

    @public
    def reduce(self, array, *args, stream=0, **kwargs):
        """As numpy.ufunc.reduce. A device array must have rank 1; the result is a NumPy scalar."""
        if not is_cuda_array(array):
            return super().reduce(array, *args, **kwargs)
        array = as_cuda_array(array)
        if array.ndim != 1 or args or kwargs:
            raise _make_host_only_error(
                self, "reduce of arrays of rank 1, without further arguments,"
            )
        dtype = np.dtype(array.dtype)
        result = self._select_loop_dtypes([array, array], None, None, "same_kind")[-1]
        if not array.size:
            if self.identity is None:
                raise TypeError(f"{self.__name__} has no identity, which an empty array needs")
            return result.type(self.identity)

        def get_kernel(dtype, on_cpu):
            key = "reduce", dtype, on_cpu
            if key not in self.kernels:
                self.kernels[key] = make_reduction_kernel(self, dtype, result, on_cpu)
            return self.kernels[key]

        first = array[0].astype(result) if dtype != result else array[0]
        return run_reduction(get_kernel, array[1:], first, None, stream)

    @public
    def outer(self, first, second, **kwargs):
        if not is_cuda_array(first):
            return super().outer(first, second, **kwargs)
        return self(first.reshape(first.shape + (1,) * np.ndim(second)), second, **kwargs)

    @public
    def accumulate(self, array, *args, **kwargs):
        _refuse_device_array(self, "accumulate", array)
        return super().accumulate(array, *args, **kwargs)

    @public
    def reduceat(self, array, *args, **kwargs):
        _refuse_device_array(self, "reduceat", array)
        return super().reduceat(array, *args, **kwargs)

    @public
    def at(self, array, indices, *values):
        _refuse_device_array(self, "at", array)
        return super().at(array, indices, *values)


def _convert_to_operand(value):
    """Converts to a device array, a NumPy array, or a Python number, whose type NumPy adapts to the others."""
    if is_cuda_array(value):
        return as_cuda_array(value)
    return value if type(value) in _python_numbers else np.asarray(value)


def _needs_conversion_before_kernel(operand, dtype):
    """True if an operand is converted before the kernel, which converts numbers but not dates."""
    if is_cuda_array(operand):
        return False
    return np.ndim(operand) == 0 or (dtype.kind in "mM" and operand.dtype != dtype)


def _can_broadcast(shape, target):
    behind = target[len(target) - len(shape) :]
    return len(shape) <= len(target) and all(
        extent in (1, wanted) for extent, wanted in zip(shape, behind, strict=True)
    )


def _to_host_or_device_array(operand):
    return operand if isinstance(operand, DeviceNDArray) else np.asarray(operand)


def _refuse_device_array(ufunc, method, array):
    if is_cuda_array(array):
        raise _make_host_only_error(ufunc, f"no {method}")


def _make_host_only_error(ufunc, what):
    return UnsupportedError(
        f"{ufunc.__name__}: device arrays have {what}\n  hint: pass array.copy_to_host()"
    )

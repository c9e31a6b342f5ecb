"""Generalized ufuncs with target "cuda": kernels for device arrays, NumPy for host arrays on the CPU device."""

import itertools
import math

import numpy as np

from heddle.compiler.dispatcher import Dispatcher
from heddle.cuda.foreign_arrays import as_cuda_array, is_cuda_array
from heddle.cuda.native_devices import current_native
from heddle.cuda.streams import Stream, to_native_stream
from heddle.support.public_function import public
from heddle.ufuncs.date_loops import get_operand_dtype, has_dates, select_date_loop_dtypes
from heddle.ufuncs.device_loops import (
    allocate_result,
    copy_to_out_if_on_host,
    merge_axes,
    to_device_array_or_scalar,
    view_with_layout,
    wrap_interface_array,
)
from heddle.ufuncs.generalized import GeneralizedUfunc
from heddle.ufuncs.loop_kernels import generate_loop_function


class DeviceGeneralizedUfunc(GeneralizedUfunc):
    """A generalized ufunc that also takes device arrays and a ``stream``. If an argument is on the device, so are the
    results."""

    max_blocksize = 2**30  # the limit of threads per block; the default is lower
    _element_kinds = "biufcmM"

    @public
    def __call__(self, *args, stream=0, out=None, **kwargs):
        """Same as a generalized numpy.ufunc. Calls with device arrays accept only ``out`` and ``stream``."""
        if out is not None and len(args) > self.nin:
            raise ValueError("cannot specify argument 'out' as both positional and keyword")
        outs = args[self.nin :] if out is None else out if isinstance(out, tuple) else (out,)
        args, outs = tuple(map(wrap_interface_array, args)), tuple(map(wrap_interface_array, outs))
        stays = any(map(is_cuda_array, (*args, *outs)))
        args = (*self._narrow_inputs(args[: self.nin]), *args[self.nin :])
        takes_dates = has_dates(get_operand_dtype(x) for x in args)
        if not stays and not takes_dates and current_native().uses_host_memory:
            return super().__call__(*args, **kwargs, **({} if out is None else {"out": out}))
        if len(args) < self.nin or len(outs) not in (0, self.nout):
            raise TypeError(
                f"{self.__name__}() takes {self.nin} inputs, and {self.nout} results or none, but it got {len(args)} "
                "arguments"
            )
        self.compile_for_arguments(args[: self.nin], outs or None)
        results = self._run_on_device(args[: self.nin], outs, stream)
        if outs:
            results = [
                copy_to_out_if_on_host(*pair, stream) for pair in zip(results, outs, strict=True)
            ]
        elif not stays:
            results = [result.copy_to_host(stream=stream)[()] for result in results]
        return results[0] if self.nout == 1 else tuple(results)

    def _narrow_inputs(self, inputs):
        """Narrows host inputs to the first loop that could hold their types, if NumPy converts them to none: an int64
        may be passed to a function of int32, as in numba-cuda."""
        if not self._frozen or len(inputs) != self.nin:
            return inputs
        given = [np.dtype(x.dtype) if hasattr(x, "dtype") else np.asarray(x).dtype for x in inputs]
        if has_dates(given):
            return inputs
        try:
            self._select_loop_dtypes(given, [])
        except TypeError:
            for types in self.operands:
                if all(np.can_cast(t, x) for t, x in zip(types, given, strict=False)):
                    return tuple(
                        x if is_cuda_array(x) else np.asarray(x).astype(t)
                        for x, t in zip(inputs, types, strict=False)
                    )
        return inputs

    def _run_on_device(self, inputs, outs, stream):
        """Runs the function. Returns the results as device arrays."""
        inputs = [x if is_cuda_array(x) else np.asarray(x) for x in inputs]
        dtypes = self._select_loop_dtypes(
            [np.dtype(x.dtype) for x in inputs], [np.dtype(x.dtype) for x in outs]
        )
        inputs = [
            _to_device_array_with_dtype(*pair, stream) for pair in zip(inputs, dtypes, strict=False)
        ]
        given = [x.shape for x in (*inputs, *outs)] + [None] * (self.nout - len(outs))
        extents, loops = self.layout.match_shapes_to_dimensions(given)
        loop = np.broadcast_shapes(*loops)
        shapes = [(*loop, *(extents[name] for name in group)) for group in self.layout.results]
        results = [to_device_array_or_scalar(x, stream) for x in outs]
        if not results:
            results = [
                allocate_result(*pair) for pair in zip(shapes, dtypes[self.nin :], strict=True)
            ]
        for result, shape in zip(results, shapes, strict=True):
            if result.shape != shape:
                raise ValueError(f"a result has shape {shape}, but out has {result.shape}")
        if math.prod(loop):
            self._launch_loops(dtypes, [*inputs, *results], loop, stream)
        return results

    def _select_loop_dtypes(self, inputs, outs):
        """The dtypes of the first loop that the inputs convert to."""
        outs = outs or [None] * self.nout
        for dtypes in self.operands:
            if list(dtypes) == [
                *inputs,
                *(out or own for out, own in zip(outs, dtypes[self.nin :], strict=True)),
            ]:
                return dtypes
        if has_dates(inputs):
            loops = [dtypes for dtypes in self.operands if has_dates(dtypes)]
            return select_date_loop_dtypes(loops, inputs, self.__name__)
        return self.ufunc.resolve_dtypes((*inputs, *outs))

    def _launch_loops(self, dtypes, arrays, loop, stream):
        """Runs the loops: the innermost in one launch; outer loops that do not merge with it, with repeated
        launches."""
        operands = self.operands[tuple(dtypes)]
        views = []
        for array, operand in zip(arrays, operands, strict=True):
            window = array._get_numpy_view()
            core = window.shape[window.ndim - len(operand.core) :]
            views.append(np.broadcast_to(window, loop + core))
        axes = merge_axes(loop, [view.strides[: len(loop)] for view in views])
        axes = axes or [(1, *[0] * len(views))]
        rounds, *steps = axes[-1]
        kernel = self._get_loop_kernel(dtypes, operands)
        launch = kernel.forall(
            rounds,
            min(self.max_blocksize, 128) if self.max_blocksize < 1024 else 0,
            Stream._wrap_native(to_native_stream(stream, arrays[0].device)),
        )
        for place in itertools.product(*(range(axis[0]) for axis in axes[:-1])):
            starts = [
                sum(i * axis[1 + n] for i, axis in zip(place, axes[:-1], strict=True))
                for n in range(len(views))
            ]
            launch(
                *(
                    view_with_layout(
                        array,
                        (rounds, *view.shape[len(loop) :]),
                        (step, *view.strides[len(loop) :]),
                        start,
                    )
                    for array, view, step, start in zip(arrays, views, steps, starts, strict=True)
                )
            )

    def _get_loop_kernel(self, dtypes, operands):
        key = tuple(dtypes)
        if key not in self.kernels:
            function = Dispatcher(self.py_func, {**self.loop_options, "device": True})
            loop = generate_loop_function(function, operands, "d" + "a" * len(operands))
            self.kernels[key] = Dispatcher(loop, self.loop_options)
        return self.kernels[key]


def _to_device_array_with_dtype(array, dtype, stream):
    if is_cuda_array(array):
        array = as_cuda_array(array)
        if array.dtype != dtype:
            raise TypeError(
                f"a device array of dtype {array.dtype} is not converted to {dtype}, which the function takes\n"
                f"  hint: convert it on the host, or add a signature for {array.dtype}"
            )
        return array
    array = np.asarray(array, dtype, order="C")
    return (
        to_device_array_or_scalar(array.reshape(1), stream).reshape(())
        if array.ndim == 0
        else to_device_array_or_scalar(array, stream)
    )

"""Kernels that apply a scalar function elementwise to device arrays, broadcast to the result's shape.

Axes that can be traversed with one stride in all arrays are merged. The rest is one axis, or at most four.
"""

import numpy as np

from heddle import _heddle
from heddle.compiler.dispatcher import Dispatcher
from heddle.cuda.arrays import device_array, to_device
from heddle.cuda.device_ndarray import DeviceNDArray
from heddle.cuda.foreign_arrays import as_cuda_array, is_cuda_array
from heddle.cuda.native_devices import current_native
from heddle.cuda.streams import Stream, to_native_stream
from heddle.errors import UnsupportedError
from heddle.types import from_dtype
from heddle.ufuncs.kernel_texts import define_loop_function

_most_axes = 4
_threads = 256

_one_axis = """def loop({names}):
    i = grid(1)
    if i < result.shape[0]{mask}:
        result[i] = function({values})
"""
_four_axes = """def loop({names}):
    _, n1, n2, n3 = result.shape
    i = grid(1)
    if i < result.size:
        rest, d = i // n3, i % n3
        rest, c = rest // n2, rest % n2
        a, b = rest // n1, rest % n1
        if True{mask}:
            result[a, b, c, d] = function({values})
"""


def allocate_result(shape, dtype):
    return device_array(shape, dtype)


def wrap_interface_array(operand):
    """Wraps an array that only has the CUDA array interface in a device array; returns other operands unchanged."""
    if is_cuda_array(operand) and not hasattr(operand, "dtype"):
        return as_cuda_array(operand)
    return operand


def to_device_array_or_scalar(operand, stream):
    """Converts an operand to an array on the current device. A number, or an array of rank 0, becomes a scalar."""
    if is_cuda_array(operand):
        return as_cuda_array(operand)
    operand = np.asarray(operand)
    if operand.ndim == 0:
        return operand[()]
    # With a stream, the call returns before the kernel has run, and the program may modify the operand.
    in_place = current_native().uses_host_memory and not stream
    return as_cuda_array(operand) if in_place else to_device(operand, stream)


def copy_to_out_if_on_host(result, out, stream):
    """Copies the result to ``out`` if ``out`` is a host array, for which a device array stood in. Returns ``out``."""
    if not is_cuda_array(out):
        result.copy_to_host(out, stream)
    return out


def launch_elementwise(function, dtypes, inputs, mask, result, stream, most_threads):
    """Computes result[...] = function(*inputs) where the mask is true.

    function: a DeviceUfunc. dtypes: of the loop, to which the inputs are converted. inputs, mask: device arrays and
    NumPy scalars; mask may be None.
    """
    if not result.size:
        return
    operands = [*inputs, result] if mask is None else [*inputs, mask, result]
    arrays = [x for x in operands if isinstance(x, DeviceNDArray)]
    views = [np.broadcast_to(array._get_numpy_view(), result.shape) for array in arrays]
    axes = merge_axes(result.shape, [view.strides for view in views])
    if len(axes) > _most_axes:
        raise UnsupportedError(
            f"{function.__name__}: the arrays step through memory in {len(axes)} ways, but at most {_most_axes} work\n"
            "  hint: pass contiguous copies"
        )
    if len(axes) > 1:
        axes = [(1, *[0] * len(arrays))] * (_most_axes - len(axes)) + axes
    shape = tuple(axis[0] for axis in axes) or (1,)
    strides = zip(*(axis[1:] for axis in axes), strict=True) if axes else [(0,)] * len(arrays)
    flattened = iter([view_with_layout(x, shape, s) for x, s in zip(arrays, strides, strict=True)])
    arguments = [next(flattened) if isinstance(x, DeviceNDArray) else x for x in operands]
    forms = tuple(isinstance(x, DeviceNDArray) for x in inputs)
    has_mask = None if mask is None else isinstance(mask, DeviceNDArray)
    kernel = _get_elementwise_kernel(function, tuple(dtypes), forms, has_mask, len(shape))
    threads = min(_threads, most_threads)
    native = Stream._wrap_native(to_native_stream(stream, result.device))
    kernel[-(-result.size // threads), threads, native](*arguments)


def view_with_layout(array, shape, strides, start=0):
    """A view of a device array with another layout, starting at byte ``start``."""
    element = from_dtype(array.dtype) if array.dtype.kind in "mM" else None
    return _heddle.DeviceArrayBase(
        array.device,
        array.address + start,
        shape,
        tuple(strides),
        array.typestr,
        array.readonly,
        array.owner,
        element,
    )


def merge_axes(shape, strides):
    """(extent, stride in each array) of the axes, after merging axes that all arrays traverse with one stride."""
    merged = []
    for extent, *steps in zip(shape, *strides, strict=True):
        if extent == 1:
            continue
        if merged and all(
            outer == extent * inner for outer, inner in zip(merged[-1][1:], steps, strict=True)
        ):
            extent *= merged.pop()[0]
        merged.append((extent, *steps))
    return merged


def _get_elementwise_kernel(function, dtypes, forms, has_mask, rank):
    """The kernel, compiled at the first call. forms: for each input, True for an array, False for a number."""
    key = dtypes, forms, has_mask, rank
    if key not in function.kernels:
        index = "i" if rank == 1 else "a, b, c, d"
        names = [f"x{i}" for i in range(len(forms))]
        values = [
            f"{name}[{index}]" if is_array else name
            for name, is_array in zip(names, forms, strict=True)
        ]
        converted = [dtype.kind not in "mM" for dtype in dtypes]
        values = [f"t{i}({value})" if converted[i] else value for i, value in enumerate(values)]
        mask = {None: "", True: f" and mask[{index}]", False: " and mask"}[has_mask]
        names += ["result"] if has_mask is None else ["mask", "result"]
        template = _one_axis if rank == 1 else _four_axes
        text = template.format(names=", ".join(names), values=", ".join(values), mask=mask)
        types = {f"t{i}": from_dtype(dtype) for i, dtype in enumerate(dtypes[:-1]) if converted[i]}
        function.kernels[key] = Dispatcher(
            define_loop_function(text, {"function": function, **types}), function.loop_options
        )
    return function.kernels[key]

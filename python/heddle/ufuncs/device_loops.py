"""Kernels that apply a scalar function to every element of device arrays, which are broadcast to the result's shape.

Axes over which all arrays step evenly become one; what is left is one axis, or at most four.
"""

import numpy as np

from heddle import _heddle
from heddle.compiler.dispatcher import Dispatcher
from heddle.cuda.arrays import device_array, to_device
from heddle.cuda.device_ndarray import DeviceNDArray
from heddle.cuda.foreign_arrays import as_cuda_array, is_cuda_array
from heddle.cuda.native_devices import current_native
from heddle.cuda.streams import Stream, native_stream
from heddle.errors import UnsupportedError
from heddle.types import from_dtype
from heddle.ufuncs.kernel_texts import function_of

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


def new_result(shape, dtype):
    return device_array(shape, dtype)


def with_dtype(operand):
    """A device array for an array of another library that offers the CUDA array interface alone, else the operand."""
    if is_cuda_array(operand) and not hasattr(operand, "dtype"):
        return as_cuda_array(operand)
    return operand


def on_device(operand, stream):
    """An array on the current device; a number, which is an array of rank 0, stays one."""
    if is_cuda_array(operand):
        return as_cuda_array(operand)
    operand = np.asarray(operand)
    if operand.ndim == 0:
        return operand[()]
    # With a stream, the call returns before the kernel has run, and the program may change the operand.
    in_place = current_native().uses_host_memory and not stream
    return as_cuda_array(operand) if in_place else to_device(operand, stream)


def to_given(result, out, stream):
    """Fills ``out``, where a call was told to put its result: a device array stood for an array of the host."""
    if not is_cuda_array(out):
        result.copy_to_host(out, stream)
    return out


def launch_elementwise(function, dtypes, inputs, mask, result, stream, most_threads):
    """result[...] = function(*inputs) where the mask is true.

    function: a DeviceUfunc. dtypes: of its loop, to which the inputs are converted. inputs, mask: device arrays and
    NumPy scalars; mask may be None.
    """
    if not result.size:
        return
    operands = [*inputs, result] if mask is None else [*inputs, mask, result]
    arrays = [x for x in operands if isinstance(x, DeviceNDArray)]
    views = [np.broadcast_to(array._window(), result.shape) for array in arrays]
    axes = merged_axes(result.shape, [view.strides for view in views])
    if len(axes) > _most_axes:
        raise UnsupportedError(
            f"{function.__name__}: the arrays step through memory in {len(axes)} ways, and at most {_most_axes} work\n"
            "  hint: pass contiguous copies"
        )
    if len(axes) > 1:
        axes = [(1, *[0] * len(arrays))] * (_most_axes - len(axes)) + axes
    shape = tuple(axis[0] for axis in axes) or (1,)
    strides = zip(*(axis[1:] for axis in axes), strict=True) if axes else [(0,)] * len(arrays)
    flattened = iter([part_of(x, shape, s) for x, s in zip(arrays, strides, strict=True)])
    arguments = [next(flattened) if isinstance(x, DeviceNDArray) else x for x in operands]
    forms = tuple(isinstance(x, DeviceNDArray) for x in inputs)
    has_mask = None if mask is None else isinstance(mask, DeviceNDArray)
    kernel = _kernel(function, tuple(dtypes), forms, has_mask, len(shape))
    threads = min(_threads, most_threads)
    native = Stream.of(native_stream(stream, result.device))
    kernel[-(-result.size // threads), threads, native](*arguments)


def part_of(array, shape, strides, start=0):
    """The elements of a device array from ``start`` bytes on, in another layout."""
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


def merged_axes(shape, strides):
    """(extent, each array's stride) of the axes; one in the place of two where all arrays step evenly over both."""
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


def _kernel(function, dtypes, forms, has_mask, rank):
    """The kernel for inputs that are arrays, or numbers where ``forms`` is false; made at the first call."""
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
            function_of(text, {"function": function, **types}), function.loop_options
        )
    return function.kernels[key]

"""Creation of device arrays."""

import numpy as np

from heddle.cuda.device_ndarray import DeviceNDArray, allocate_device_array, copy_to_unused_array
from heddle.cuda.device_record import DeviceRecord
from heddle.cuda.devices import current_context
from heddle.cuda.foreign_arrays import as_cuda_array, is_cuda_array
from heddle.cuda.ipc import open_foreign_array
from heddle.cuda.layout import choose_copy_strides, normalize_layout, strides_like
from heddle.cuda.memory_managers import allocate_on_device
from heddle.support.public_function import public


@public
def to_device(obj, stream=0, copy=True, to=None):
    """Copies a NumPy array, a scalar, a nested list or another device's array to the current device.

    Objects in memory of the current device are returned as device arrays without a copy: device arrays, mapped and
    managed arrays, and objects with ``__cuda_array_interface__``. The result keeps the layout of a contiguous source;
    otherwise it is in C order. The caller may modify the source when the call returns, unless it is pinned and a stream
    is given.

    copy=False: only allocates. to: copies into this device array and returns it.

    >>> on_device = cuda.to_device(np.arange(5))
    >>> on_device.copy_to_host()
    array([0, 1, 2, 3, 4])
    """
    if to is not None:
        if copy:
            to.copy_to_device(obj, stream)
        return to
    context = current_context()
    device = context.device._native
    if isinstance(obj, DeviceNDArray):
        return obj if obj.device is device else _copy_from_other_device(obj, context, copy, stream)
    if is_cuda_array(obj):
        return as_cuda_array(obj)
    if isinstance(obj, np.void) and obj.dtype.names is not None:
        return _copy_record_to_device(obj, context, copy, stream)
    source = _convert_to_host_array(obj)
    array = allocate_device_array(
        context, source.shape, choose_copy_strides(source), source.dtype, stream
    )
    if copy:
        copy_to_unused_array(array, source, stream)
    return array


def _convert_to_host_array(obj):
    """The NumPy array of an argument of to_device. Raises TypeError for objects that are no arrays."""
    given = type(obj).__name__
    if isinstance(obj, (str, bytes)):
        raise TypeError(
            f"cuda.to_device copies arrays and numbers, not {obj[:40]!r} ({given})\n"
            "  hint: pass an array, a number or a list of numbers; for characters, np.array([...])"
        )
    try:
        array = np.asanyarray(obj)
    except ValueError as error:  # rows of different lengths
        reason, _, _ = str(error).partition(". ")
        raise ValueError(
            f"cuda.to_device: no array can be made from this {given}: {reason}\n"
            "  hint: all rows must have the same length"
        ) from None
    if array.dtype.hasobject:
        raise TypeError(
            f"a device array cannot hold Python objects: this {given} makes an array of dtype {array.dtype}\n"
            "  hint: convert them to an array of numbers first, as in np.array(values, np.float32)"
        )
    return array


def _copy_record_to_device(record, context, copy, stream):
    on_device = DeviceRecord(
        record.dtype, stream, allocate_on_device(context, record.dtype.itemsize)
    )
    if copy:
        on_device.copy_to_device(np.asarray(record), stream)
    return on_device


def _copy_from_other_device(array, context, copy, stream):
    """Copies an array of another device to the device of a context."""
    strides = choose_copy_strides(array._get_numpy_view())
    copied = allocate_device_array(context, array.shape, strides, array.dtype, stream)
    if copy:
        copied.copy_to_device(array, stream)
    return copied


@public
def device_array(shape, dtype=np.float64, strides=None, order="C", stream=0):
    """Allocates an uninitialized array on the current device. Returns a DeviceNDArray.

    shape: an int or a tuple of ints of any length; extents may be 0.
    strides: bytes per step along each axis, none negative. Overrides ``order``, which is "C" or "F".
    Raises MemoryError, which gives the requested and free bytes; the device stays usable.

    >>> points = cuda.device_array((100, 3), np.float32)
    >>> points.shape, points.nbytes
    ((100, 3), 1200)
    """
    shape, strides, dtype = normalize_layout(shape, strides, dtype, order)
    return allocate_device_array(current_context(), shape, strides, dtype, stream)


@public
def device_array_like(ary, stream=0):
    """Allocates an uninitialized array with the shape, dtype and axis order in memory of ``ary``.

    >>> y = cuda.device_array_like(x)
    >>> y.dtype
    dtype('float32')
    """
    return device_array(ary.shape, ary.dtype, strides_like(ary), stream=stream)


@public
def open_ipc_array(handle, shape, dtype, strides=None, offset=0):
    """Context manager that opens memory of another process as a device array.

    handle: the driver's 64 bytes, or an IpcHandle. shape, dtype, strides: as in ``device_array``. offset: bytes from
    the start of the other process's allocation.

    >>> with cuda.open_ipc_array(handle, 1000, np.float32) as on_device:
    ...     kernel[4, 256](on_device)
    """
    shape, strides, dtype = normalize_layout(shape, strides, dtype, "C")
    return open_foreign_array(handle, shape, strides, dtype, offset)

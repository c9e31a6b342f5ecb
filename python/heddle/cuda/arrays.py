"""Making device arrays."""

import numpy as np

from heddle.cuda.device_ndarray import DeviceNDArray, fill_new_array, new_array
from heddle.cuda.device_record import DeviceRecord
from heddle.cuda.devices import current_context
from heddle.cuda.foreign_arrays import as_cuda_array, is_cuda_array
from heddle.cuda.ipc import opened
from heddle.cuda.layout import layout_of, strides_like, strides_of_copy
from heddle.cuda.memory_managers import allocate
from heddle.public_function import public


@public
def to_device(obj, stream=0, copy=True, to=None):
    """Copy a NumPy array, a scalar, a nested list or an array of another device to the current device.

    copy=False: allocate only. to: copy into this device array and return it. What is in memory of the current device is
    not copied but returned as a device array: a device array, a mapped or managed array, and what has
    ``__cuda_array_interface__``.
    The result has the source's layout if that is contiguous, else C order. The source may be changed at once, unless
    it is pinned and there is a stream.
    """
    if to is not None:
        if copy:
            to.copy_to_device(obj, stream)
        return to
    context = current_context()
    device = context.device._native
    if isinstance(obj, DeviceNDArray):
        return obj if obj.device is device else _copied_from(obj, context, copy, stream)
    if is_cuda_array(obj):
        return as_cuda_array(obj)
    if isinstance(obj, np.void) and obj.dtype.names is not None:
        return _record_on_device(obj, context, copy, stream)
    source = np.asanyarray(obj)
    array = new_array(context, source.shape, strides_of_copy(source), source.dtype, stream)
    if copy:
        fill_new_array(array, source, stream)
    return array


def _record_on_device(record, context, copy, stream):
    on_device = DeviceRecord(record.dtype, stream, allocate(context, record.dtype.itemsize))
    if copy:
        on_device.copy_to_device(np.asarray(record), stream)
    return on_device


def _copied_from(array, context, copy, stream):
    """An array of another device on the device of a context."""
    strides = strides_of_copy(array._window())
    copied = new_array(context, array.shape, strides, array.dtype, stream)
    if copy:
        copied.copy_to_device(array, stream)
    return copied


@public
def device_array(shape, dtype=np.float64, strides=None, order="C", stream=0):
    """Allocate an uninitialised array on the current device.

    shape: int or tuple of int; any rank, a 0 extent is fine.
    strides: bytes per step along each axis, none negative; overrides ``order``, which is "C" or "F".
    Returns a DeviceNDArray. Raises MemoryError naming the bytes asked and free (the device stays usable).
    """
    shape, strides, dtype = layout_of(shape, strides, dtype, order)
    return new_array(current_context(), shape, strides, dtype, stream)


@public
def device_array_like(ary, stream=0):
    """Allocate an uninitialised array with the shape and dtype of ``ary``, its axes in the same order in memory."""
    return device_array(ary.shape, ary.dtype, strides_like(ary), stream=stream)


@public
def open_ipc_array(handle, shape, dtype, strides=None, offset=0):
    """Context manager that gives a device array over memory of another process.

    handle: the driver's 64 bytes, or an IpcHandle. shape, dtype, strides: as for ``device_array``. offset: bytes from
    the start of the other process's allocation.
    """
    shape, strides, dtype = layout_of(shape, strides, dtype, "C")
    return opened(handle, shape, strides, dtype, offset)

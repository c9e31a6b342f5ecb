"""Making device arrays, and arrays that host and device share."""

import contextlib

import numpy as np

from heddle import _heddle, config
from heddle.cuda.device_ndarray import DeviceNDArray, DeviceRecord, fill_new_array, new_array
from heddle.cuda.devices import current_context
from heddle.cuda.host_memory import Window, pinned, window_of
from heddle.cuda.ipc import opened
from heddle.cuda.layout import (
    byte_span,
    contiguous_strides,
    shape_of,
    strides_like,
    strides_of_copy,
)
from heddle.cuda.memory_managers import allocate, allocate_on_host
from heddle.cuda.native_devices import current_native
from heddle.cuda.streams import external_stream, native_stream
from heddle.errors import CudaSupportError
from heddle.public_function import public
from heddle.types import as_dtype


@public
def to_device(obj, stream=0, copy=True, to=None):
    """Copy a NumPy array, a scalar, a nested list or an array of another device to the current device.

    copy=False: allocate only. to: copy into this device array and return it. A device array of the current device, and
    on a GPU another library's array, is not copied.
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
    if device.type == "cuda" and hasattr(obj, "__cuda_array_interface__"):
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


def layout_of(shape, strides, dtype, order):
    """The shape, strides and dtype of a new array as users give them, in the form in which arrays have them."""
    shape = shape_of(shape)
    dtype = as_dtype(dtype)
    if order not in ("C", "F"):
        raise ValueError(f"order is 'C' or 'F', not {order!r}")
    strides = (
        contiguous_strides(shape, dtype.itemsize, order)
        if strides is None
        else _as_strides(strides)
    )
    low, _ = byte_span(shape, strides, dtype.itemsize)
    if low < 0:
        raise ValueError(f"strides {strides} reach {-low} bytes in front of the array")
    return shape, strides, dtype


def _as_strides(strides):
    return (
        (int(strides),)
        if isinstance(strides, (int, np.integer))
        else tuple(int(stride) for stride in strides)
    )


class _SharedArray(np.ndarray):
    """A NumPy array in memory that host and device share: kernels take it without a copy."""

    @property
    def __heddle_device_array__(self):
        """This array as a DeviceNDArray over the same memory."""
        window = window_of(self)
        if window is None:  # the result of arithmetic has this class, but ordinary memory
            raise AttributeError("this array is not in memory that the device shares")
        return DeviceNDArray._over(window.device, self, self)

    def copy_to_host(self, ary=None, stream=0):
        return self.__heddle_device_array__.copy_to_host(ary, stream)

    def copy_to_device(self, ary, stream=0):
        self.__heddle_device_array__.copy_to_device(ary, stream)


class MappedNDArray(_SharedArray):
    """What ``cuda.mapped_array`` returns."""


class ManagedNDArray(_SharedArray):
    """What ``cuda.managed_array`` returns."""


def _host_array(kind, shape, dtype, strides, order, portable=False, wc=False):
    shape, strides, dtype = layout_of(shape, strides, dtype, order)
    if dtype.hasobject:
        raise TypeError(f"memory of a device cannot hold Python objects (dtype {dtype})")
    _, size = byte_span(shape, strides, dtype.itemsize)
    context = current_context()
    device = context.device._native
    if kind == "managed":
        memory = device.allocate(size, kind)
    else:
        memory = allocate_on_host(context, size, kind, portable, wc)
    address = memory.address
    return Window(device, address, shape, strides, dtype.str, False, memory, kind).array(dtype)


@public
def pinned_array(shape, dtype=np.float64, strides=None, order="C"):
    """An uninitialised NumPy array in page-locked memory, from which copies run asynchronously."""
    return _host_array("pinned", shape, dtype, strides, order)


@public
def mapped_array(
    shape, dtype=np.float64, strides=None, order="C", stream=0, portable=False, wc=False
):
    """An uninitialised NumPy array in host memory that kernels reach, too.

    What kernels write there is seen after ``cuda.synchronize()``. portable, wc: hints for GPUs.
    """
    array = _host_array("mapped", shape, dtype, strides, order, portable, wc)
    return array.view(MappedNDArray)


@public
def managed_array(shape, dtype=np.float64, strides=None, order="C", stream=0, attach_global=True):
    """An uninitialised NumPy array in memory that moves between host and device as it is used."""
    return _host_array("managed", shape, dtype, strides, order).view(ManagedNDArray)


@public
def pinned_array_like(ary):
    """``pinned_array`` with the shape, dtype and order of axes of ``ary``."""
    return pinned_array(ary.shape, ary.dtype, strides_like(ary))


@public
def mapped_array_like(ary, stream=0, portable=False, wc=False):
    """``mapped_array`` with the shape, dtype and order of axes of ``ary``."""
    return mapped_array(ary.shape, ary.dtype, strides_like(ary))


@contextlib.contextmanager
def mapped(*arylist, stream=0):
    """Context manager that gives device arrays over the memory of NumPy arrays: one, or a list when there are more.

    On a GPU the arrays are page-locked meanwhile, and kernels reach them across the bus. At the end it waits for
    ``stream``, or without one for the device.
    """
    device = current_native()
    with pinned(*arylist):
        arrays = [_over_host_memory(device, ary) for ary in arylist]
        try:
            yield arrays[0] if len(arrays) == 1 else arrays
        finally:
            native_stream(stream, device).synchronize() if stream else device.synchronize()


def _over_host_memory(device, array):
    if array.dtype.hasobject:
        raise TypeError(f"a device array cannot hold Python objects (dtype {array.dtype})")
    return DeviceNDArray._over(device, array, array)


def is_cuda_array(obj):
    """Whether kernels take ``obj`` as an array in a device's memory."""
    return (
        isinstance(obj, DeviceNDArray)
        or hasattr(obj, "__heddle_device_array__")
        or hasattr(obj, "__cuda_array_interface__")
    )


@public
def as_cuda_array(obj, sync=True):
    """A device array over the memory of ``obj``, without a copy.

    On a GPU: device arrays, arrays of ``mapped_array`` and ``managed_array``, and what offers the CUDA array interface
    or DLPack for memory of a GPU. sync: wait for the stream that the object names, as the interface asks for; without,
    the array's own stream becomes that one.
    On the CPU device: device arrays, NumPy arrays, and whatever offers the buffer protocol, the array interface or
    DLPack for memory of the host.
    Raises TypeError for anything else, CudaSupportError for memory that the current device does not reach.
    """
    if isinstance(obj, DeviceNDArray):
        return obj
    if hasattr(obj, "__heddle_device_array__"):
        return obj.__heddle_device_array__
    if hasattr(obj, "__cuda_array_interface__"):
        return from_cuda_array_interface(obj.__cuda_array_interface__, obj, sync)
    device = current_native()
    if not device.uses_host_memory:
        return _over_gpu_memory(device, obj)
    return _over_host_memory(device, _as_numpy(obj))


def _over_gpu_memory(device, obj):
    """A device array over the memory of an object that offers DLPack for a GPU."""
    kind, number = obj.__dlpack_device__() if hasattr(obj, "__dlpack__") else (None, 0)
    if kind not in (2, 13):  # kDLCUDA, kDLCUDAManaged
        if kind is not None or hasattr(obj, "__array_interface__") or isinstance(obj, np.ndarray):
            raise CudaSupportError(
                f"this array is in memory of another device than {device.name}: use cuda.to_device"
            )
        raise _no_memory(obj)
    if kind == 2 and number != device.index:
        raise CudaSupportError(
            f"this array is in the memory of GPU {number}, and the current device is {device.index}: "
            f"use cuda.select_device({number})"
        )
    stream = native_stream(0, device).native_handle or 1
    address, shape, strides, typestr, readonly, owner = _heddle.dlpack_contents(obj, stream)
    window = Window(device, address, shape, strides, typestr, readonly, owner)
    return DeviceNDArray._over(device, window.array(np.dtype(typestr)), owner)


def _as_numpy(obj):
    if isinstance(obj, np.ndarray):
        return obj
    if hasattr(obj, "__dlpack__") and hasattr(obj, "__dlpack_device__"):
        kind, _ = obj.__dlpack_device__()
        if kind != 1:  # kDLCPU
            raise CudaSupportError(
                "this array is in the memory of another device: copy it to the host first"
            )
        return np.from_dlpack(obj)
    if hasattr(obj, "__array_interface__") or hasattr(obj, "__array_struct__"):
        return np.asarray(obj)
    try:
        return np.asarray(memoryview(obj))
    except TypeError:
        raise _no_memory(obj) from None


def _no_memory(obj):
    return TypeError(
        f"a {type(obj).__name__} gives no access to its memory: as_cuda_array takes device arrays, NumPy arrays "
        "and what offers DLPack or the buffer protocol"
    )


@public
def from_cuda_array_interface(desc, owner=None, sync=True):
    """A device array over the memory that a ``__cuda_array_interface__`` dictionary describes.

    owner: kept alive with it. sync: as for ``as_cuda_array``; $NUMBA_CUDA_ARRAY_INTERFACE_SYNC=0 turns it off.
    Raises CudaSupportError on the CPU device, which does not reach the memory of a GPU.
    """
    device = current_native()
    if device.type != "cuda":
        raise CudaSupportError(
            f"the array is in the memory of a GPU, but the current device is {device.name}: copy it to the host, then "
            "use cuda.to_device"
        )
    if desc.get("mask") is not None:
        raise NotImplementedError("a device array has no mask: fill the masked elements first")
    address, readonly = desc["data"]
    typestr = np.dtype(desc["typestr"])
    dtype = np.dtype(desc["descr"]) if typestr.kind == "V" and "descr" in desc else typestr
    shape, strides, dtype = _described_layout(desc, dtype)
    window = Window(device, address or 0, shape, strides, dtype.str, readonly, owner)
    stream = desc.get("stream")
    stream = external_stream(stream) if desc.get("version", 0) >= 3 and stream else 0
    if stream and sync and int(config.CUDA_ARRAY_INTERFACE_SYNC):
        stream.synchronize()
    return DeviceNDArray._over(device, window.array(dtype), owner, stream)


def _described_layout(desc, dtype):
    """Shape, strides and dtype of an interface; its strides may be negative, as the memory is there already."""
    shape = shape_of(desc["shape"])
    strides = desc.get("strides")
    if strides is None:
        return shape, contiguous_strides(shape, dtype.itemsize), dtype
    byte_span(shape, strides, dtype.itemsize)
    return shape, tuple(int(stride) for stride in strides), dtype


@public
def open_ipc_array(handle, shape, dtype, strides=None, offset=0):
    """Context manager that gives a device array over memory of another process.

    handle: the driver's 64 bytes, or an IpcHandle. shape, dtype, strides: as for ``device_array``. offset: bytes from
    the start of the other process's allocation.
    """
    shape, strides, dtype = layout_of(shape, strides, dtype, "C")
    return opened(handle, shape, strides, dtype, offset)

"""Making device arrays, and arrays that host and device share."""

import contextlib

import numpy as np

from heddle.cuda.device_ndarray import DeviceNDArray
from heddle.cuda.devices import current_native
from heddle.cuda.host_memory import Window, is_pinned, window_of
from heddle.cuda.layout import byte_span, contiguous_strides, shape_of, strides_like
from heddle.errors import CudaSupportError
from heddle.types import as_dtype


def to_device(obj, stream=0, copy=True, to=None):
    """Copy a NumPy array, a scalar or a nested list to the current device.

    copy=False: allocate only. to: copy into this device array and return it.
    The result has the source's layout if that is contiguous, else C order. The source may be changed at once, unless
    it is pinned and there is a stream.
    """
    if to is not None:
        if copy:
            to.copy_to_device(obj, stream)
        return to
    if isinstance(obj, DeviceNDArray):
        return obj
    source = np.asanyarray(obj)
    device = current_native()
    strides = (
        source.strides if source.flags.forc else contiguous_strides(source.shape, source.itemsize)
    )
    made = _allocate(device, source.shape, strides, source.dtype, stream)
    if copy:
        if is_pinned(source):  # work that is still running may write to it
            made.copy_to_device(source, stream)
        else:  # nothing else knows the new memory, so there is nothing to wait for
            np.copyto(made._window(), source)
    return made


def device_array(shape, dtype=np.float64, strides=None, order="C", stream=0):
    """Allocate an uninitialised array on the current device.

    shape: int or tuple of int; any rank, a 0 extent is fine.
    strides: bytes per step along each axis, none negative; overrides ``order``, which is "C" or "F".
    Returns a DeviceNDArray. Raises MemoryError naming the bytes asked and free (the device stays usable).
    """
    shape, strides, dtype = _layout(shape, strides, dtype, order)
    return _allocate(current_native(), shape, strides, dtype, stream)


def device_array_like(ary, stream=0):
    """Allocate an uninitialised array with the shape and dtype of ``ary``, its axes in the same order in memory."""
    return device_array(ary.shape, ary.dtype, strides_like(ary), stream=stream)


def _layout(shape, strides, dtype, order):
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


def _allocate(device, shape, strides, dtype, stream):
    _, size = byte_span(shape, strides, dtype.itemsize)
    return DeviceNDArray(shape, strides, dtype, stream, device.allocate(size))


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


def _host_array(kind, shape, dtype, strides, order):
    shape, strides, dtype = _layout(shape, strides, dtype, order)
    _, size = byte_span(shape, strides, dtype.itemsize)
    device = current_native()
    memory = device.allocate(size, kind)
    return Window(device, memory.address, shape, strides, dtype.str, False, memory, kind).array(
        dtype
    )


def pinned_array(shape, dtype=np.float64, strides=None, order="C"):
    """An uninitialised NumPy array in page-locked memory, from which copies run asynchronously."""
    return _host_array("pinned", shape, dtype, strides, order)


def mapped_array(
    shape, dtype=np.float64, strides=None, order="C", stream=0, portable=False, wc=False
):
    """An uninitialised NumPy array in host memory that kernels reach, too.

    What kernels write there is seen after ``cuda.synchronize()``. portable, wc: hints for GPUs.
    """
    return _host_array("mapped", shape, dtype, strides, order).view(MappedNDArray)


def managed_array(shape, dtype=np.float64, strides=None, order="C", stream=0, attach_global=True):
    """An uninitialised NumPy array in memory that moves between host and device as it is used."""
    return _host_array("managed", shape, dtype, strides, order).view(ManagedNDArray)


def pinned_array_like(ary):
    """``pinned_array`` with the shape, dtype and order of axes of ``ary``."""
    return pinned_array(ary.shape, ary.dtype, strides_like(ary))


def mapped_array_like(ary, stream=0, portable=False, wc=False):
    """``mapped_array`` with the shape, dtype and order of axes of ``ary``."""
    return mapped_array(ary.shape, ary.dtype, strides_like(ary))


@contextlib.contextmanager
def mapped(*arylist, stream=0):
    """Context manager that gives device arrays over the memory of NumPy arrays: one, or a list when there are more."""
    device = current_native()
    arrays = [_over_host_memory(device, ary) for ary in arylist]
    try:
        yield arrays[0] if len(arrays) == 1 else arrays
    finally:
        device.synchronize()


def _over_host_memory(device, array):
    if device.type != "cpu":
        raise CudaSupportError(
            f"device {device.index} does not reach the host's memory: use cuda.to_device"
        )
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


def as_cuda_array(obj, sync=True):
    """A device array over the memory of ``obj``, without a copy.

    On the CPU device: device arrays, NumPy arrays, and whatever offers the buffer protocol, the array interface or
    DLPack for memory of the host. Raises TypeError for anything else, CudaSupportError for the memory of a GPU.
    """
    if isinstance(obj, DeviceNDArray):
        return obj
    if hasattr(obj, "__heddle_device_array__"):
        return obj.__heddle_device_array__
    if hasattr(obj, "__cuda_array_interface__"):
        return from_cuda_array_interface(obj.__cuda_array_interface__, obj, sync)
    return _over_host_memory(current_native(), _as_numpy(obj))


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
        raise TypeError(
            f"a {type(obj).__name__} gives no access to its memory: as_cuda_array takes device arrays, NumPy arrays "
            "and what offers DLPack or the buffer protocol"
        ) from None


def from_cuda_array_interface(desc, owner=None, sync=True):
    """A device array over the memory that a ``__cuda_array_interface__`` dictionary describes.

    Raises CudaSupportError on the CPU device, which does not reach the memory of a GPU.
    """
    device = current_native()
    if device.type != "cuda":
        raise CudaSupportError(
            f"the array is in the memory of a GPU, but the current device is {device.name}: copy it to the host, then "
            "use cuda.to_device"
        )
    typestr, (address, readonly) = desc["typestr"], desc["data"]
    shape, strides, dtype = _layout(desc["shape"], desc.get("strides"), typestr, "C")
    window = Window(device, address, shape, strides, typestr, readonly, owner)
    return DeviceNDArray._over(device, window.array(dtype), owner)

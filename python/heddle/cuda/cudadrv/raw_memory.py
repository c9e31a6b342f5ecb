"""Copies between addresses, and the extents of memory, as in numba.cuda.cudadrv.driver."""

import ctypes
import operator

import numpy as np

from heddle.cuda import transfers
from heddle.cuda.host_memory import Window
from heddle.cuda.memory import MemoryPointer, address_to_int
from heddle.cuda.native_devices import current_native
from heddle.cuda.streams import to_native_stream
from heddle.support.byte_span import byte_span


def is_device_memory(obj):
    """True if ``obj`` is, or claims to be, device memory."""
    return getattr(obj, "__cuda_memory__", False) is True


def require_device_memory(obj):
    """Raises TypeError unless ``obj`` is device memory."""
    if not is_device_memory(obj):
        raise TypeError(
            f"a {type(obj).__name__} is not device memory: use cuda.to_device to copy it there"
        )


def device_pointer(obj):
    """The address of device memory. An address as an int is returned unchanged."""
    if isinstance(obj, int):
        return int(obj)
    require_device_memory(obj)
    return address_to_int(obj.device_pointer)


def device_ctypes_pointer(obj):
    """The address of device memory, as a ctypes value."""
    require_device_memory(obj)
    return ctypes.c_void_p(device_pointer(obj))


def device_memory_size(obj):
    """The size in bytes of device memory, or of the memory that a device array spans."""
    if isinstance(obj, MemoryPointer):
        return obj.size
    return memory_size_from_info(obj.shape, obj.strides, obj.dtype.itemsize)


def device_extents(obj):
    """The first address of device memory, and the address past its end."""
    first = device_pointer(obj)
    return first, first + device_memory_size(obj)


def device_memory_depends(obj, *others):
    """Keeps ``others`` alive as long as the device memory."""
    kept = obj if isinstance(obj, MemoryPointer) else obj.gpu_data
    kept._owner = (kept._owner, *others)


def host_pointer(obj, readonly=False):
    """The address of a NumPy array or another object with the buffer protocol. An int is returned unchanged.

    Raises ValueError for read-only memory, unless ``readonly``.
    """
    if isinstance(obj, int):
        return int(obj)
    array = _as_host_array(obj)
    if not (readonly or array.flags.writeable):
        raise ValueError("this memory is read-only")
    return array.__array_interface__["data"][0]


def _as_host_array(obj):
    return np.asarray(obj if hasattr(obj, "__array_interface__") else memoryview(obj))


def host_memory_extents(obj):
    """The first address of an array or another object with the buffer protocol, and the address past its end."""
    array = obj if hasattr(obj, "strides") else _as_host_array(obj)
    low, high = byte_span(array.shape, array.strides, array.itemsize)
    first = host_pointer(array, readonly=True)
    return first + low, first + high


def host_memory_size(obj):
    """The number of bytes that an array, or another object with the buffer protocol, spans."""
    first, end = host_memory_extents(obj)
    return end - first


def memory_size_from_info(shape, strides, itemsize):
    """The number of bytes that an array of this layout spans."""
    low, high = byte_span(shape, strides, itemsize)
    return high - low


def host_to_device(dst, src, size, stream=0):
    """Copies ``size`` bytes of host memory to device memory, in the order of ``stream``."""
    device = current_native()
    source = _view_host_bytes(src, size, readonly=True)
    transfers.copy_to_device_memory(_view_device_bytes(dst, size, device), source, device, stream)


def device_to_host(dst, src, size, stream=0):
    """Copies ``size`` bytes of device memory to host memory, in the order of ``stream``."""
    device = current_native()
    transfers.copy_to_host_memory(
        _view_host_bytes(dst, size, readonly=False),
        _view_device_bytes(src, size, device),
        device,
        stream,
    )


def device_to_device(dst, src, size, stream=0):
    """Copies ``size`` bytes within the memory of the current device, in the order of ``stream``."""
    device = current_native()
    target, source = _view_device_bytes(dst, size, device), _view_device_bytes(src, size, device)
    transfers.copy_between_devices(target, device, source, device, stream)


def device_memset(dst, val, size, stream=0):
    """Sets ``size`` bytes of device memory to ``val``, 0 to 255, in the order of ``stream``."""
    _check_size(dst, size, device_memory_size)
    native = to_native_stream(stream)
    native.fill(device_pointer(dst), val, size, dst)
    if not stream:
        native.synchronize()


def _check_size(obj, size, size_of):
    """Raises ValueError if an object has fewer bytes. A plain address cannot be checked."""
    size = operator.index(size)
    most = size if isinstance(obj, int) else size_of(obj)
    if not 0 <= size <= most:
        raise ValueError(f"this memory has {most} bytes, not {size}")


def _view_host_bytes(obj, size, readonly):
    address = host_pointer(obj, readonly)
    _check_size(obj, size, host_memory_size)
    return np.frombuffer((ctypes.c_uint8 * size).from_address(address), np.uint8)


def _view_device_bytes(obj, size, device):
    _check_size(obj, size, device_memory_size)
    window = Window(device, device_pointer(obj), (size,), (1,), "|u1", False, obj)
    return window.as_numpy_array(np.dtype(np.uint8))

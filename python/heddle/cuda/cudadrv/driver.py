"""numba.cuda.cudadrv.driver: the classes of what the driver offers, and its errors."""

from heddle.cuda.contexts import Context
from heddle.cuda.devices import Device
from heddle.cuda.ipc_handles import IpcHandle
from heddle.cuda.layout import byte_span
from heddle.cuda.memory import (
    AutoFreePointer,
    ManagedMemory,
    MappedMemory,
    MemoryInfo,
    MemoryPointer,
    OwnedPointer,
    PinnedMemory,
)
from heddle.cuda.memory_managers import (
    BaseCUDAMemoryManager,
    GetIpcHandleMixin,
    HostOnlyCUDAMemoryManager,
    set_memory_manager,
)
from heddle.cuda.runtime import get_version
from heddle.cuda.streams import Event, Stream
from heddle.errors import CudaAPIError, CudaDriverError, CudaSupportError

__all__ = [
    "AutoFreePointer",
    "BaseCUDAMemoryManager",
    "Context",
    "CudaAPIError",
    "CudaDriverError",
    "CudaSupportError",
    "Device",
    "Event",
    "GetIpcHandleMixin",
    "HostOnlyCUDAMemoryManager",
    "IpcHandle",
    "ManagedMemory",
    "MappedMemory",
    "MemoryInfo",
    "MemoryPointer",
    "OwnedPointer",
    "PinnedMemory",
    "Stream",
    "device_memory_size",
    "device_pointer",
    "get_version",
    "host_pointer",
    "is_device_memory",
    "set_memory_manager",
]


def is_device_memory(obj):
    """Whether ``obj`` is, or says that it is, a piece of a device's memory."""
    return getattr(obj, "__cuda_memory__", False) is True


def device_pointer(obj):
    """The address of a piece of a device's memory."""
    return int(obj.device_pointer)


def device_memory_size(obj):
    """The bytes of a piece of a device's memory, or those that an array of one reaches."""
    if isinstance(obj, MemoryPointer):
        return obj.size
    low, high = byte_span(obj.shape, obj.strides, obj.itemsize)
    return high - low


def host_pointer(obj):
    """The address of a NumPy array."""
    return obj.__array_interface__["data"][0]

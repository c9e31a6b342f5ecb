"""numba.cuda.cudadrv.driver: classes of driver objects, driver errors, and copies between addresses.

>>> isinstance(stream, cuda.driver.Stream)
"""

from heddle import _heddle
from heddle.compiler.linkable_code import LTOIR, Fatbin, LinkableCode, Object
from heddle.cuda.contexts import Context
from heddle.cuda.cudadrv.enums import CU_STREAM_DEFAULT
from heddle.cuda.cudadrv.mappings import FILE_EXTENSION_MAP
from heddle.cuda.cudadrv.raw_memory import (
    device_ctypes_pointer,
    device_extents,
    device_memory_depends,
    device_memory_size,
    device_memset,
    device_pointer,
    device_to_device,
    device_to_host,
    host_memory_extents,
    host_memory_size,
    host_pointer,
    host_to_device,
    is_device_memory,
    memory_size_from_info,
    require_device_memory,
)
from heddle.cuda.devices import Device, all_devices, close, current_context, gpus
from heddle.cuda.ipc_handles import IpcHandle
from heddle.cuda.memory import (
    AutoFreePointer,
    ManagedMemory,
    ManagedOwnedPointer,
    MappedMemory,
    MappedOwnedPointer,
    MemoryInfo,
    MemoryPointer,
    OwnedPointer,
    PinnedMemory,
)
from heddle.cuda.memory_managers import (
    BaseCUDAMemoryManager,
    GetIpcHandleMixin,
    HostOnlyCUDAMemoryManager,
    NumbaCUDAMemoryManager,
    set_memory_manager,
)
from heddle.cuda.profiler_marks import profile_start, profile_stop, profiling
from heddle.cuda.runtime import get_version
from heddle.cuda.streams import Event, Stream, event_elapsed_time
from heddle.errors import (
    CudaAPIError,
    CudaDriverError,
    CudaSupportError,
    DeadMemoryError,
    LinkerError,
)
from heddle.support.missing_names import make_missing_name_error as _missing_name

__all__ = [
    "CU_STREAM_DEFAULT",
    "FILE_EXTENSION_MAP",
    "LTOIR",
    "MIN_REQUIRED_CC",
    "SUPPORTS_IPC",
    "AutoFreePointer",
    "BaseCUDAMemoryManager",
    "Context",
    "CudaAPIError",
    "CudaDriverError",
    "CudaSupportError",
    "DeadMemoryError",
    "Device",
    "Driver",
    "Event",
    "Fatbin",
    "GetIpcHandleMixin",
    "HostOnlyCUDAMemoryManager",
    "IpcHandle",
    "LinkableCode",
    "LinkerError",
    "ManagedMemory",
    "ManagedOwnedPointer",
    "MappedMemory",
    "MappedOwnedPointer",
    "MemoryInfo",
    "MemoryPointer",
    "NumbaCUDAMemoryManager",
    "Object",
    "OwnedPointer",
    "PinnedMemory",
    "Stream",
    "device_ctypes_pointer",
    "device_extents",
    "device_memory_depends",
    "device_memory_size",
    "device_memset",
    "device_pointer",
    "device_to_device",
    "device_to_host",
    "driver",
    "event_elapsed_time",
    "get_version",
    "host_memory_extents",
    "host_memory_size",
    "host_pointer",
    "host_to_device",
    "is_device_memory",
    "memory_size_from_info",
    "profile_start",
    "profile_stop",
    "profiling",
    "require_device_memory",
    "set_memory_manager",
]

MIN_REQUIRED_CC = (7, 5)
SUPPORTS_IPC = True


class Driver:
    """The interface of numba's driver object, without the driver's functions (``cuMemAlloc``)."""

    is_initialized = True

    @property
    def is_available(self):
        """True if kernels can run: True, because the CPU is a device."""
        return True

    @property
    def initialization_error(self):
        """The reason why there is no GPU; None if there is one."""
        return _heddle.no_gpu_reason() or None

    def ensure_initialized(self):
        """Does nothing: a device initializes on first use."""

    def get_version(self):
        """The CUDA release that the driver supports, (major, minor)."""
        return get_version()

    def get_device(self, devnum=0):
        """The device with that index in ``cuda.gpus``."""
        return gpus[devnum]

    def get_device_count(self):
        return len(gpus)

    def list_devices(self):
        return list(all_devices())

    def get_active_context(self):
        """The context of the current device."""
        return current_context()

    def pop_active_context(self):
        """Undoes the last ``Context.push()`` of this thread."""
        current_context().pop()

    def reset(self):
        """As ``cuda.close``."""
        close()

    def __getattr__(self, name):
        raise _missing_name("heddle.cuda.cudadrv.driver.driver", name)

    def __repr__(self):
        return f"<heddle driver of {len(gpus)} devices>"


driver = Driver()


def _have_nvjitlink():
    """True if NVIDIA's linker is used; numba's test suites call it."""
    return False


def __getattr__(name):
    raise _missing_name("heddle.cuda.cudadrv.driver", name)

"""cupy.cuda.runtime: what scripts ask CUDA's runtime."""

import ctypes

from heddle.compat.cupy.devices import Device, offered
from heddle.compat.cupy.memory import Memory
from heddle.cuda.runtime import get_version
from heddle.cuda.streams import native_stream
from heddle.missing_names import missing_name

# cudaMemcpyKind, in CUDA's driver_types.h
memcpyHostToHost, memcpyHostToDevice, memcpyDeviceToHost, memcpyDeviceToDevice = range(4)
memcpyDefault = 4

streamNonBlocking = 1
is_hip = False


class CUDARuntimeError(RuntimeError):
    """What CUDA's runtime refuses."""


def getDeviceCount():
    return len(offered())


def getDevice():
    return Device().id


def setDevice(device):
    Device(device).use()


def deviceSynchronize():
    Device().synchronize()


def getDeviceProperties(device):
    """What CUDA's cudaDeviceProp says of a device: a dict by its names; ``name`` is bytes."""
    found = Device(device)
    get = found.native.attribute
    major, minor = found._device.compute_capability
    return {
        "name": found.name.encode(),
        "totalGlobalMem": found.mem_info[1],
        "sharedMemPerBlock": get("MAX_SHARED_MEMORY_PER_BLOCK"),
        "sharedMemPerBlockOptin": get("MAX_SHARED_MEMORY_PER_BLOCK_OPTIN"),
        "regsPerBlock": get("MAX_REGISTERS_PER_BLOCK"),
        "warpSize": get("WARP_SIZE"),
        "maxThreadsPerBlock": get("MAX_THREADS_PER_BLOCK"),
        "maxThreadsDim": tuple(get(f"MAX_BLOCK_DIM_{axis}") for axis in "XYZ"),
        "maxGridSize": tuple(get(f"MAX_GRID_DIM_{axis}") for axis in "XYZ"),
        "clockRate": get("CLOCK_RATE"),
        "totalConstMem": get("TOTAL_CONSTANT_MEMORY"),
        "major": major,
        "minor": minor,
        "multiProcessorCount": get("MULTIPROCESSOR_COUNT"),
        "maxThreadsPerMultiProcessor": get("MAX_THREADS_PER_MULTIPROCESSOR"),
        "memoryClockRate": get("MEMORY_CLOCK_RATE"),
        "memoryBusWidth": get("GLOBAL_MEMORY_BUS_WIDTH"),
        "l2CacheSize": get("L2_CACHE_SIZE"),
        "concurrentKernels": get("CONCURRENT_KERNELS"),
        "integrated": get("INTEGRATED"),
    }


_allocated = {}  # address -> the memory that malloc() gave


def malloc(size):
    """The address of ``size`` new bytes on the current device."""
    memory = Memory(size)
    _allocated[memory.ptr] = memory
    return memory.ptr


def free(ptr):
    """Give back what malloc() gave."""
    if ptr and _allocated.pop(ptr, None) is None:
        raise CUDARuntimeError(f"cudaErrorInvalidValue: {ptr:#x} is not from malloc()")


def memset(ptr, value, size):
    """Set ``size`` bytes of the current device to ``value``."""
    stream = native_stream(0)
    stream.fill(ptr, value, size, None)
    stream.synchronize()


def memcpy(dst, src, size, kind):
    """Copy ``size`` bytes between addresses. kind: memcpyHostToDevice and so on."""
    stream = native_stream(0)
    if kind == memcpyHostToHost:
        ctypes.memmove(dst, src, size)
    elif kind == memcpyHostToDevice:
        stream.upload(dst, src, size)
    elif kind == memcpyDeviceToHost:
        stream.download(src=src, host_address=dst, nbytes=size)
    else:
        stream.copy(dst, src, size, None)
    stream.synchronize()


def memGetInfo():
    """Free and total bytes of the current device."""
    return Device().mem_info


def _version():
    major, minor = get_version()
    return 1000 * major + 10 * minor


runtimeGetVersion = driverGetVersion = _version


def __getattr__(name):
    raise missing_name("heddle.cupy.cuda.runtime", name)

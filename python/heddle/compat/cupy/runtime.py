"""cupy.cuda.runtime: what scripts ask CUDA's runtime."""

import ctypes

from heddle.compat.cupy.cuda_errors import CUDARuntimeError
from heddle.compat.cupy.devices import Device, offered
from heddle.compat.cupy.memory import Memory, alloc_pinned_memory
from heddle.cuda.profiler_marks import profile_start, profile_stop
from heddle.cuda.runtime import get_version
from heddle.cuda.streams import native_stream
from heddle.missing_names import missing_name

# cudaMemcpyKind, in CUDA's driver_types.h
memcpyHostToHost, memcpyHostToDevice, memcpyDeviceToHost, memcpyDeviceToDevice = range(4)
memcpyDefault = 4

streamDefault, streamNonBlocking = 0, 1
is_hip = False


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


mallocManaged = malloc
_pinned = {}  # address -> the memory that hostAlloc() gave


def hostAlloc(size, flags=0):
    """The address of ``size`` new bytes of page-locked host memory."""
    memory = alloc_pinned_memory(size)
    _pinned[memory.ctypes.data] = memory
    return memory.ctypes.data


def freeHost(ptr):
    """Give back what hostAlloc() gave."""
    if ptr and _pinned.pop(ptr, None) is None:
        raise CUDARuntimeError(f"cudaErrorInvalidValue: {ptr:#x} is not from hostAlloc()")


def memset(ptr, value, size):
    """Set ``size`` bytes of the current device to ``value``."""
    memsetAsync(ptr, value, size, 0)
    streamSynchronize(0)


def memsetAsync(ptr, value, size, stream):
    """As memset, in the order of a stream. stream: its ``ptr``."""
    native_stream(stream).fill(ptr, value, size, None)


def memcpy(dst, src, size, kind):
    """Copy ``size`` bytes between addresses. kind: memcpyHostToDevice and so on."""
    memcpyAsync(dst, src, size, kind, 0)
    streamSynchronize(0)


def memcpyAsync(dst, src, size, kind, stream):
    """As memcpy, in the order of a stream. stream: its ``ptr``."""
    stream = native_stream(stream)
    if kind == memcpyHostToHost:
        stream.synchronize()
        ctypes.memmove(dst, src, size)
    elif kind == memcpyHostToDevice:
        stream.upload(dst, src, size)
    elif kind == memcpyDeviceToHost:
        stream.download(src=src, host_address=dst, nbytes=size)
    else:
        stream.copy(dst, src, size, None)


def streamSynchronize(stream):
    """Wait for a stream. stream: its ``ptr``."""
    native_stream(stream).synchronize()


def deviceCanAccessPeer(device, peer):
    """1 if kernels of ``device`` may read the memory of ``peer``, else 0."""
    return int(Device(device).native.can_access(Device(peer).native))


def memGetInfo():
    """Free and total bytes of the current device."""
    return Device().mem_info


profilerStart, profilerStop = profile_start, profile_stop


def _version():
    major, minor = get_version()
    return 1000 * major + 10 * minor


runtimeGetVersion = driverGetVersion = _version


def __getattr__(name):
    raise missing_name("heddle.cupy.cuda.runtime", name)

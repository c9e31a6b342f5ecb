"""cupy.cuda.runtime: the CUDA runtime functions that scripts call."""

import functools
import uuid

from heddle import _heddle
from heddle.compat.cupy.cuda_errors import CUDARuntimeError
from heddle.compat.cupy.devices import Device, list_devices, to_camel_case
from heddle.compat.cupy.runtime import constants
from heddle.compat.cupy.runtime.constants import *  # noqa: F403
from heddle.compat.cupy.runtime.memory_calls import *  # noqa: F403
from heddle.compat.cupy.runtime.stream_calls import *  # noqa: F403
from heddle.cuda.profiler_marks import profile_start, profile_stop
from heddle.cuda.runtime import get_version
from heddle.support.missing_names import make_missing_name_error

is_hip = False


def getDeviceCount():
    return len(list_devices())


def getDevice():
    return Device().id


def setDevice(device):
    Device(device).use()


def deviceGetAttribute(attrib, device_id):
    """The value of a device attribute. attrib: its number in CUDA's cudaDeviceAttr. Raises CUDARuntimeError."""
    native = Device(device_id).native
    name = next(
        (name for name, number in _get_attribute_numbers().items() if number == attrib), None
    )
    value = None if name is None else native.attribute(name)
    if value is None:
        raise CUDARuntimeError(1, f"there is no device attribute {attrib}")
    return value


@functools.cache
def _get_attribute_numbers():
    """Attribute names -> their numbers; the runtime's are the same as the driver's."""
    return _heddle.device_attribute_numbers()


def deviceGetPCIBusId(device):
    return Device(device).pci_bus_id


def deviceGetByPCIBusId(pci_bus_id):
    return Device.from_pci_bus_id(pci_bus_id).id


def deviceSynchronize():
    Device().synchronize()


def getDeviceProperties(device):
    """A device's properties: a dict with the names of CUDA's cudaDeviceProp; ``name`` and ``uuid`` are bytes."""
    found = Device(device)
    get = found.native.attribute
    major, minor = found._device.compute_capability
    return {
        "name": found.name.encode(),
        "uuid": uuid.UUID(found._device.uuid.partition("-")[2]).bytes,
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


def deviceCanAccessPeer(device, peer):
    """1 if kernels on ``device`` can access the memory of ``peer``, else 0."""
    return int(Device(device).native.can_access(Device(peer).native))


def deviceEnablePeerAccess(peer):
    """Let kernels on the current device access the memory of ``peer``. Raises CUDARuntimeError."""
    native = Device().native
    other = Device(peer).native
    if not native.can_access(other):
        raise CUDARuntimeError(
            217, f"device {Device().id} cannot access the memory of device {peer}"
        )
    native.enable_access(other)


def deviceDisablePeerAccess(peer):
    """Does nothing: peer access remains enabled."""


# The limits that deviceGetLimit() returns; the initial values are CUDA's.
_limits = {
    constants.cudaLimitStackSize: 1024,
    constants.cudaLimitPrintfFifoSize: 1 << 20,
    constants.cudaLimitMallocHeapSize: 1 << 23,
}


def deviceGetLimit(limit):
    """The value of a limit, in bytes. Raises CUDARuntimeError for an unknown limit."""
    if limit not in _limits:
        raise CUDARuntimeError(215, f"there is no limit {limit}")
    return _limits[limit]


def deviceSetLimit(limit, value):
    """Store a limit, which has no effect: Heddle sizes stacks and printf memory for the kernels that run."""
    deviceGetLimit(limit)
    _limits[limit] = int(value)


def check_status(status):
    """Raise CUDARuntimeError if ``status`` is not 0."""
    if status:
        raise CUDARuntimeError(status)


def memGetInfo():
    """(free, total) memory of the current device, in bytes."""
    return Device().mem_info


profilerStart, profilerStop = profile_start, profile_stop


def _get_cuda_version_number():
    major, minor = get_version()
    return 1000 * major + 10 * minor


runtimeGetVersion = driverGetVersion = _getLocalRuntimeVersion = _get_cuda_version_number


_ATTRIBUTE = "cudaDevAttr"


def __getattr__(name):
    if name.startswith(_ATTRIBUTE):  # cudaDevAttrWarpSize is the number of WARP_SIZE
        for attribute, number in _get_attribute_numbers().items():
            if to_camel_case(attribute) == name[len(_ATTRIBUTE) :]:
                return number
    raise make_missing_name_error("heddle.cupy.cuda.runtime", name)
